from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gemsearch import asking
from gemsearch.ledger import migrations
from tests.conftest import Command, Loop
from tests.faults import next_version
from tests.faults.driver import Ended, Request
from tests.faults.states import Alone, State

DRIVER = Path(__file__).with_name("driver.py")
ROOT = DRIVER.parent.parent.parent
TOPICS = [f"{first} {second}" for first in ("heron", "otter", "badger") for second in (
    "migration", "burrows", "diet", "calls", "tracking", "genetics", "parasites", "folklore",
)]  # fmt: skip


def pages_of(topic: str) -> list[str]:
    """What is found for a topic: one source is every topic's of the same animal."""
    animal, _, subject = topic.partition(" ")
    return [f"https://example.org/{animal}{part}" for part in ("", f"/{subject}", f"/{subject}/2")]


class Driver:
    """Runs commands in children that are killed or failed at a chosen moment."""

    def __init__(self, folder: Path, *options: str) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(DRIVER), str(theirs.fileno()), str(folder), *options],
                pass_fds=[theirs.fileno()],
                # Sets of texts in one order, so that moments come in the same one.
                env={"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0"}
                | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
            )
        self._socket = ours
        self._lines = ours.makefile("rw")

    def __call__(self, request: Request) -> Ended:
        self._lines.write(json.dumps(request._asdict()) + "\n")
        self._lines.flush()
        return Ended(**json.loads(self._lines.readline()))

    def close(self) -> None:
        self._lines.close()
        self._socket.close()
        self._process.wait(10)


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    made = Driver(tmp_path_factory.mktemp("driver"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    """A ledger with gems, sources that recur, refusals of both gates, a wording, an exception."""
    path = tmp_path_factory.mktemp("base") / "gems.db"
    loop = Loop(str(path))
    for number, topic in enumerate(TOPICS):
        loop.finds(topic, *pages_of(topic))
        assert loop.search(topic, agent="claude", session=f"s{number}").novel, topic
        loop.clock.advance(minutes=1)
    loop.finds("where otters sleep", *loop.provider.pages["otter burrows"])
    assert loop.search("where otters sleep").status == "duplicate"
    assert loop.search("burrows of the otter", on_match=asking.FORCE).novel
    loop.connection.close()
    return path


class Place(Command):
    """A folder with a ledger of its own, for one command and what befalls it."""

    def __init__(self, home: Path, base: Path | None) -> None:
        super().__init__(home)
        self.home = home
        if base:
            shutil.copy(base, self.ledger)

    def request(self, *arguments: str, **fields) -> Request:
        return Request(list(arguments), str(self.home), self.env, **fields)

    def leftovers(self) -> list[str]:
        return sorted(name for name in os.listdir(self.home) if ".new" in name)


@pytest.fixture
def place(tmp_path, base):
    return Place(tmp_path, base)


@pytest.fixture
def places(tmp_path, base):
    """Makes places: a fresh copy of the ledger each."""

    def make(name: str, *, empty: bool = False) -> Place:
        home = tmp_path / name
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        return Place(home, None if empty else base)

    return make


@pytest.fixture(scope="session")
def known():
    return {}


@pytest.fixture
def undisturbed(known, driver, places, monkeypatch):
    """What a scenario's command does when nothing befalls it; found out once."""

    def alone(scenario):
        if scenario.of_next_version:
            monkeypatch.setattr(migrations, "MIGRATIONS", next_version.MIGRATIONS)
            monkeypatch.setattr(migrations, "VERSION", next_version.VERSION)
        if scenario.name not in known:
            place = places("undisturbed")
            scenario.before(place)
            before = State.of(place)
            ended = driver(scenario.request(place))
            assert ended.code == scenario.code, ended
            after = State.of(place)
            assert after.complaints == []
            assert (after.content == before.content) is scenario.keeps
            known[scenario.name] = Alone(ended, before, after)
        return known[scenario.name]

    return alone
