"""The whole ledger as JSON lines, and back again.

Written is what can't be derived: signatures, days, counts and canonical keys are made anew on the
way in. Lines stand in order of time, so that sources are met again in the order in which they came.
"""

from __future__ import annotations

import heapq
import json
import re
import sqlite3
from typing import TYPE_CHECKING, Any

from gemsearch.batch import parsed
from gemsearch.care import shape
from gemsearch.care.forgetting import UNFINISHED
from gemsearch.core.results import as_results, sources_by_rank
from gemsearch.core.signature import sign
from gemsearch.core.text import clean_line, clean_topic, topic_problem
from gemsearch.errors import LedgerError, WrongCall
from gemsearch.ledger import migrations, reading, settings, words, writing
from gemsearch.ledger.connection import inserted, path_of, write_transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_GEM = ("id", "topic", "provider", "agent", "session", "project", "origin", "created", "reason")
_GEM_COLUMNS = (*_GEM, "visibility")
_REJECTION_COLUMNS = (
    *("id", "topic", "gate", "signal", "score", "threshold", "gem_id", "shared", "smaller"),
    *("profile", "enforced", "forced_gem_id", "provider", "agent", "session", "project"),
    *("origin", "created", "marked", "mark_reason", "visibility"),
)
_SEARCH_COLUMNS = (
    *("id", "agent", "session", "call_id", "topic_no", "project", "topic", "state", "provider"),
    *("error", "lease_until", "answer", "gem_id", "rejection_id", "created", "origin"),
)
_HISTORY_COLUMNS = ("path", "position", "fingerprint", "read_at")

# The kinds of lines that are rows: their table and the columns that they bring.
_KINDS = {
    "gem": ("gems", _GEM_COLUMNS),
    "rejection": ("rejections", _REJECTION_COLUMNS),
    "search": ("searches", _SEARCH_COLUMNS),
    "history_file": ("history_files", _HISTORY_COLUMNS),
}
_NAMES = {"provider", "agent", "session", "project", "call_id", "reason", "mark_reason", "error"}
_TIMES = {"created", "expires", "lease_until"}
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_OWN_SETTING = re.compile(r"ledger\.uuid|merged\.[0-9a-f-]{36}")

_LONGEST_SETTING = 1000
_A_TIME = shape.Column((str,), may_be_missing=False)
NO_LINE = (
    *(KeyError, TypeError, ValueError, AttributeError),
    *(RecursionError, WrongCall, sqlite3.IntegrityError),
)

Line = dict[str, Any]


def exported(connection: sqlite3.Connection) -> Iterator[Line]:
    """Every line of an export, within the caller's snapshot."""
    yield {
        "type": "ledger",
        "version": migrations.VERSION,
        "settings": settings.everything(connection),
        "last_ids": dict(connection.execute("SELECT name, seq FROM sqlite_sequence")),
    }
    yield from heapq.merge(_gems(connection), _rejections(connection), key=_when)
    yield from _rows(connection, "search", "searches", _SEARCH_COLUMNS)
    yield from _rows(connection, "history_file", "history_files", _HISTORY_COLUMNS)


def restore(connection: sqlite3.Connection, texts: Iterable[str]) -> int:
    """Put an export into an empty ledger, all or nothing; gives the number of gems."""
    return restore_lines(connection, parsed(texts))


def restore_lines(connection: sqlite3.Connection, lines: Iterable[tuple[int, Line]]) -> int:
    """The same from lines that were read already, each with its number."""
    gems = 0
    with write_transaction(connection):
        _refuse_a_full_ledger(connection)
        connection.execute("PRAGMA defer_foreign_keys = ON")  # a refusal may name a later gem
        for number, line in lines:
            try:
                gems += _restore_line(connection, checked(line))
            except NO_LINE as error:
                raise WrongCall(
                    f"line {number} is not a line of an export ({type(error).__name__}: {error})",
                    hint="Nothing was imported. For lines from elsewhere use --judge.",
                ) from error
        if connection.execute("PRAGMA foreign_key_check").fetchone():
            raise WrongCall("it refers to gems that it does not hold", hint="Nothing was imported.")
    return gems


def checked(line: Line) -> Line:
    """The line with every field of the right kind, and texts clean. Raises one of NO_LINE."""
    if line["type"] == "ledger":
        return line
    table, names = _KINDS[line["type"]]
    columns = shape.tables()[table]
    found = line | {name: _checked_value(columns[name], name, line[name]) for name in names}
    if line["type"] == "rejection":
        found["evidence"] = reading.evidence_of(json.dumps(line["evidence"]))
        times = [*line["wording"], *line["exception"]]
        for name, value in ((name, value) for each in times for name, value in each.items()):
            _checked_value(_A_TIME, name, value)
    return found


def _checked_value(column: shape.Column, name: str, value: object) -> object:
    if not column.takes(value):
        raise TypeError(f"{name} is a {type(value).__name__}")
    if not isinstance(value, str):
        return value
    if name == "topic":
        if problem := topic_problem(value):
            raise ValueError(problem)
        return clean_topic(value)
    if name in _TIMES and not _TIME.fullmatch(value):
        raise ValueError(f"{name} is no time")
    return clean_line(value) if name in _NAMES else value


def _when(line: Line) -> tuple[str, str, int]:
    return line["created"], line["type"], line["id"]


def _gems(connection: sqlite3.Connection) -> Iterator[Line]:
    for line in _rows(connection, "gem", "gems", _GEM_COLUMNS, "ORDER BY created, id"):
        found = reading.results(connection, line["id"])
        yield line | {"results": [result._asdict() for result in found]}


