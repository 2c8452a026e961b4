"""agentsview's database of many agents' sessions, of any age: the columns are looked up.

What it does not keep: searches that an API runs itself, and the servers of Codex's tools. There
`run` is a search if its arguments say so. A mere `search` may be of anything: it is gemsearch's own
or a web search if its answer says so; a database too old to keep answers leaves no doubt to clear.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.history.readers.base import Told, calls_of, instant, text
from gemsearch.history.readers.database import database_paths, opened_database
from gemsearch.toolcalls import answers, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemsearch.history.readers.base import Asked, Call, Reading
    from gemsearch.history.readers.database import Opened
    from gemsearch.toolcalls.answers import Answer

NAME = "agentsview"

_AGENTS = {"claude": "claude-code"}  # all others are named alike
_OF_TOOLS = {"WebSearch": "claude-code", "google_web_search": "gemini"}
_OURS = re.compile(r"NOVEL - recorded as #\d|DUPLICATE - |PENDING - ")
_LONGEST = 2_000_000  # characters of an answer
_MINE = "ev.session_id = tc.session_id AND ev.tool_use_id = tc.tool_use_id"


class _Row(NamedTuple):
    number: int
    tool: str
    arguments: str | None
    session: str | None
    call_id: str | None
    agent: str | None
    project: str | None
    time: str | None
    answer: str | None
    failed: int


def paths(reading: Reading, root: str) -> Iterator[str]:
    return database_paths(reading, root, lambda name: name == "sessions.db")


def calls(reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001 - one shape
    with opened_database(reading, path) as database:
        if database is None:
            return
        columns = database.columns("tool_calls")
        if "tool_name" not in columns:
            reading.skip("no table of tool calls", path)
            return
        if "input_json" not in columns:
            reading.skip("database too old: it keeps no topics", path)
            return
        first_open = None
        for row in _rows(reading, database, columns):
            answer = answers.answer_of(row.answer, failed=bool(row.failed))
            asked = _asked(reading, row, answer, told_at_all="result_content" in columns)
            if asked is None:
                continue
            if asked.kind == names.SEARCH and answer.status == answers.MISSING:
                first_open = first_open or row.number
            yield from calls_of(asked, row.call_id or "", _told(database, row), answer)
        highest = database.connection.execute("SELECT max(rowid) FROM tool_calls").fetchone()[0]
        database.mark(first_open - 1 if first_open else highest or 0)


def _asked(reading: Reading, row: _Row, answer: Answer, *, told_at_all: bool) -> Asked | None:
    arguments = row.arguments or ""
    server = "web" if row.tool == "run" and '"search_query"' in arguments else ""
    asked = reading.asked(row.tool, arguments, server)
    if asked is None or row.tool != "search":
        return asked
    if _OURS.match(row.answer or ""):
        return asked._replace(kind=names.OWN)
    return asked if answer.results or not told_at_all else None


def _told(database: Opened, row: _Row) -> Told:
    agent = row.agent or ""
    return Told(
        _AGENTS.get(agent, agent) or _OF_TOOLS.get(row.tool, "unknown"),
        text(row.session).removeprefix(f"{agent}:"),
        instant(row.time),
        row.project or None,
        NAME,
        database.place(row.number),
    )


def _rows(reading: Reading, database: Opened, columns: frozenset[str]) -> Iterator[_Row]:
    def is_wanted(tool: bytes | None, arguments: bytes | None) -> bool:
        name = (tool or b"").decode("utf-8", "replace")
        if names.is_shell(name) or name == "run":
            return reading.hint.search(arguments or b"") is not None
        return reading.kind_of(name) != names.OTHER

    database.connection.create_function("is_wanted", 2, is_wanted)
    statement = _statement(_columns(database, columns))
    for row in database.connection.execute(statement, (database.after,)):
        yield _Row(*row)


class _Columns(NamedTuple):
    """What this database has of the tables that tell of a call.

    A table that can't be joined to its calls has nothing.
    """

    calls: frozenset[str]
    messages: frozenset[str]
    sessions: frozenset[str]
    events: frozenset[str]

    def of(self, table: str, name: str) -> str:
        columns = {"tc": self.calls, "ms": self.messages, "se": self.sessions}[table]
        return f"{table}.{name}" if name in columns else "NULL"


def _columns(database: Opened, calls: frozenset[str]) -> _Columns:
    messages, sessions = database.columns("messages"), database.columns("sessions")
    events = database.columns("tool_result_events")
    both = {"session_id", "tool_use_id"}
    return _Columns(
        calls,
        messages if "id" in messages and "message_id" in calls else frozenset(),
        sessions if "id" in sessions and "session_id" in calls else frozenset(),
        events if both | {"content"} <= events and both <= calls else frozenset(),
    )


def _statement(has: _Columns) -> str:
    """The query for what this database has; what it lacks is NULL."""
    joins = " LEFT JOIN messages AS ms ON ms.id = tc.message_id" if has.messages else ""
    joins += " LEFT JOIN sessions AS se ON se.id = tc.session_id" if has.sessions else ""
    hidden = " AND se.deleted_at IS NULL" if "deleted_at" in has.sessions else ""
    cwd, project = has.of("se", "cwd"), has.of("se", "project")
    when, started = has.of("ms", "timestamp"), has.of("se", "started_at")
    return (
        f"SELECT tc.rowid, tc.tool_name, tc.input_json, {_session(has)},"
        f" {has.of('tc', 'tool_use_id')}, {has.of('se', 'agent')},"
        f" coalesce(nullif({cwd}, ''), {project}), coalesce(nullif({when}, ''), {started}),"
        f" {_answer(has)}, {_failed(has)}"
        f" FROM tool_calls AS tc{joins} WHERE tc.rowid > ?"
        " AND is_wanted(CAST(tc.tool_name AS BLOB), CAST(tc.input_json AS BLOB))"
        f"{hidden} ORDER BY tc.rowid"
    )


def _session(has: _Columns) -> str:
    """A subagent of Claude Code has a session of its own here, in the logs its parent's."""
    own, parent = has.of("tc", "session_id"), has.of("se", "parent_session_id")
    return (
        f"CASE WHEN {own} GLOB 'agent-*' THEN coalesce(nullif({parent}, ''), {own}) ELSE {own} END"
    )


def _answer(has: _Columns) -> str:
    inline = f"substr({has.of('tc', 'result_content')}, 1, {_LONGEST})"
    if not has.events:
        return inline
    return (
        f"coalesce(nullif({inline}, ''), (SELECT substr(group_concat(content, char(10)), 1,"
        f" {_LONGEST}) FROM (SELECT ev.content FROM tool_result_events AS ev WHERE {_MINE}"
        " ORDER BY ev.rowid)))"
    )


def _failed(has: _Columns) -> str:
    if "status" not in has.events:
        return "0"
    return (
        f"EXISTS (SELECT 1 FROM tool_result_events AS ev WHERE {_MINE} AND ev.status = 'errored')"
    )
