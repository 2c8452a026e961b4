from __future__ import annotations

import shutil

import pytest

from gemsearch import novelty
from gemsearch.core.model import Result
from tests.agents.hooked import Hook
from tests.conftest import Loop

TOPIC = "raku kiln reduction firing"
PAGES = [
    ("Reduction in a raku kiln", "https://example.com/raku/reduction"),
    ("Smoke, sawdust and timing", "https://example.org/sawdust"),
    ("Glazes that crackle", "https://example.net/glazes?id=4"),
]


@pytest.fixture(scope="session")
def _stored(tmp_path_factory):
    """A ledger with one gem of 2026-05-11, found in another session."""
    loop = Loop(str(tmp_path_factory.mktemp("hooks") / "gems.db"))
    proposal = loop.proposal(TOPIC, origin="hook", agent="claude-code", session="session-0")
    results = [Result(url, title) for title, url in PAGES]
    novelty.record(loop.connection, proposal, results, loop.clock(), "WebSearch")
    loop.connection.close()
    return loop.path


@pytest.fixture
def hook(tmp_path, _stored):
    """The hook on a ledger that has one gem."""
    made = Hook(tmp_path)
    shutil.copy(_stored, made.ledger)
    return made


@pytest.fixture
def new_hook(tmp_path):
    """The hook where no ledger is yet."""
    return Hook(tmp_path)