def _rejections(connection: sqlite3.Connection) -> Iterator[Line]:
    columns = (*_REJECTION_COLUMNS, "evidence")
    for line in _rows(connection, "rejection", "rejections", columns, "ORDER BY created, id"):
        yield line | {
            "evidence": reading.evidence_of(line["evidence"]),
            "sources": _dicts(
                connection,
                "SELECT urls.url, shared, counted FROM rejection_urls"
                " JOIN urls ON urls.id = url_id WHERE rejection_id = ? ORDER BY url_id",
                line["id"],
            ),
            "wording": _dicts(
                connection,
                "SELECT created, expires FROM wordings WHERE rejection_id = ?",
                line["id"],
            ),
            "exception": _dicts(
                connection, "SELECT created FROM exceptions WHERE rejection_id = ?", line["id"]
            ),
        }


def _rows(
    connection: sqlite3.Connection, kind: str, table: str, columns: Iterable[str], order: str = ""
) -> Iterator[Line]:
    names = tuple(columns)
    for row in connection.execute(f"SELECT {', '.join(names)} FROM {table} {order}"):
        yield {"type": kind} | dict(zip(names, row, strict=True))


def _dicts(connection: sqlite3.Connection, sql: str, key: int) -> list[Line]:
    cursor = connection.execute(sql, (key,))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _refuse_a_full_ledger(connection: sqlite3.Connection) -> None:
    for table in ("gems", "rejections", "searches"):
        if connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():
            raise LedgerError(
                "an export can only be restored into an empty ledger",
                path_of(connection),
                hint="Name a new file with --db, or propose the lines with --judge.",
            )


def _restore_line(connection: sqlite3.Connection, line: Line) -> int:
    kind = line["type"]
    if kind == "gem":
        _restore_gem(connection, line)
        return 1
    if kind == "rejection":
        restore_rejection(connection, line)
    elif kind == "ledger":
        _restore_settings(connection, line)
    elif kind == "search":
        values = {name: line[name] for name in _SEARCH_COLUMNS}
        _insert(connection, "searches", values | _signature(connection, line))
    elif kind == "history_file":
        _insert(connection, "history_files", {name: line[name] for name in _HISTORY_COLUMNS})
    else:
        raise ValueError(f"unknown type {kind!r}")
    return 0


def _restore_settings(connection: sqlite3.Connection, line: Line) -> None:
    if line["version"] > migrations.VERSION:
        raise WrongCall(
            f"the export has version {line['version']}, this gemsearch reads {migrations.VERSION}",
            hint="Update gemsearch. Nothing was imported.",
        )
    # Those of the rules that make the derived columns now, and of the file that is written now.
    own = {"signature.version", "canon.version", UNFINISHED}
    for name, value in line["settings"].items():
        if name not in own:
            _restore_setting(connection, name, value)
    for table, last in line["last_ids"].items():
        if table in {"gems", "rejections"}:
            connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, int(last))
            )


def _restore_setting(connection: sqlite3.Connection, name: str, value: object) -> None:
    if not isinstance(value, str) or len(value) > _LONGEST_SETTING:
        raise TypeError(f"setting {name} is no short text")
    if not _OWN_SETTING.fullmatch(name):
        settings.check(name, value)
    connection.execute(
        "INSERT INTO settings (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def _restore_gem(connection: sqlite3.Connection, line: Line) -> None:
    found = as_results(line["results"])
    values = {name: line[name] for name in _GEM_COLUMNS}
    values |= _signature(connection, line) | {
        "day": line["created"][:10],
        "result_count": len(found),
    }
    _insert(connection, "gems", values)
    words.add(connection, line["topic"])
    writing.add_results(connection, line["id"], found, sources_by_rank(found))


def restore_rejection(connection: sqlite3.Connection, line: Line) -> None:
    """Store a rejection with what was learned from it; it gets a number where its own is None."""
    values = {name: line[name] for name in _REJECTION_COLUMNS}
    values |= _signature(connection, line) | {
        "day": line["created"][:10],
        "evidence": json.dumps(line["evidence"]),
    }
    rejection = {"rejection_id": _insert(connection, "rejections", values)}
    by_rank = sources_by_rank(as_results(source["url"] for source in line["sources"]))
    known = writing.add_sources(connection, [source for source in by_rank if source])
    for listed, source in zip(line["sources"], by_rank, strict=True):
        if source:
            flags = {"shared": listed["shared"], "counted": listed["counted"]}
            url_id = {"url_id": known[source.key][0]}
            _insert(connection, "rejection_urls", rejection | url_id | flags)
    about = rejection | _signature(connection, line) | {"gem_id": line["gem_id"]}
    for wording in line["wording"]:
        times = {"created": wording["created"], "expires": wording["expires"]}
        _insert(connection, "wordings", about | times)
    for exception in line["exception"]:
        times = {"created": exception["created"], "signal": line["signal"]}
        _insert(connection, "exceptions", about | times)


def _signature(connection: sqlite3.Connection, line: Line) -> dict[str, str]:
    form = settings.read(connection).profile.form
    return {"signature": sign(line["topic"], form).signature}


def _insert(connection: sqlite3.Connection, table: str, values: Mapping[str, object]) -> int:
    """Column names come from the constants above, never from a file."""
    marks = ", ".join("?" * len(values))
    return inserted(
        connection.execute(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
        )
    )
