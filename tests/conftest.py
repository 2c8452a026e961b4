"""What most tests share: a ledger of their own, recorded searches, and the real command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from gemsearch import asking, novelty
from gemsearch.core.model import Caller, Result
from gemsearch.ledger.connection import open_for_writing
from gemsearch.providers.base import Page

# A busy machine is no fault of the program's.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

START = datetime(2026, 5, 11, 9, 0, 0, tzinfo=UTC)


class Clock:
    """A clock that moves when the test says so."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **how: float) -> None:
        self.now += timedelta(**how)


class Recorded:
    """A provider that answers from a dictionary and counts how often it was asked."""

    name = "recorded"

    def __init__(self, pages: dict[str, list[str] | Exception]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    def search(self, topic, pace, timeout):  # noqa: ARG002 - the interface
        self.asked.append(topic)
        found = self.pages.get(topic, [f"https://example.org/{topic.replace(' ', '-')}"])
        if isinstance(found, BaseException):
            raise found
        return Page(tuple(Result(url, f"Title of {url}", "A snippet.") for url in found))


class Loop:
    """A ledger, a clock and a provider: proposes topics as an agent would."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connection = open_for_writing(path)
        self.clock = Clock()
        self.provider = Recorded({})

    def finds(self, topic: str, *urls: str) -> None:
        self.provider.pages[topic] = list(urls)

    def proposal(self, topic, **fields):
        caller = Caller(**{k: fields.pop(k) for k in list(fields) if k in Caller._fields})
        return asking.Proposal(asking.accepted(topic), caller, **fields)

    def search(self, topic, **fields):
        return novelty.search(
            self.connection, self.proposal(topic, **fields), lambda: self.provider, self.clock
        )

    def check(self, topic, **fields):
        return asking.check(self.connection, self.proposal(topic, **fields), self.clock())

    def record(self, topic, *urls, **fields):
        proposal = self.proposal(topic, **({"origin": "record"} | fields))
        return novelty.record(self.connection, proposal, urls, self.clock())

    def rows(self, sql, *values):
        return self.connection.execute(sql, values).fetchall()

    def value(self, sql, *values):
        return self.connection.execute(sql, values).fetchone()[0]


@pytest.fixture
def loop(tmp_path):
    made = Loop(str(tmp_path / "gems.db"))
    yield made
    made.connection.close()


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Command:
    """Runs `gemsearch` as a process of its own, with an environment of its own."""

    def __init__(self, home) -> None:
        self.ledger = str(home / "gems.db")
        self.replay = home / "replay.jsonl"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GEMSEARCH_DB": self.ledger,
            "GEMSEARCH_CONFIG": str(home / "config.toml"),
            "GEMSEARCH_LOAD_PLUGINS": "",
            "GEMSEARCH_PROVIDER": "replay",
            "GEMSEARCH_REPLAY": str(self.replay),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }

    def finds(self, topic: str, *urls: str, **fields: object) -> None:
        """Let the replay provider find these addresses for a topic."""
        rows = [{"url": url, "title": f"Title of {url}", "snippet": "About it."} for url in urls]
        line = {"topic": topic, "results": rows} | fields
        with self.replay.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def __call__(self, *arguments: str, stdin: str = "", **env: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "gemsearch", *arguments],
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            env=self.env | env,
            timeout=60,
            check=False,
        )
        return Ran(
            done.returncode,
            done.stdout.decode("utf-8", "replace"),
            done.stderr.decode("utf-8", "replace"),
        )

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "gemsearch", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env | env,
        )


@pytest.fixture
def gemsearch(tmp_path):
    return Command(tmp_path)
