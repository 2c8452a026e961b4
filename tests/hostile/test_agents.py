"""Hostile text on its way to an agent: hook answers, MCP answers, and what logs become.

What a model is told are our own sentences; text of others stands behind them as data, on one line,
and a hook tells at most 600 characters.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module

import pytest

from gemsearch import errors
from gemsearch.agents import deciding, texts
from gemsearch.agents.answering import ADAPTERS
from gemsearch.agents.event import Decision
from gemsearch.agents.mcp_server import calls
from gemsearch.core.model import Caller
from tests.agents.hooked import AGENTS, Call, Hook
from tests.datasette.markup import Page
from tests.hostile import ledgers
from tests.hostile.calling import call
from tests.hostile.corpus import INPUTS, SHARP, part
from tests.hostile.counted import TRIED
from tests.hostile.inert import alarms, as_json, is_forbidden, is_forged, texts_in
from tests.hostile.parts import parts
from tests.hostile.test_commands import stored_topics
from tests.hostile.test_front_door import unclean

# A hook may leave a child that indexes, and ends before it; this process does not end.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def answered(payload, agent, ledger, *modes):
    """What the hook would print, decided within this process."""
    TRIED["hook answers"] += 1
    adapter = import_module(f"gemsearch.agents.adapters.{ADAPTERS[agent]}")
    event = adapter.event_of(payload)
    if event is None:
        return adapter.answer_to(Decision(), None)
    event = event._replace(agent=agent)
    _, topics = deciding.searched_for(event)
    decision = Decision()
    if topics:
        asked = deciding.Asked(event, topics, str(ledger), *(modes or ("", "")), NOW, note_nothing)
        with suppress(errors.GemsearchError):
            decision = deciding.decide(asked)
    return adapter.answer_to(decision, event)


def note_nothing(problem):
    """The log has tests of its own."""


def assert_inert(answer):
    """ASCII JSON whose texts are short and hold our own lines only."""
    if not answer:
        return
    assert answer.isascii()
    for text in texts_in(as_json(answer.strip())):
        assert len(text) <= texts.LONGEST
        assert not [char for char in text if char != "\n" and is_forbidden(char)]
        assert not [line for line in text.split("\n") if is_forged(line)]


@parts(11)
@pytest.mark.parametrize("agent", AGENTS)
def test_a_hook_repeats_a_stored_topic_as_one_line_of_data(step, agent, entered):
    topics = stored_topics(entered)
    ledgers.respoil(entered)
    refused = 0
    for topic in part(step, len(agent), topics).values():
        answer = answered(Call(agent, topic).before(), agent, entered)
        assert_inert(answer)
        refused += "DUPLICATE" in answer
    # What can't be an argument of a shell, or can't be refused by an agent's design, is let pass.
    assert refused > 80 / step or agent in {"copilot", "cursor", "pi"}


@parts(16)
@pytest.mark.parametrize("agent", AGENTS)
def test_whatever_an_agent_sends_is_answered_and_stored_clean(step, agent, home):
    ledger = home / "gems.db"
    for number, text in enumerate(part(step, AGENTS.index(agent) * 2).values()):
        sent = Call(agent, f"canary{number} {text[:200]}", text[:900], text[:900])
        pages = [(text, f"https://a.example/{number}"), (text, text[:3000])]
        for payload in (sent.before(), sent.after(pages), sent.failed()):
            assert_inert(answered(payload, agent, ledger))
        odd = Call(agent, text, text, text, tool=text[:300])
        for payload in (odd.before(), odd.after(pages)):
            assert_inert(answered(payload | {"cwd": text, "tool_input": text}, agent, ledger))
    assert ledger.exists() or agent == "cursor"
    if ledger.exists():
        assert unclean(ledger) == set()
        gems = as_json(call("gems", "--limit", "1000", "--json").out)
        assert {gem["visibility"] for gem in gems} <= {"private"}
        ran = call("publish", "edition/gems.db", "--yes", "--include-history")
        assert (ran.code, "nothing to publish" in ran.err) == (1, True)


@parts(5)
@pytest.mark.parametrize("agent", AGENTS)
def test_results_that_are_held_back_are_named_without_their_text(step, agent, home):
    ledger = home / "gems.db"
    for text in part(step, AGENTS.index(agent), SHARP).values():
        pages = [(text, f"https://a.example/{place}") for place in range(3)]
        for number, modes in (("1", ("", "")), ("2", ("warn", "warn")), ("3", ("deny", "deny"))):
            topic = {"1": "canary alpha", "2": "sparrow beta", "3": "heron gamma"}[number]
            sent = Call(agent, topic, f"{number}{text[:50]}", number)
            assert_inert(answered(sent.before(), agent, ledger, *modes))
            assert_inert(answered(sent.after(pages), agent, ledger, *modes))


def test_the_real_hook_tells_a_hostile_refusal_and_its_log_holds_no_topic(entered, home):
    topics = stored_topics(entered)
    ledgers.respoil(entered)
    hook = Hook(home)
    for agent, topic in zip(AGENTS, [*topics.values()][::26], strict=False):
        ran = hook(Call(agent, topic).before(), agent)
        assert (ran.code, ran.err) == (0, "")
        assert_inert(ran.out)
    for text in [*SHARP.values()][::5]:
        hook(text.encode("utf-8", "surrogatepass"), "claude-code")
    logged = "\n".join(hook.logged())
    assert logged
    assert not alarms(logged)
    assert "canary" not in logged


# MCP


def ask(tool, ledger, **arguments):
    TRIED["MCP answers"] += 1
    setup = calls.Setup(str(ledger), timeout=5.0)
    asked = calls.Call(tool, arguments, Caller("mcp", "claude-code", "s"), setup, lambda: None)
    return calls.answer(asked)


def assert_clean(answer):
    for line in answer.lines:
        assert not any(map(is_forbidden, set(line))), line
        assert not is_forged(line)
        assert len(line.splitlines()) <= 1
    written = json.dumps(answer.values)
    assert not [text for text in texts_in(as_json(written)) if any(map(is_forbidden, set(text)))]


@parts(22)
def test_an_mcp_answer_holds_stored_text_as_clean_lines(step, entered):
    topics = stored_topics(entered)
    ledgers.respoil(entered)
    for number, topic in part(step, 0, topics).items():
        for tool in ("check", "explain", "search"):
            assert_clean(ask(tool, entered, topic=topic))
        assert_clean(ask("recent", entered, gem=number))
    assert_clean(ask("recent", entered, limit=50))


@parts(30)
def test_whatever_a_client_sends_is_answered_in_clean_lines(step, home):
    ledger = home / "gems.db"
    for text in part(step).values():
        for tool in ("check", "explain", "search", "record"):
            results = [{"url": text[:3000], "title": text, "snippet": text}, text[:3000]]
            more = {"results": results} if tool == "record" else {}
            assert_clean(ask(tool, ledger, topic=text, **more))
            assert_clean(ask(tool, ledger, topic=f"canary {text[:300]}", **more))
        assert_clean(ask("recent", ledger, words=text))
    assert unclean(ledger) == set()


# Histories


def history(home):
    """Calls of agents as they stand in logs of one's own, with an input in each field."""
    lines = []
    for number, text in enumerate(INPUTS.values()):
        row = {
            "topic": f"canary {number // 3} {text[:150]}",
            "urls": [text[:2000], "https://a.example/1", f"https://a.example/{number // 2}"],
            "session": text[:300],
            "time": f"2026-05-{number % 28 + 1:02}T09:00:00Z",
            "project": text[:300],
            "agent": text[:300],
        }
        lines += [json.dumps(row), json.dumps(row | {"time": text[:40], "urls": text[:99]})]
    home.joinpath("calls.jsonl").write_text("\n".join(lines))
    fields = "topic=topic,urls=urls,session=session,time=time,project=project,agent=agent"
    return ("mine", "--source", "jsonl", "--path", "calls.jsonl", "--fields", fields)


