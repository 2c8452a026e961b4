"""Any log of JSON lines by the names of its fields, any database by a query of the user's own."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from gemsearch.core.text import clean_line
from gemsearch.errors import WrongCall
from gemsearch.history.readers.base import Asked, Told, calls_of, instant, mapping, text
from gemsearch.history.readers.database import database_paths, opened_database
from gemsearch.history.readers.files import opened_log, walk
from gemsearch.toolcalls import answers, names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.history.readers.base import Call, Reading

# What can be told of a call, and under which names it is looked for if nobody says.
_FIELDS = {
    "topic": ("topic", "query", "q", "queries"),
    "results": ("results", "urls", "links", "result", "result_content", "output", "response"),
    "session": ("session", "session_id", "sessionId", "conversation_id"),
    "time": ("time", "ts", "timestamp", "created", "created_at", "datetime", "date"),
    "agent": ("agent",),
    "project": ("project", "cwd"),
    "id": ("id", "call_id", "tool_use_id", "tool_call_id", "callID"),
    "status": ("status", "error"),
    "tool": ("tool", "tool_name", "name"),
    "input": ("input", "input_json", "arguments", "args"),
}
_ALIASES = {"urls": "results", "query": "topic", "call_id": "id"}
_FAILED = frozenset({"error", "failed", "failure", "errored", "cancelled", "timeout"})
_MISTAKES = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_AUTH})  # of the query
_UNKNOWN = "unknown"


def json_paths(reading: Reading, root: str) -> Iterator[str]:
    return walk(reading, root, lambda path: path.endswith((".jsonl", ".ndjson")))


def calls_in_json(reading: Reading, path: str, how: str = "") -> Iterator[Call]:
    """`how` are names: `topic=query,urls=links`; a dot leads into an object, as in `message.id`."""
    fields = _fields(how)
    with opened_log(reading, path, how) as log:
        if log is None:
            return
        for start, line in log.lines():
            found = log.parsed(start, line)
            if found is not None:
                row = {name: _first(found, places) for name, places in fields.items()}
                yield from _calls_in(reading, row, "jsonl", log.place(start))


def sql_paths(reading: Reading, root: str) -> Iterator[str]:
    return database_paths(reading, root, lambda name: name.endswith((".db", ".sqlite", ".sqlite3")))


def calls_by_query(reading: Reading, path: str, how: str = "") -> Iterator[Call]:
    """`how` is one SELECT whose columns are named as the fields are: topic, urls, session, time.

    A call told as `tool_name, input_json` is judged by these.
    """
    if not how.strip():
        raise WrongCall(
            "a database needs a query",
            hint="Such as: SELECT topic, urls, session, time FROM searches.",
        )
    with opened_database(reading, path, how) as database:
        if database is None:
            return
        database.connection.set_authorizer(_only_reading)
        number = 0
        try:
            cursor = database.connection.execute(how)
            columns = [column[0] for column in cursor.description or ()]
            for number, values in enumerate(cursor, start=1):
                found = dict(zip(columns, values, strict=True))
                row = {name: _first(found, places) for name, places in _FIELDS.items()}
                yield from _calls_in(reading, row, "sql", database.place(number))
        except (sqlite3.DatabaseError, sqlite3.Warning) as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) not in _MISTAKES:
                raise
            raise WrongCall(
                f"the query can't be run: {clean_line(str(error), 200)}",
                hint="One SELECT that only reads.",
            ) from error
        finally:
            database.connection.set_authorizer(None)
        database.mark(number, how)


def _fields(how: str) -> dict[str, tuple[str, ...]]:
    fields = dict(_FIELDS)
    for part in filter(None, how.split(",")):
        name, found, place = (piece.strip() for piece in part.partition("="))
        name = _ALIASES.get(name, name)
        if not found or not place or name not in _FIELDS:
            raise WrongCall(
                f"{clean_line(part, 80)!r} does not name a field",
                hint=f"Write topic=NAME,urls=NAME; fields: {', '.join(_FIELDS)}.",
            )
        fields[name] = (place,)
    return fields


def _first(found: Mapping[str, object], places: tuple[str, ...]) -> object:
    for place in places:
        value: object = found
        if place in found:
            value = found[place]
        else:
            for step in place.split("."):
                value = mapping(value).get(step)
        if value not in (None, ""):
            return value
    return None


def _calls_in(
    reading: Reading, row: Mapping[str, object], source: str, place: str
) -> Iterator[Call]:
    asked = _asked(reading, row)
    if asked is None:
        if row["topic"] is None and row["tool"] is None:
            reading.skip("line without a topic", place)
        return
    told = Told(
        text(row["agent"]) or _UNKNOWN,
        _name(row["session"]),
        instant(row["time"]),
        text(row["project"]) or None,
        source,
        place,
    )
    failed = text(row["status"]).lower() in _FAILED
    yield from calls_of(
        asked, _name(row["id"]), told, answers.answer_of(row["results"], failed=failed)
    )


def _asked(reading: Reading, row: Mapping[str, object]) -> Asked | None:
    if row["topic"] is None:
        return reading.asked(text(row["tool"]), row["input"])
    topic = row["topic"]
    topics = topic if isinstance(topic, list) else [topic]
    found = tuple(one for one in topics if isinstance(one, str) and one.strip())
    return Asked(names.SEARCH, found) if found else None


def _name(value: object) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _only_reading(action: int, *_: object) -> int:
    allowed = {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
    return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY
