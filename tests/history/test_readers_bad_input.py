"""Logs that are broken, hostile or being written: counted, never fatal, and never touched."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gemsearch
from gemsearch.history.collecting import collected, size_of
from gemsearch.history.finding import READERS, found
from gemsearch.history.model import Source
from gemsearch.history.readers import database
from gemsearch.history.readers.base import Reading
from tests.history import logs
from tests.history.logs import copied_home, mined, told

CALL = (
    '{"type":"assistant","sessionId":"s","timestamp":"2026-10-03T08:00:00Z","message":{"content":'
    '[{"type":"tool_use","id":"%s","name":"WebSearch","input":{"query":"%s"}}]}}\n'
)


def call(call_id, topic="pond"):
    return (CALL % (call_id, topic)).encode()


def read(path):
    calls, history = mined(Source("claude-code", str(path)))
    return [one.call_id for one in calls], dict(history.skipped)


def snapshot(root):
    """Every file below a folder with its bytes and the time of its last change."""
    return {
        path: (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in Path(root).rglob("*")
    }


class TestLines:
    def test_bad_lines_are_counted_and_the_others_read(self, tmp_path):
        log = tmp_path / "a.jsonl"
        lines = [
            call("t1"),
            b"{broken\n",
            b"no json\n",
            b"\n",
            b'{"type":"assistant" "tool_use" "search"}\n',
            b"[1, 2]\n",
            call("t2").replace(b"pond", b"p\xffnd"),
            b'{"tool_use": "search", "deep": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
            b"\0" * 300 + b"\n",
            call("t3").replace(b"\n", b"\r\n"),
            b'{"message": {"content": [{"type": "tool_use", "id": 7, "name": ["search"]}]}}\n',
        ]
        log.write_bytes(b"".join(lines))
        ids, skipped = read(log)
        assert ids == ["t1", "t3"]
        assert skipped == {"bad line": 6, "line not in UTF-8": 1}

    def test_a_byte_order_mark_is_no_harm(self, tmp_path):
        log = tmp_path / "a.jsonl"
        log.write_bytes(b"\xef\xbb\xbf" + call("t1") + call("t2"))
        assert read(log) == (["t1", "t2"], {})

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_a_log_that_is_not_utf8_is_counted(self, tmp_path, encoding):
        log = tmp_path / "a.jsonl"
        log.write_bytes(call("t1").decode().encode(encoding))
        assert read(log) == ([], {"not UTF-8 text": 1})

    def test_a_line_of_fifty_megabytes_is_neither_read_nor_held(self, tmp_path):
        log = tmp_path / "a.jsonl"
        with log.open("wb") as file:
            file.write(call("t1"))
            file.write(call("t2")[:-2] + b" " * 50_000_000 + b"}\n")
            file.write(call("t3"))
            file.write(b'{"tool_use": "search' + b"x" * 20_000_000)
        script = r"""
            import re, sys
            from gemsearch.history.collecting import collected
            from gemsearch.history.model import Source
            with collected([Source("claude-code", sys.argv[1])]) as history:
                print([call.call_id for call in history.calls], dict(history.skipped))
            with open("/proc/self/status") as status:
                print(re.search(r"VmHWM:\s*(\d+) kB", status.read())[1])
        """
        if sys.platform != "linux":
            pytest.skip("no /proc to ask for the memory used")
        done = run_python(script, str(log))
        said, peak = done.stdout.splitlines()
        assert said == "['t1', 't3'] {'line too long': 1, 'unfinished line': 1}"
        assert int(peak) < 110_000, "kilobytes"

    def test_an_empty_log_has_no_calls(self, tmp_path):
        log = tmp_path / "a.jsonl"
        log.touch()
        assert read(log) == ([], {})

    def test_a_document_that_is_broken_or_too_long_is_counted(self, tmp_path):
        chats = tmp_path / "p" / "chats"
        chats.mkdir(parents=True)
        (chats / "session-a.json").write_text('{"messages": [', encoding="utf-8")
        (chats / "session-b.json").write_text(" " * 16_000_001, encoding="utf-8")
        (chats / "session-c.json").write_text("[]", encoding="utf-8")
        calls, history = mined(Source("gemini", str(tmp_path)))
        assert calls == []
        assert history.skipped == {"bad file": 1, "file too long": 1}


def run_python(script, *arguments, **how):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        env={"PYTHONPATH": str(Path(gemsearch.__file__).parent.parent), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        **how,
    )


class TestTree:
    def test_links_pipes_and_sockets_are_not_followed_or_waited_for(self, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "secret.jsonl").write_bytes(call("secret"))
        root = tmp_path / "projects"
        (root / "p").mkdir(parents=True)
        (root / "p" / "a.jsonl").write_bytes(call("t1"))
        (root / "p" / "loop").symlink_to(root)
        (root / "p" / "out").symlink_to(outside)
        (root / "p" / "link.jsonl").symlink_to(outside / "secret.jsonl")
        (root / "p" / "dead.jsonl").symlink_to(tmp_path / "nothing")
        os.mkfifo(root / "p" / "pipe.jsonl")
        with socket.socket(socket.AF_UNIX) as made:
            name = f"{os.path.relpath(root)}/p/socket.jsonl"  # a socket's name must be short
            made.bind(name)
            ids, skipped = read(root)
        assert ids == ["t1"]
        assert skipped == {"symbolic link": 4, "not a regular file": 1, "unreadable file": 1}

    def test_a_root_that_is_a_link_is_read(self, tmp_path):
        real = tmp_path / "dotfiles"
        real.mkdir()
        (real / "a.jsonl").write_bytes(call("t1"))
        (tmp_path / "projects").symlink_to(real)
        assert read(tmp_path / "projects") == (["t1"], {})

    def test_a_folder_without_end_is_left(self, tmp_path):
        deep = tmp_path.joinpath(*["d"] * 40)
        deep.mkdir(parents=True)
        (deep / "a.jsonl").write_bytes(call("t1"))
        assert read(tmp_path) == ([], {"folder too deep": 1})

    def test_a_name_that_is_no_text_can_be_marked(self, tmp_path):
        name = os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff.jsonl")
        try:
            Path(name).write_bytes(call("t1"))
        except OSError:
            pytest.skip("this file system has no such names")
        calls, history = mined(Source("claude-code", str(tmp_path)))
        assert [one.call_id for one in calls] == ["t1"]
        assert all(mark.encode("utf-8") for mark in history.marks)
        size_of([Source("claude-code", str(tmp_path))], history.marks)

    def test_what_may_not_be_read_is_counted(self, tmp_path):
        """As another user, because root may read anything."""
        root = tmp_path / "projects"
        (root / "open").mkdir(parents=True)
        (root / "open" / "a.jsonl").write_bytes(call("t1"))
        (root / "open" / "b.jsonl").write_bytes(call("t2"))
        (root / "open" / "b.jsonl").chmod(0)
        (root / "shut").mkdir(mode=0)
        script = """
            import os, sys
            from gemsearch.history.collecting import collected
            from gemsearch.history.model import Source
            if os.geteuid() == 0:
                os.setuid(65534)
            with collected([Source("claude-code", sys.argv[1])]) as history:
                print([call.call_id for call in history.calls], sorted(history.skipped.items()))
        """
        for folder in (tmp_path, *tmp_path.parents):
            if folder == Path(tempfile.gettempdir()):
                break
            folder.chmod(folder.stat().st_mode | 0o111)
        done = run_python(script, str(root))
        assert done.stdout.strip() == "['t1'] [('unreadable file', 1), ('unreadable folder', 1)]"

    def test_no_history_at_all_is_nothing(self, tmp_path):
        assert found({}, str(tmp_path)) == []
        calls, history = mined()
        assert (calls, history.files, dict(history.skipped)) == ([], 0, {})

    @pytest.mark.parametrize("reader", READERS)
    def test_a_place_that_does_not_exist_is_counted(self, tmp_path, reader):
        calls, history = mined(Source(reader, str(tmp_path / "nothing"), "SELECT 1"
                                      if reader == "sql" else ""))  # fmt: skip
        assert (calls, sum(history.skipped.values())) == ([], 1)


class TestNothingIsTouched:
    def test_no_log_and_no_database_is_changed_and_nothing_is_left_beside_them(self, tmp_path):
        home = copied_home(tmp_path)
        before = snapshot(home)
        calls, history = mined(*found({}, str(home)))
        assert len(calls) == 49
        mined(*found({}, str(home)), marks=history.marks)
        assert snapshot(home) == before

    @pytest.mark.parametrize("left", [("-wal",), ("-wal", "-shm")])
    def test_the_log_of_a_program_that_crashed_is_read_and_kept(self, tmp_path, left):
        """With a write-ahead log that nobody has put into the database yet."""
        path = logs.agentsview(tmp_path / "sessions.db")
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA wal_autocheckpoint = 0")
            db.execute("INSERT INTO tool_calls (tool_name, tool_use_id, input_json, session_id)"
                       " VALUES ('WebSearch', 'toolu_wal', '{\"query\":\"in the log\"}', ?)",
                       (logs.POND,))  # fmt: skip
            for ending in ("", *left):
                shutil.copy(f"{path}{ending}", crashed / f"sessions.db{ending}")
        long_ago = 1_700_000_000
        for file in crashed.iterdir():
            os.utime(file, (long_ago, long_ago))
        before = snapshot(crashed)
        calls, _ = mined(Source("agentsview", str(crashed)))
        assert ("toolu_wal", "in the log", "missing", 0) in told(calls)
        assert snapshot(crashed) == before


class TestDatabases:
    def test_a_database_that_is_being_written_is_read_as_of_its_last_commit(self, tmp_path):
        """A writer that never rests, as a server would be: many small commits meanwhile."""
        path = logs.agentsview(tmp_path / "sessions.db")
        stop = threading.Event()

        def write():
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                number = 0
                while not stop.wait(0.01):
                    number += 1
                    db.execute("INSERT INTO messages (timestamp) VALUES ('x')")
                    began.set()
                written.append(number)

        began, written = threading.Event(), []
        writer = threading.Thread(target=write)
        writer.start()
        try:
            assert began.wait(10)
            calls, history = mined(Source("agentsview", str(path)))
        finally:
            stop.set()
            writer.join()
        assert len(calls) == 10
        assert not history.skipped
        assert written[0] > 1
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    def test_a_locked_database_is_counted(self, tmp_path, monkeypatch):
        monkeypatch.setattr(database, "_BUSY_SECONDS", 0.05)
        path = logs.llm(tmp_path / "logs.db")
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            calls, history = mined(Source("llm", str(path)))
        assert (calls, dict(history.skipped)) == ([], {"locked database": 1})
        assert not history.marks, "the next run tries again"

    def test_a_database_that_changes_while_it_is_read_is_read_again_next_time(self, tmp_path):
        path = logs.agentsview(tmp_path / "sessions.db")
        os.utime(path, (1_700_000_000, 1_700_000_000))
        reading = Reading()
        with database.opened_database(reading, str(path)) as opened:
            opened.connection.execute("SELECT count(*) FROM tool_calls").fetchone()
            opened.mark(99)
            with closing(sqlite3.connect(path)) as db, db:
                db.execute("UPDATE messages SET timestamp = NULL")
        assert dict(reading.skipped) == {"database changed while it was read": 1}
        assert not reading.new_marks
        assert len(mined(Source("agentsview", str(path)))[0]) == 10

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "unreadable database"),
            (b"not a database at all, but long enough to look at" * 10, "unreadable database"),
            (b"SQLite format 3\0" + b"\xff" * 5000, "unreadable database"),
        ],
    )
    @pytest.mark.parametrize("reader", ["agentsview", "llm", "goose", "opencode"])
    def test_what_is_no_database_is_counted(self, tmp_path, reader, content, reason):
        path = tmp_path / "sessions.db"
        path.write_bytes(content)
        calls, history = mined(Source(reader, str(path)))
        assert (calls, dict(history.skipped)) == ([], {reason: 1})
        assert path.read_bytes() == content

    def test_a_damaged_database_is_counted(self, tmp_path):
        path = logs.agentsview(tmp_path / "sessions.db")
        content = bytearray(path.read_bytes())
        content[4096:] = b"\xa5" * (len(content) - 4096)
        path.write_bytes(bytes(content))
        calls, history = mined(Source("agentsview", str(path)))
        assert (calls, dict(history.skipped)) == ([], {"unreadable database": 1})

    @pytest.mark.parametrize(
        ("reader", "reason"),
        [
            ("agentsview", "no table of tool calls"),
            ("llm", "no table of tool calls"),
            ("goose", "no table of messages"),
            ("opencode", "no table of parts"),
        ],
    )
    def test_a_database_of_something_else_is_counted(self, tmp_path, reader, reason):
        path = tmp_path / "x.db"
        with closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE other (a)")
        calls, history = mined(Source(reader, str(path)))
        assert (calls, dict(history.skipped)) == ([], {reason: 1})

    def test_an_agentsview_from_before_it_kept_arguments_says_so(self, tmp_path):
        path = tmp_path / "sessions.db"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE tool_calls (id, message_id, session_id, tool_name, category)")
            db.execute("INSERT INTO tool_calls (tool_name) VALUES ('WebSearch')")
        calls, history = mined(Source("agentsview", str(path)))
        assert calls == []
        assert history.skipped == {"database too old: it keeps no topics": 1}

    def test_odd_values_in_a_database_are_no_error(self, tmp_path):
        path = logs.agentsview(tmp_path / "sessions.db")
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("INSERT INTO tool_calls (tool_name, input_json, session_id, result_content)"
                       " VALUES (CAST(x'ff576562' AS TEXT), 7, 3.5, x'00ff'),"
                       " ('WebSearch', CAST(x'7bff7d' AS TEXT), NULL, NULL),"
                       " ('WebSearch', '{\"query\": 7}', 5, 5), (NULL, NULL, NULL, NULL),"
                       " ('WebSearch', x'7b7d', x'00', x'00')")  # fmt: skip
        assert len(mined(Source("agentsview", str(path)))[0]) == 10


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(
        ["WebSearch", "web_search", "bash", "tool_use", "tool_result", "function_call", "toolCall",
         "toolResult", "web_search_call", "web_search_end", "open_page", "search", "t1", "tool",
         "completed", "session_meta", "session", "2026-10-03T08:00:00Z", '{"query": "a"}',
         "toolRequest", "toolResponse", "tool.execution_start", "tool.execution_complete"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(
            ["type", "message", "content", "id", "name", "input", "tool_use_id", "toolUseResult",
             "payload", "call_id", "action", "query", "queries", "arguments", "output", "role",
             "toolCallId", "toolCalls", "args", "status", "result", "messages", "$set", "data",
             "toolRequests", "serverTools", "items", "state", "tool", "callID", "timestamp",
             "sessionId", "time", "start", "details", "results", "cwd", "toolCall", "value"]
        ),
        inner, max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip
LINES = {
    "claude-code": "search tool_use tool_result",
    "codex": 'search _call" web_search_end',
    "gemini": "search toolCalls",
    "pi": "search toolCall toolResult",
    "copilot": "search toolRequests tool.execution_complete",
    "jsonl": "",
}
OUTER = (
    "type message payload data toolCalls $set messages query id timestamp sessionId results tool"
    " input".split()
)

FEW = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class TestAnything:
    @pytest.mark.parametrize("reader", LINES)
    @FEW
    @given(values=st.lists(st.dictionaries(st.sampled_from(OUTER), VALUES, max_size=6), max_size=6))
    def test_any_json_in_a_log_is_no_error(self, tmp_path, reader, values):
        log = tmp_path / "session-a.jsonl"
        hint = {word: word for word in LINES[reader].split()}
        log.write_text("".join(json.dumps(hint | value) + "\n" for value in values), "utf-8")
        with collected([Source(reader, str(log))]) as history:
            assert all(isinstance(one.topic, str) for one in history.calls)

    @FEW
    @given(content=st.binary(max_size=400), reader=st.sampled_from(READERS[:-1]))
    def test_any_bytes_in_a_file_are_no_error(self, tmp_path, content, reader):
        path = tmp_path / "session-a.jsonl"
        path.write_bytes(content)
        with collected([Source(reader, str(path))]) as history:
            assert list(history.calls) == []

    @FEW
    @given(value=VALUES, reader=st.sampled_from(["opencode", "goose"]))
    def test_any_json_in_a_database_is_no_error(self, tmp_path, value, reader):
        path = tmp_path / "any.db"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE IF NOT EXISTS part (id, session_id, data, time_updated)")
            db.execute("CREATE TABLE IF NOT EXISTS messages"
                       " (session_id, content_json, created_timestamp)")  # fmt: skip
            text = json.dumps({"type": "tool", "hint": "search toolRequest", "state": value})
            db.execute("INSERT INTO part VALUES ('p', 's', ?, 1)", (text,))
            db.execute("INSERT INTO messages VALUES ('s', ?, 1)", (json.dumps([value, "toolRe"]),))
        with collected([Source(reader, str(path))]) as history:
            assert all(isinstance(one.topic, str) for one in history.calls)