def test_a_report_on_hostile_logs_is_plain_lines_json_and_an_inert_page(home):
    run = history(home)
    ran = call(*run, "--html", "report.html")
    assert ran.code == 0, ran.err
    assert not ran.alarms
    page = Page(home.joinpath("report.html").read_text("utf-8"))
    assert not page.alarming
    assert not [text for _, text in page.text if [c for c in text if is_forbidden(c) and c != "\n"]]
    report = call(*run, "--json")
    assert not [text for text in texts_in(as_json(report.out)) if any(map(is_forbidden, set(text)))]


def test_a_hostile_history_enters_the_ledger_clean_and_private(home):
    ran = call(*history(home), "--into-ledger")
    assert ran.code == 0, ran.err
    assert not ran.alarms
    assert unclean(home / "gems.db") <= {"history_files.path"}
    gems = as_json(call("gems", "--limit", "1000", "--json").out)
    assert len(gems) > 50
    assert {gem["visibility"] for gem in gems} == {"private"}
    assert call("publish", "edition/gems.db", "--yes", "--include-history").code == 1


@parts(20)
@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "opencode", "llm"])
def test_a_log_of_anything_is_read_or_left_out(step, name, home):
    for text in part(step, len(name)).values():
        home.joinpath("log").write_bytes(text.encode("utf-8", "surrogatepass"))
        ran = call("mine", "--source", name, "--path", "log")
        assert ran.code in {0, 1, 5}
        assert not ran.alarms
