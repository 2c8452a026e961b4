"""What each reader finds in invented logs of the documented shapes: exactly these calls."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gemsearch.history.model import Source
from gemsearch.toolcalls.answers import DENIED, EMPTY, FAILED, MISSING, OK
from tests.history import logs
from tests.history.logs import at_home, mined, told


def test_claude_code():
    """With a fork, a subagent, a search of the API's own, denials, errors and a cut-off line."""
    calls, history = mined(*at_home("claude-code"))
    assert told(calls) == [
        ("toolu_01Liner", "koi pond liner thickness site:koi.example site:pond.example", OK, 3),
        ("toolu_03Brave", "pond pump flow rate", OK, 2),
        ("srvtoolu_07", "pond uv lamp lifetime", OK, 1),
        ("toolu_08Denied", "Koi Pond Liner Thickness", DENIED, 0),
        ("toolu_09Text", "barley straw algae evidence", OK, 2),
        ("toolu_10None", "left-handed pond skimmer", EMPTY, 0),
        ("toolu_11Api", "pond ice vent", FAILED, 0),
        ("toolu_14Sh", "pond netting mesh", OK, 1),
        ("toolu_15Cut", "pond fish winter feeding", MISSING, 0),
        ("toolu_18Sub", "pond filter media", OK, 1),
        ("toolu_19Sub", "pond filter backwash", MISSING, 0),
        ("toolu_17Heron", "heron deterrent pond -site:shop.example", OK, 1),
    ]
    assert (history.own, history.fetches, history.repeated) == (2, 1, 1)
    assert history.skipped == {"bad line": 1, "unfinished line": 1}
    first = calls[0]
    assert first.session == logs.POND, "a subagent's and a fork's calls are their parent's"
    assert first.time == datetime(2026, 10, 3, 8, 0, 1, tzinfo=UTC)
    assert (first.agent, first.project) == ("claude-code", "/home/kai/pond")
    assert first.answer.results[0].title == "Liner [EPDM] thickness"


def test_codex():
    """Hosted searches told by one or two lines, with and without ids; namespaces; a fork."""
    calls, history = mined(*at_home("codex"))
    assert told(calls) == [
        ("ws_0c1", "bow screw thread", MISSING, 0),
        ("", "bow screw thread", MISSING, 0),
        ("", "fingerboard planing", MISSING, 0),
        ("ws_0a1", "violin rosin dark light", MISSING, 0),
        ("ws_0a1", "rosin hardness scale", MISSING, 0),
        ("call_exa1", "bow rehair interval", OK, 2),
        ("call_exa2", "violin peg compound", OK, 1),
        ("call_web1", "cello endpin length", OK, 1),
        ("call_web1", "endpin carbon site:strings.example", OK, 1),
        ("call_sh1", "cello wolf note", FAILED, 0),
        ("ws_0b1", "violin mute types", FAILED, 0),
    ]
    assert [call.topic_no for call in calls if call.call_id == "ws_0a1"] == [0, 1]
    assert (history.own, history.fetches, history.repeated) == (2, 1, 3)
    assert history.skipped == {"search without a topic": 1, "compressed log": 1}
    assert calls[3].project == '/home/kai/violin/"bows"', "a turn may be in a folder of its own"


def test_gemini():
    """Messages written twice, sets, a rewind, a subagent; the older form as one document."""
    calls, history = mined(*at_home("gemini"))
    assert told(calls) == [
        ("gws-9", "tram ticket punch", OK, 1),
        ("google_web_search-1759752002-a1", "tram gauge history", OK, 2),
        ("google_web_search-1759752006-b2", "tram bell pitch", FAILED, 0),
        ("google_web_search-1759752008-c3", "left-handed tram driver", EMPTY, 0),
        ("google_web_search-1759752008-d4", "tram depot closed", FAILED, 0),
        ("google_web_search-1759752030-e5", "tram overhead wire", OK, 1),
        ("mcp-1", "tram sand dispenser", OK, 1),
    ]
    assert (history.own, history.fetches, history.repeated) == (0, 1, 0)
    assert not history.skipped
    assert [call.project for call in calls] == [None, *["/home/kai/trams"] * 6]
    assert calls[-1].session.startswith("77aa0000")


OPENCODE = [
    ("call_oc01", "kite spar material", OK, 1),
    ("call_oc02", "kite spar material carbon", DENIED, 0),
    ("call_oc05", "kite line drag", MISSING, 0),
]


def test_opencode_in_files():
    calls, history = mined(*at_home("opencode"))
    assert told(calls) == OPENCODE
    assert (history.own, history.fetches) == (1, 1)
    assert {(call.session, call.project) for call in calls} == {("ses_old1", "/home/kai/kites")}


def test_opencode_in_its_database(tmp_path):
    calls, history = mined(Source("opencode", str(logs.opencode(tmp_path / "opencode.db"))))
    assert told(calls) == OPENCODE
    assert (history.own, history.fetches) == (1, 1)
    assert {(call.session, call.project) for call in calls} == {("ses_old1", "/home/kai/kites")}
    assert calls[0].time == datetime(2026, 10, 3, 4, 0, tzinfo=UTC)


