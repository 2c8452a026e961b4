"""A second run reads only what is new, and nothing twice."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from gemsearch.history.collecting import size_of
from gemsearch.history.finding import found
from gemsearch.history.model import Source
from gemsearch.toolcalls.answers import MISSING, OK
from tests.history import logs
from tests.history.logs import copied_home, mined, told


def ask(call_id, topic, second=0):
    block = {"type": "tool_use", "id": call_id, "name": "WebSearch", "input": {"query": topic}}
    time = f"2026-10-03T08:00:{second:02}Z"
    return json.dumps({"type": "assistant", "sessionId": "s", "timestamp": time,
                       "message": {"content": [block]}}) + "\n"  # fmt: skip


def answer(call_id):
    text = 'Links: [{"title":"t","url":"https://a.example/"}]'
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return json.dumps({"type": "user", "message": {"content": [block]}}) + "\n"


FILLER = json.dumps({"type": "user", "message": {"content": "x" * 100}}) + "\n"


class Log:
    def __init__(self, path):
        self.path = path
        self.marks = {}

    def append(self, *lines):
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(lines))

    def mined(self):
        calls, history = mined(Source("claude-code", str(self.path)), marks=self.marks)
        self.marks = self.marks | history.marks
        return told(calls), history.bytes


@pytest.fixture
def log(tmp_path):
    return Log(tmp_path / "a.jsonl")


def test_what_was_read_is_not_read_again(log):
    log.append(ask("t1", "one"), answer("t1"), FILLER * 1000)
    assert log.mined()[0] == [("t1", "one", OK, 1)]
    assert log.mined() == ([], 0)
    log.append(ask("t2", "two"), answer("t2"))
    found, size = log.mined()
    assert found == [("t2", "two", OK, 1)]
    assert size < 1000


def test_a_call_without_its_result_is_read_again_until_it_comes(log):
    log.append(ask("t1", "one"), answer("t1"), FILLER * 1000, ask("t2", "two"), FILLER)
    assert log.mined()[0] == [("t1", "one", OK, 1), ("t2", "two", MISSING, 0)]
    log.append(FILLER)
    assert log.mined()[0] == [("t2", "two", MISSING, 0)]
    log.append(answer("t2"))
    found, size = log.mined()
    assert found == [("t2", "two", OK, 1)]
    assert size < 2000
    log.append(FILLER)
    assert log.mined() == ([], len(FILLER))


def test_a_line_that_is_being_written_waits_for_the_next_run(log):
    line = ask("t1", "one")
    log.append(line[:-20])
    assert log.mined()[0] == []
    log.append(line[-20:])
    assert log.mined()[0] == [("t1", "one", MISSING, 0)]


def test_a_last_line_that_only_lacks_its_end_is_read_once(log):
    log.append(ask("t1", "one"), answer("t1").rstrip("\n"))
    assert log.mined()[0] == [("t1", "one", OK, 1)]
    log.append("\n", ask("t2", "two"), answer("t2"))
    assert log.mined()[0] == [("t2", "two", OK, 1)]


@pytest.mark.parametrize("length", [10, 5000])
def test_a_new_log_of_the_same_name_is_read_from_its_beginning(log, length):
    log.append(FILLER * 30, ask("t1", "one"), answer("t1"))
    log.mined()
    log.path.write_text(ask("t2", "two") + answer("t2") + FILLER * length, encoding="utf-8")
    assert log.mined()[0] == [("t2", "two", OK, 1)]


def test_a_log_that_was_replaced_by_a_longer_copy_is_read_from_its_beginning(log):
    log.append(ask("t1", "one"), answer("t1"))
    log.mined()
    copy = log.path.with_suffix(".new")
    shutil.copyfile(log.path, copy)
    os.replace(copy, log.path)
    log.append(ask("t2", "two"), answer("t2"))
    assert [call_id for call_id, *_ in log.mined()[0]] == ["t1", "t2"]


def test_a_mark_that_makes_no_sense_is_no_mark(log):
    log.append(ask("t1", "one"), answer("t1"))
    log.mined()
    for fingerprint in ("", "nonsense", "1-2-3-4-5", "-" * 9):
        marks = {name: mark._replace(fingerprint=fingerprint) for name, mark in log.marks.items()}
        calls, _ = mined(Source("claude-code", str(log.path)), marks=marks)
        assert len(calls) == 1


def test_a_second_run_over_all_agents_finds_nothing_new(tmp_path):
    home = copied_home(tmp_path)
    sources = found({}, str(home))
    calls, first = mined(*sources)
    assert size_of(sources) > 40_000
    again, second = mined(*sources, marks=first.marks)
    assert len(calls) == 49
    assert {call.answer.status for call in again} <= {MISSING, OK}
    assert [call for call in again if call.agent != "opencode"] == []
    assert size_of(sources, first.marks) < size_of(sources) / 2
    assert second.files < 10, "the files that hold a session each are not opened again"


@pytest.mark.parametrize("reader", ["codex", "pi", "copilot"])
def test_a_log_that_says_once_whose_it_is_is_read_on_in_that_name(tmp_path, reader):
    sources = logs.at_home(reader, copied_home(tmp_path))
    _, first = mined(*sources)
    session, ending = SESSIONS[reader]
    (path,) = (path for path in first.marks if path.endswith(ending))
    with open(path, "a", encoding="utf-8") as file:
        file.write(NEW[reader] + "\n")
    calls, _ = mined(*sources, marks=first.marks)
    assert (calls[-1].topic, calls[-1].session) == ("one more", session)
    assert calls[-1].project.startswith("/home/kai/")


NEW = {
    "codex": '{"timestamp":"2026-10-20T00:00:00Z","type":"response_item","payload":{"type":'
    '"web_search_call","id":"ws_new","status":"completed","action":{"type":"search",'
    '"query":"one more"}}}',
    "pi": '{"type":"message","id":"e9","timestamp":"2026-10-20T00:00:00Z","message":'
    '{"role":"assistant","content":[{"type":"toolCall","id":"tc9","name":"web_search",'
    '"arguments":{"query":"one more"}}]}}',
    "copilot": '{"id":"v9","timestamp":"2026-10-20T00:00:00Z","type":"tool.execution_start","data":'
    '{"toolCallId":"tc9","toolName":"web_search_exa","arguments":{"query":"one more"}}}',
}  # fmt: skip
SESSIONS = {
    "codex": ("0199b7c8-1111-7222-8333-94445555aaaa", "aaaa.jsonl"),
    "pi": ("a1a1a1a1-0000-4000-8000-000000000001", "_a.jsonl"),
    "copilot": ("8f8f8f8f-0000-4000-8000-000000000009", "events.jsonl"),
}


def test_a_database_is_read_on_from_its_last_row(tmp_path):
    path = logs.agentsview(tmp_path / "sessions.db")
    source = Source("agentsview", str(path))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM tool_calls WHERE tool_use_id LIKE '%-d4'")  # never answered
    _, first = mined(source)
    assert mined(source, marks=first.marks)[1].files == 0
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO tool_calls (session_id, tool_name, tool_use_id, input_json)"
            " VALUES (?, 'WebSearch', 'toolu_new', ?)",
            (logs.POND, '{"query":"new"}'),
        )
    calls, second = mined(source, marks=first.marks)
    assert told(calls) == [("toolu_new", "new", MISSING, 0)]
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE tool_calls SET result_content = 'https://a.example/'"
                   " WHERE tool_use_id = 'toolu_new'")  # fmt: skip
    calls, _ = mined(source, marks=second.marks)
    assert told(calls) == [("toolu_new", "new", OK, 1)]


def test_a_part_of_opencode_that_was_running_is_read_again_when_it_is_done(tmp_path):
    path = logs.opencode(tmp_path / "opencode.db")
    source = Source("opencode", str(path))
    _, first = mined(source)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "UPDATE part SET time_updated = 1791000099999, data = replace(data, ?, ?)"
            " WHERE id = 'prt_05'",
            ('"status": "running"', '"output": "https://a.example/", "status": "completed"'),
        )
    calls, _ = mined(source, marks=first.marks)
    assert ("call_oc05", "kite line drag", OK, 1) in told(calls)
    assert len(calls) < 3
