from __future__ import annotations

import os
import resource
import shutil
import sys

import pytest

from tests.hostile import calling, ledgers
from tests.hostile.counted import TRIED

LOOPBACK = ("127.", "::1", "localhost")


def _refuse_the_world(event, arguments):
    """No test of this folder may leave the machine, whatever a hostile text names."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        assert str(arguments[1][0]).startswith(LOOPBACK), f"a connection to {arguments[1]}"
    if event == "socket.getaddrinfo":
        assert str(arguments[0]).startswith(LOOPBACK), f"a look-up of {arguments[0]}"


sys.addaudithook(_refuse_the_world)


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    """A ledger that was spoiled past every gate, and one that took it all by the front door."""
    folder = tmp_path_factory.mktemp("templates")
    TRIED["cells of a ledger"] += ledgers.spoil(folder / "spoiled.db")
    lines = folder / "proposals.jsonl"
    lines.write_text(ledgers.proposal_lines(), encoding="utf-8")
    with calling.environment(variables(folder)):
        ran = calling.call("import", "--judge", str(lines), "--db", str(folder / "entered.db"))
    assert ran.code == 0, ran.err
    return folder


def variables(home):
    """The environment of a person whose home is this folder; nothing of the real one's."""
    return {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "GEMSEARCH_DB": str(home / "gems.db"),
        "GEMSEARCH_CONFIG": str(home / "config.toml"),
        "GEMSEARCH_PROVIDER": "replay",
        "GEMSEARCH_REPLAY": str(home / "replay.jsonl"),
        "GEMSEARCH_LOAD_PLUGINS": "",
    }


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of its own for a person, and the environment that leads there."""
    for name in [*os.environ]:
        if name.startswith(("GEMSEARCH_", "SEARXNG_")) or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def spoiled(templates, home):
    return shutil.copy(templates / "spoiled.db", home / "gems.db")


@pytest.fixture
def entered(templates, home):
    return shutil.copy(templates / "entered.db", home / "gems.db")


@pytest.fixture(autouse=True)
def _bounded():
    """What reads without end fails here, before the machine has no memory left."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 * 1024**3, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
