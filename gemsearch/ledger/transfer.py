"""The whole ledger as JSON lines, and back again.

Written is what can't be derived: signatures, days, counts and canonical keys are made anew on the
way in. Lines stand in order of time, so that sources are met again in the order in which they came.
"""

from __future__ import annotations

import heapq
import json
from typing import TYPE_CHECKING, Any

from gemsearch.core.results import as_results, sources_by_rank
from gemsearch.core.signature import sign
from gemsearch.errors import LedgerError, WrongCall
from gemsearch.ledger import migrations, reading, settings, words, writing
from gemsearch.ledger.connection import path_of, write_transaction

if TYPE_CHECKING:
    import sqlite3
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
    gems = 0
    with write_transaction(connection):
        _refuse_a_full_ledger(connection)
        connection.execute("PRAGMA defer_foreign_keys = ON")  # a refusal may name a later gem
        for number, line in parsed(texts):
            try:
                gems += _restore_line(connection, line)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise WrongCall(
                    f"line {number} is not a line of an export ({type(error).__name__}: {error})",
                    hint="Nothing was imported. For lines from elsewhere use --judge.",
                ) from error
    return gems


def parsed(texts: Iterable[str]) -> Iterator[tuple[int, Line]]:
    """(number, object) of every line that is not blank. Raises WrongCall at the first bad one."""
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise WrongCall(f"line {number} is not JSON ({error})") from None
        if not isinstance(line, dict):
            raise WrongCall(f"line {number} is not a JSON object")
        yield number, line


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
        _restore_rejection(connection, line)
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
    own = {"signature.version", "canon.version"}  # of the rules that make the derived columns now
    connection.executemany(
        "INSERT INTO settings (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [(name, value) for name, value in line["settings"].items() if name not in own],
    )
    for table, last in line["last_ids"].items():
        if table in {"gems", "rejections"}:
            connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, int(last))
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


def _restore_rejection(connection: sqlite3.Connection, line: Line) -> None:
    values = {name: line[name] for name in _REJECTION_COLUMNS}
    values |= _signature(connection, line) | {
        "day": line["created"][:10],
        "evidence": json.dumps(line["evidence"]),
    }
    _insert(connection, "rejections", values)
    rejection = {"rejection_id": line["id"]}
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


def _insert(connection: sqlite3.Connection, table: str, values: Mapping[str, object]) -> None:
    """Column names come from the constants above, never from a file."""
    marks = ", ".join("?" * len(values))
    connection.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
    )
