"""All agents' histories together, told more than once: each call counts once, as told best."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from gemsearch.core.model import Result
from gemsearch.history.calls import Calls
from gemsearch.history.finding import found
from gemsearch.history.model import OtherCall, SearchCall
from gemsearch.toolcalls import names
from gemsearch.toolcalls.answers import DENIED, FAILED, MISSING, OK, Answer
from tests.history.logs import copied_home, mined

NOW = datetime(2026, 10, 3, 8, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    home = copied_home(tmp_path_factory.mktemp("mixed"))
    return mined(*found({}, str(home)))


def test_every_call_counts_once(mixed):
    calls, history = mixed
    assert Counter(call.agent for call in calls) == {
        "claude-code": 12,
        "codex": 12,
        "gemini": 7,
        "omp": 4,
        "copilot": 4,
        "opencode": 3,
        "llm": 3,
        "pi": 2,
        "goose": 2,
    }
    keys = Counter((call.agent, call.call_id, call.topic) for call in calls)
    assert [key for key, count in keys.items() if count > 1] == [
        ("omp", "tc1", "sourdough proofing time")  # two sessions, one local id
    ]
    assert (history.own, history.fetches) == (7, 5)
    assert history.repeated == 21


def test_what_several_sources_tell_is_told_best(mixed):
    calls, _ = mixed
    told = {(call.agent, call.call_id): call for call in calls if call.topic_no == 0}
    assert len(told["claude-code", "toolu_01Liner"].answer.results) == 3, "agentsview has one"
    assert told["gemini", "google_web_search-1759752008-d4"].answer.status == FAILED
    assert told["codex", "call_web1"].answer.status == OK
    assert told["opencode", "call_oc02"].answer.status == DENIED
    assert told["codex", "call_any"].source == "agentsview", "it alone knows this call"


def test_calls_come_in_the_order_of_time(mixed):
    calls, _ = mixed
    times = [call.time for call in calls]
    assert times == sorted(times)


def call(**told):
    made = SearchCall("codex", "s1", "id-1", "rosin", Answer(MISSING), NOW)
    return made._replace(**told)


def once(*calls):
    kept = Calls()
    for one in calls:
        kept.add(one)
    try:
        return list(kept), kept.repeated, kept.count(names.OWN)
    finally:
        kept.close()


FOUND = Answer(OK, (Result("https://a.example/"),))


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"session": "fork"},
        {"time": NOW + timedelta(minutes=5)},
        {"time": None, "session": ""},
        {"source": "agentsview", "time": NOW + timedelta(milliseconds=400), "session": "agent-7"},
    ],
)
def test_one_call_told_twice_is_one(other):
    calls, repeated, _ = once(call(), call(answer=FOUND, **other))
    assert [(one.answer, one.time) for one in calls] == [(FOUND, NOW)]
    assert repeated == 1


@pytest.mark.parametrize(
    "other",
    [
        {"topic": "Rosin"},
        {"agent": "omp"},
        {"call_id": "id-2"},
        {"session": "s2", "time": NOW + timedelta(minutes=5)},
    ],
)
def test_calls_that_differ_are_two(other):
    calls, repeated, _ = once(call(), call(**other))
    assert (len(calls), repeated) == (2, 0)


def test_without_an_id_the_session_time_and_topic_tell_calls_apart():
    same = call(call_id="")
    calls, repeated, _ = once(same, same, same._replace(session="s2"))
    assert (len(calls), repeated) == (2, 1)


def test_without_id_and_time_each_place_is_a_call_of_its_own():
    bare = call(call_id="", time=None, place="a:1")
    calls, repeated, _ = once(bare, bare._replace(place="a:2"), bare)
    assert (len(calls), repeated) == (2, 1)


def test_a_call_of_ours_stays_ours_whatever_another_source_takes_it_for():
    own = OtherCall(names.OWN, "codex", "s1", "id-1", "rosin", NOW)
    for order in ([own, call(answer=FOUND)], [call(answer=FOUND), own]):
        calls, _, count = once(*order)
        assert (calls, count) == ([], 1)


def test_a_later_telling_adds_the_time_and_the_folder_that_the_first_lacked():
    calls, _, _ = once(call(time=None), call(project="/home/kai"), call(project="/elsewhere"))
    assert [(one.time, one.project) for one in calls] == [(NOW, "/home/kai")]


def test_text_that_no_database_holds_is_kept_all_the_same():
    odd = call(topic="half \ud800 a pair", session="\udfff", answer=FOUND, call_id="\ud83d")
    assert once(odd)[0] == [odd]
