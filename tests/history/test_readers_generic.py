"""Logs of any program: JSON lines by field names, databases by a query of the user's own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from gemsearch.errors import WrongCall
from gemsearch.history.model import Source
from gemsearch.toolcalls.answers import EMPTY, FAILED, MISSING, OK
from tests.history.logs import mined, told

TIME = "2026-10-03T08:00:00+02:00"


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_usual_names_are_found_by_themselves(tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        {"query": "sundial", "urls": ["https://a.example/", "https://b.example/"], "session": "s1",
         "ts": TIME, "agent": "robot", "cwd": "/home/kai", "id": 7},
        {"topic": "gnomon", "results": [{"url": "https://a.example/", "title": "A"}]},
        {"q": "motto", "urls": [], "timestamp": 1790000000},
        {"queries": ["noon mark", "solar time"], "status": "error"},
        {"query": "equation of time"},
    )  # fmt: skip
    calls, history = mined(Source("jsonl", path))
    assert sorted(told(calls)) == sorted([
        ("7", "sundial", OK, 2),
        ("", "gnomon", OK, 1),
        ("", "motto", EMPTY, 0),
        ("", "noon mark", FAILED, 0),
        ("", "solar time", FAILED, 0),
        ("", "equation of time", MISSING, 0),
    ])  # fmt: skip
    first = next(call for call in calls if call.topic == "sundial")
    assert first.time == datetime(2026, 10, 3, 6, tzinfo=UTC)
    assert (first.agent, first.session, first.project) == ("robot", "s1", "/home/kai")
    assert not history.skipped


def test_names_of_fields_can_be_said(tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        {"query": "not this", "ask": {"text": "sundial"}, "found.links": ["https://a.example/"],
         "chat": "s1", "at": TIME},
    )  # fmt: skip
    how = "topic=ask.text, urls=found.links, session=chat, time=at"
    calls, _ = mined(Source("jsonl", path, how))
    assert told(calls) == [("", "sundial", OK, 1)]
    assert (calls[0].session, calls[0].time.hour) == ("s1", 6)


def test_rows_of_tool_calls_are_judged_by_tool_and_arguments(tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        {"tool": "WebSearch", "input": {"query": "sundial", "allowed_domains": ["a.example"]}},
        {"tool": "bash", "input": '{"command": "gemsearch search sundial"}'},
        {"tool": "Grep", "input": {"query": "sundial"}},
    )
    calls, history = mined(Source("jsonl", path))
    assert told(calls) == [("", "sundial site:a.example", MISSING, 0)]
    assert history.own == 1
    assert not history.skipped


def test_lines_without_a_topic_are_counted(tmp_path):
    path = lines(tmp_path / "a.jsonl", {"query": None}, {"other": 1}, {"query": "sundial"})
    calls, history = mined(Source("jsonl", path))
    assert (len(calls), history.skipped) == (1, {"line without a topic": 2})


@pytest.mark.parametrize("how", ["topic", "topic=", "=x", "nonsense=x", "topic=a,,url"])
def test_a_field_that_does_not_exist_is_a_wrong_call(tmp_path, how):
    path = lines(tmp_path / "a.jsonl", {"query": "sundial"})
    with pytest.raises(WrongCall, match="does not name a field") as caught:
        mined(Source("jsonl", path, how))
    assert "topic" in caught.value.hint


def test_other_names_for_the_fields_are_another_reading_of_the_file(tmp_path):
    path = lines(tmp_path / "a.jsonl", {"a": "sundial", "b": "gnomon"})
    _, first = mined(Source("jsonl", path, "topic=a"))
    assert told(mined(Source("jsonl", path, "topic=a"), marks=first.marks)[0]) == []
    calls, _ = mined(Source("jsonl", path, "topic=b"), marks=first.marks)
    assert [call.topic for call in calls] == ["gnomon"]


def test_a_log_read_from_the_middle_does_not_tell_its_first_line_again(tmp_path):
    path = lines(tmp_path / "a.jsonl", {"query": "sundial"})
    _, first = mined(Source("jsonl", path))
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"query": "gnomon"}')
    calls, _ = mined(Source("jsonl", path), marks=first.marks)
    assert [call.topic for call in calls] == ["gnomon"]


@pytest.fixture
def searches(tmp_path):
    path = tmp_path / "searches.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE searches (id INTEGER PRIMARY KEY, words, found, chat, at)")
        rows = [
            ("sundial", '["https://a.example/"]', "s1", TIME),
            ("gnomon", None, "s1", 1790000000123),
        ]
        db.executemany("INSERT INTO searches (words, found, chat, at) VALUES (?, ?, ?, ?)", rows)
    return str(path)


QUERY = "SELECT id, words AS topic, found AS urls, chat AS session, at AS time FROM searches"


def test_a_database_is_read_by_a_query_whose_columns_are_named_as_fields(searches):
    calls, _ = mined(Source("sql", searches, QUERY))
    assert told(calls) == [("2", "gnomon", MISSING, 0), ("1", "sundial", OK, 1)]
    assert {call.session for call in calls} == {"s1"}
    assert calls[0].time.year == 2026


def test_an_unchanged_database_is_not_read_again_by_the_same_query(searches):
    _, first = mined(Source("sql", searches, QUERY))
    assert mined(Source("sql", searches, QUERY), marks=first.marks)[1].files == 0
    assert mined(Source("sql", searches, QUERY + " WHERE id = 1"), marks=first.marks)[1].files == 1


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM searches",
        "UPDATE searches SET words = 'x'",
        "DROP TABLE searches",
        "PRAGMA journal_mode = DELETE",
        "ATTACH '{path}.new' AS other",
        "SELECT 1; DROP TABLE searches",
        "SELECT load_extension('x')",
        "VACUUM INTO '{path}.new'",
        "SELECT nonsense FROM searches",
        "nonsense",
    ],
)
def test_a_query_that_does_more_than_read_is_a_wrong_call(searches, query, tmp_path):
    with open(searches, "rb") as file:
        before = file.read()
    with pytest.raises(WrongCall, match="query can't be run"):
        mined(Source("sql", searches, query.format(path=searches)))
    with open(searches, "rb") as file:
        assert file.read() == before
    assert [path.name for path in tmp_path.iterdir()] == ["searches.sqlite"]


def test_a_database_without_a_query_is_a_wrong_call(searches):
    with pytest.raises(WrongCall, match="needs a query"):
        mined(Source("sql", searches))


def test_a_reader_that_does_not_exist_is_a_wrong_call():
    with pytest.raises(WrongCall, match="no reader 'nonsense'") as caught:
        mined(Source("nonsense", "/nowhere"))
    assert "claude-code" in caught.value.hint


def test_a_person_can_name_tools_and_scripts_of_their_own(tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        {"sessionId": "s", "message": {"content": [
            {"type": "tool_use", "id": "t1", "name": "Lookup", "input": {"query": "sundial"}},
            {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"cmd": "find-it gnomon"}},
        ]}},
    )  # fmt: skip
    source = Source("claude-code", path)
    assert mined(source)[0] == []
    calls, _ = mined(source, searches=frozenset({"Lookup"}), scripts=frozenset({"find-it"}))
    assert [call.topic for call in calls] == ["sundial", "gnomon"]


def test_what_was_read_is_told_for_a_progress_bar(tmp_path):
    path = lines(tmp_path / "a.jsonl", *[{"query": f"topic {n}"} for n in range(1000)])
    read = []
    _, history = mined(Source("jsonl", path), on_bytes=read.append)
    assert sum(read) == history.bytes == (tmp_path / "a.jsonl").stat().st_size
