"""A whole agent, as a process of its own that knows only its hooks' contract."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from gemsearch.ledger.connection import open_for_writing
from tests.agents.hooked import AGENTS, NUMBERED, Call, Hook

AGENT = Path(__file__).with_name("fake_agent.py")
PAGES = [(f"Page {n}", f"https://example.com/peat/{n}") for n in range(4)]
OTHERS = [(f"Other page {n}", f"https://example.org/heath/{n}") for n in range(4)]


class Seen(NamedTuple):
    """What became of one call, for the model."""

    ran: bool
    shown: str
    notes: list[str]
    broken: list[str]


class Agent:
    def __init__(self, name, hook, *options) -> None:
        self.name = name
        self.hook = hook
        self._numbers = 0
        self._process = subprocess.Popen(
            [sys.executable, str(AGENT), name, *hook.command(name, *options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=hook.env,
            text=True,
        )

    def close(self) -> None:
        self._process.stdin.close()
        assert self._process.wait(30) == 0
        self._process.stdout.close()

    def call(self, topic: str, session: str = "session-1") -> Call:
        self._numbers += 1
        return Call(self.name, topic, f"call-{self._numbers}", session)

    def step(self, *calls: dict) -> list[Seen]:
        """Make calls at the same time; each is its events by phase."""
        events = [{"text": "the results", **call} for call in calls]
        self._process.stdin.write(json.dumps(events) + "\n")
        self._process.stdin.flush()
        seen = [Seen(**one) for one in json.loads(self._process.stdout.readline())]
        assert [one.broken for one in seen] == [[] for _ in calls]
        return seen

    def search(self, topic: str, pages, session: str = "session-1") -> Seen:
        call = self.call(topic, session)
        return self.step({"before": call.before(), "after": call.after(pages)})[0]

    def rows(self, sql: str) -> list[tuple]:
        ledger = sqlite3.connect(self.hook.ledger)
        found = ledger.execute(sql).fetchall()
        ledger.close()
        return found

    def gems(self) -> list[str]:
        return [topic for (topic,) in self.rows("SELECT topic FROM gems ORDER BY id")]

    def states(self) -> list[str]:
        return [state for (state,) in self.rows("SELECT state FROM searches ORDER BY id")]


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("empty") / "gems.db")
    open_for_writing(path).close()
    return path


@pytest.fixture(scope="module", params=AGENTS)
def started(request, tmp_path_factory):
    made = Agent(request.param, Hook(tmp_path_factory.mktemp("agent")))
    yield made
    made.close()


@pytest.fixture
def agent(started, empty):
    """An agent on a ledger without gems."""
    for rest in ("-wal", "-shm"):
        Path(started.hook.ledger + rest).unlink(missing_ok=True)
    shutil.copy(empty, started.hook.ledger)
    return started


class TestThroughTheHooksOfAnAgent:
    def test_a_search_is_recorded_and_its_repeat_is_refused(self, agent):
        first = agent.search("peat bog restoration", PAGES)
        assert (first.ran, first.shown, first.notes) == (True, "the results", [])
        again = agent.search("restoration of a peat bog", PAGES, session="session-2")
        assert not again.ran
        assert again.shown.startswith("DUPLICATE - already covered: #1 peat bog restoration  [")
        assert "https://example.com/peat/0" in again.shown
        assert agent.gems() == ["peat bog restoration"]
        assert agent.states() == ["recorded", "refused"]
        private = agent.rows(
            "SELECT visibility, origin, agent, session, project FROM gems UNION ALL"
            " SELECT visibility, origin, agent, session, project FROM rejections"
        )
        where = ("private", "hook", agent.name)
        assert private == [
            (*where, "session-1", "/home/dev/kiln"),
            (*where, "session-2", "/home/dev/kiln"),
        ]

    def test_a_reworded_repeat_is_noticed_by_its_sources_and_teaches_nothing(self, agent):
        agent.search("peat bog restoration", PAGES)
        reworded = agent.search("rewetting drained moorland", PAGES, session="session-2")
        assert (reworded.ran, reworded.shown) == (True, "the results")
        heard = agent.name != "cursor"  # which has no ear after a call
        assert len(reworded.notes) == heard
        assert agent.gems() == ["peat bog restoration", "rewetting drained moorland"]
        stored = "SELECT signal, enforced, gem_id FROM rejections"
        assert agent.rows(stored) == [("sources", 0, 1)]
        assert agent.rows("SELECT count(*) FROM wordings") == [(0,)]

    def test_a_failed_search_covers_nothing(self, agent):
        call = agent.call("peat bog restoration")
        agent.step({"before": call.before(), "after": call.failed()})
        assert agent.states() == ["failed"]
        again = agent.search("peat bog restoration", PAGES, session="session-2")
        assert again.ran
        assert agent.gems() == ["peat bog restoration"]

    def test_a_search_that_finds_nothing_covers_nothing(self, agent):
        agent.search("left-handed peat spade museum", [])
        assert agent.states() == ["empty"]
        assert agent.search("left-handed peat spade museum", PAGES, "session-2").ran

    def test_identical_searches_at_once_in_one_session_make_one_gem(self, agent):
        calls = [agent.call("peat bog restoration") for _ in range(2)]
        seen = agent.step(
            *({"before": call.before(), "after": call.after(PAGES)} for call in calls)
        )
        assert [one.ran for one in seen] == [True, True]
        assert [one.shown for one in seen] == ["the results", "the results"]
        assert agent.gems() == ["peat bog restoration"]
        assert sorted(agent.states()) == ["recorded", "refused"]
        if agent.name != "cursor":
            (note,) = [note for one in seen for note in one.notes]
            assert note.startswith("gemsearch: not recorded again, already covered: #1 peat bog")

    def test_a_search_under_way_in_another_session_is_pending(self, agent):
        first, second = agent.call("peat bog restoration"), agent.call("peat bog restoration", "2")
        assert agent.step({"before": first.before()})[0].ran
        (seen,) = agent.step({"before": second.before()})
        assert not seen.ran
        assert seen.shown.startswith("PENDING - being searched now: peat bog restoration  [")
        assert agent.rows("SELECT count(*) FROM rejections") == [(0,)]
        agent.step({"after": first.after(PAGES)})
        assert agent.states() == ["recorded"]

    def test_results_without_a_call_before_are_recorded(self, agent):
        agent.step({"after": agent.call("peat bog restoration").after(PAGES)})
        assert agent.gems() == ["peat bog restoration"]
        assert agent.states() == ["recorded"]

    def test_the_same_call_twice_is_one_where_calls_have_numbers(self, agent):
        call = agent.call("peat bog restoration")
        events = {"before": call.before(), "again": call.before()}
        events |= {"after": call.after(PAGES), "once more": call.after(PAGES)}
        (seen,) = agent.step(events)
        assert seen.ran
        assert agent.gems() == ["peat bog restoration"]
        if agent.name in NUMBERED:
            assert agent.states() == ["recorded"]
            assert seen.notes == []
            assert agent.rows("SELECT count(*) FROM rejections") == [(0,)]
        refused = agent.call("restoration of a peat bog", "session-2")
        (seen,) = agent.step({"before": refused.before()})
        again = agent.step({"before": refused.before()})[0]
        assert (seen.ran, seen.shown) == (again.ran, again.shown) == (False, again.shown)
        if agent.name in NUMBERED:
            assert agent.rows("SELECT count(*) FROM rejections") == [(1,)]


@pytest.mark.parametrize("name", AGENTS)
def test_a_reworded_repeat_is_hidden_and_learned_when_the_source_gate_denies(new_hook, name):
    agent = Agent(name, new_hook, "--source-mode", "deny")
    agent.search("peat bog restoration", PAGES)
    reworded = agent.search("rewetting drained moorland", PAGES, session="session-2")
    if name != "cursor":
        assert "DUPLICATE - results already covered: #1 peat bog" in reworded.shown
    again = agent.search("moorland drained rewetting", OTHERS, session="session-3")
    assert not again.ran
    assert "(learned from rejection #1)" in again.shown
    assert agent.gems() == ["peat bog restoration"]
    agent.close()