def test_pi():
    """Its searches are commands; what a person ran is no call; both branches count."""
    calls, history = mined(*at_home("pi"))
    assert told(calls) == [
        ("tc1", "sourdough proofing time", OK, 1),
        ("tc2", "sourdough proofing time", FAILED, 0),
    ]
    assert history.own == 1
    assert {call.project for call in calls} == {"/home/kai/bread"}


def test_omp():
    """A failure that only its details tell, a denial, and an id that recurs in another file."""
    calls, history = mined(*at_home("omp"))
    assert told(calls) == [
        ("tc1", "sourdough proofing time", OK, 1),
        ("tc2", "rye malt colour", FAILED, 0),
        ("tc3", "Sourdough Proofing Time", DENIED, 0),
        ("tc1", "sourdough proofing time", MISSING, 0),
    ]
    assert history.repeated == 0
    assert calls[0].session != calls[3].session


def test_copilot():
    """Tools by message and by event, a provider's own search, the older flat file."""
    calls, history = mined(*at_home("copilot"))
    assert told(calls) == [
        ("tooluse_Xa1", "varroa oxalic timing", OK, 1),
        ("tooluse_Xa3", "varroa count method", DENIED, 0),
        ("ws_9f", "hive scale accuracy", MISSING, 0),
        ("tooluse_Old1", "queen marking colour", OK, 1),
    ]
    assert (history.fetches, history.repeated) == (1, 0)
    assert [call.project for call in calls] == [*["/home/kai/bees"] * 3, None]
    assert calls[3].session == "old-flat"


def test_llm(tmp_path):
    """A result stands in a later response; an exception is a failure."""
    calls, history = mined(Source("llm", str(logs.llm(tmp_path / "logs.db"))))
    assert told(calls) == [
        ("tc_1", "sundial latitude", OK, 1),
        ("tc_2", "sundial motto", FAILED, 0),
        ("tc_4", "sundial noon mark", MISSING, 0),
    ]
    assert calls[0].time == datetime(2026, 10, 10, 15, tzinfo=UTC)
    assert not history.skipped


def test_goose(tmp_path):
    calls, history = mined(Source("goose", str(logs.goose(tmp_path / "sessions.db"))))
    assert told(calls) == [
        ("call-1", "gnomon angle", OK, 1),
        ("call-2", "gnomon angle", FAILED, 0),
    ]
    assert history.own == 1
    assert calls[0].project == "/home/kai/dials"


VIEWED = [
    ("toolu_01Liner", "koi pond liner thickness site:koi.example site:pond.example", OK, 1),
    ("toolu_08Denied", "Koi Pond Liner Thickness", DENIED, 0),
    ("toolu_14Sh", "pond netting mesh", OK, 1),
    ("toolu_18Sub", "pond filter media", OK, 1),
    ("call_exa2", "violin peg compound", OK, 1),
    ("call_web1", "cello endpin length", OK, 0),
    ("call_web1", "endpin carbon site:strings.example", OK, 0),
    ("call_any", "cello strap", OK, 1),
    ("google_web_search-1759752002-a1", "tram gauge history", OK, 1),
    ("google_web_search-1759752008-d4", "tram depot closed", MISSING, 0),
]


@pytest.mark.parametrize("age", ["v0.17.0", "0.46.1"])
def test_agentsview_with_answers(tmp_path, age):
    """In answers kept inline and as events; sessions that a person deleted stay out."""
    calls, history = mined(Source("agentsview", str(logs.agentsview(tmp_path / "s.db", age))))
    assert told(calls) == VIEWED
    assert (history.own, history.fetches) == (2, 1)
    assert {call.agent for call in calls} == {"claude-code", "codex", "gemini"}
    newest = age == "0.46.1"
    sessions = {call.session.partition("-")[0] for call in calls}
    assert sessions == {"5b1e0c9a", "0199a1b2", "1f2e3d4c"} | (set() if newest else {"agent"})
    assert calls[0].project == ("/home/kai/pond" if newest else "tramway")
    assert calls[-1].project == "tramway", "where no folder is kept, its name for the project is"


def test_agentsview_before_it_kept_answers(tmp_path):
    calls, history = mined(Source("agentsview", str(logs.agentsview(tmp_path / "s.db", "v0.5.0"))))
    in_doubt = [("call_own2", "cello endpin length"), ("call_mem", "cello")]
    assert {(call.call_id, call.topic) for call in calls} == {
        *((call_id, topic) for call_id, topic, *_ in VIEWED),
        *in_doubt,
    }
    assert {call.answer.status for call in calls} == {MISSING}
    assert history.own == 1


def test_agentsview_in_its_oldest_form_has_nothing_but_names_and_arguments(tmp_path):
    path = logs.agentsview(tmp_path / "s.db", "tool_name and input_json alone")
    calls, _ = mined(Source("agentsview", str(path)))
    assert len(calls) == 12
    assert [call.agent for call in calls if call.topic.startswith(("koi", "tram"))] == [
        "claude-code",
        "gemini",
        "gemini",
    ]
    assert {call.time for call in calls} == {None}
    by_query, _ = mined(Source("sql", str(path), "SELECT tool_name, input_json FROM tool_calls"))
    assert {call.topic for call in by_query} <= {call.topic for call in calls}
    assert len(by_query) == 10, "of a run of Codex only its arguments tell, which is agentsview's"
