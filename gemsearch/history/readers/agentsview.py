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
    for row in database.connection.execute(_statement(database, columns), (database.after,)):
        yield _Row(*row)


def _statement(database: Opened, calls: frozenset[str]) -> str:
    """The query for what this database has; what it lacks is NULL."""
    messages, sessions = database.columns("messages"), database.columns("sessions")
    events = database.columns("tool_result_events")

    def column(table: str, name: str, columns: frozenset[str]) -> str:
        return f"{table}.{name}" if name in columns else "NULL"

    joins = ""
    if {"id", "timestamp"} <= messages and "message_id" in calls:
        joins += " LEFT JOIN messages AS ms ON ms.id = tc.message_id"
    else:
        messages = frozenset()
    if "id" in sessions and "session_id" in calls:
        joins += " LEFT JOIN sessions AS se ON se.id = tc.session_id"
    else:
        sessions = frozenset()
    told = f"substr({column('tc', 'result_content', calls)}, 1, {_LONGEST})"
    failed = "0"
    if {"session_id", "tool_use_id", "content"} <= events and {
        "session_id",
        "tool_use_id",
    } <= calls:
        mine = "ev.session_id = tc.session_id AND ev.tool_use_id = tc.tool_use_id"
        told = (
            f"coalesce(nullif({told}, ''), (SELECT substr(group_concat(content, char(10)), 1,"
            f" {_LONGEST}) FROM (SELECT ev.content FROM tool_result_events AS ev WHERE {mine}"
            " ORDER BY ev.rowid)))"
        )
        if "status" in events:
            failed = (
                f"EXISTS (SELECT 1 FROM tool_result_events AS ev WHERE {mine}"
                " AND ev.status = 'errored')"
            )
    hidden = " AND se.deleted_at IS NULL" if "deleted_at" in sessions else ""
    cwd, project = column("se", "cwd", sessions), column("se", "project", sessions)
    when, started = column("ms", "timestamp", messages), column("se", "started_at", sessions)
    return (
        "SELECT tc.rowid, tc.tool_name, tc.input_json,"
        f" {column('tc', 'session_id', calls)}, {column('tc', 'tool_use_id', calls)},"
        f" {column('se', 'agent', sessions)}, coalesce(nullif({cwd}, ''), {project}),"
        f" coalesce(nullif({when}, ''), {started}), {told}, {failed}"
        f" FROM tool_calls AS tc{joins}"
        " WHERE tc.rowid > ?"
        " AND is_wanted(CAST(tc.tool_name AS BLOB), CAST(tc.input_json AS BLOB))"
        f"{hidden} ORDER BY tc.rowid"
    )
