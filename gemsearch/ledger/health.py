"""Looks a ledger over. Reads only; what it finds says how bad it is and what mends it."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.canonical import CANON_VERSION
from gemsearch.core.signature import SIGNATURE_VERSION
from gemsearch.errors import GemsearchError
from gemsearch.ledger import migrations, settings, words
from gemsearch.ledger.connection import open_for_reading
from gemsearch.ledger.index import upkeep
from gemsearch.ledger.times import iso

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from datetime import datetime

SEVERITIES = ("error", "warning", "note")
FIX = "gemsearch doctor --fix"
RESTORE = "restore a backup: put the copy in the ledger's place"


class Finding(NamedTuple):
    severity: str  # error: a person must act; warning: it works, but; note: good to know
    about: str
    message: str
    command: str = ""


def examine(path: str, now: datetime) -> list[Finding]:
    """Everything that is wrong with the ledger at `path`, worst first."""
    try:
        with closing(open_for_reading(path)) as connection:
            findings = [*_of_file(path), *_of_contents(connection, now)]
    except GemsearchError as error:
        return [Finding("error", "ledger", error.message, error.hint)]
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def wrong_counts(connection: sqlite3.Connection) -> int:
    """Sources whose gem_count is not the number of gems that count them."""
    row = connection.execute(
        "SELECT count(*) FROM urls WHERE gem_count IS NOT"
        " (SELECT count(*) FROM results WHERE results.url_id = urls.id)"
    ).fetchone()
    return int(row[0])


def stale_indexes(connection: sqlite3.Connection) -> list[str]:
    """Full-text indexes whose number of rows is not that of their table."""
    return [
        table
        for table in ("gems", "results", "rejections")
        if connection.execute(
            f"SELECT (SELECT count(*) FROM {table}) != (SELECT count(*) FROM {table}_fts_docsize)"
        ).fetchone()[0]
    ]


def stale_versions(connection: sqlite3.Connection) -> list[str]:
    """Settings that name older rules than this program's: derived columns must be made anew."""
    stored = settings.everything(connection)
    current = {"signature.version": SIGNATURE_VERSION, "canon.version": CANON_VERSION}
    return [name for name, version in current.items() if stored.get(name) != str(version)]


def _of_file(path: str) -> Iterator[Finding]:
    others = stat.S_IRWXG | stat.S_IRWXO
    for name in (path, f"{path}-wal", f"{path}-shm"):
        if os.path.exists(name) and os.stat(name).st_mode & others:
            yield Finding(
                "warning", "permissions", f"others can read the ledger: {name}", f"chmod 600 {name}"
            )


def _of_contents(connection: sqlite3.Connection, now: datetime) -> Iterator[Finding]:
    for (complaint,) in connection.execute("PRAGMA integrity_check(20)"):
        if complaint != "ok":
            yield Finding("error", "integrity", str(complaint), RESTORE)
    broken = len(connection.execute("PRAGMA foreign_key_check").fetchall())
    if broken:
        yield Finding("error", "references", f"{broken} rows refer to rows that are gone", RESTORE)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > migrations.VERSION:
        yield Finding("warning", "version", "a newer gemsearch made it: read only", "update it")
    yield from _of_schema(connection)
    for table in stale_indexes(connection):
        yield Finding("warning", "full-text", f"the index of {table} lacks or has extra rows", FIX)
    counts = wrong_counts(connection)
    if counts:
        yield Finding("warning", "counts", f"{counts} sources have a wrong gem count", FIX)
    if words.are_wrong(connection):
        yield Finding("warning", "words", "the counts of words are not those of the gems", FIX)
    for name in stale_versions(connection):
        yield Finding("warning", name, "derived by older rules than this gemsearch's", FIX)
    for complaint in upkeep.verify(connection):
        yield Finding("warning", "candidate index", complaint, FIX)
    yield from _of_leases(connection, now)


def _of_schema(connection: sqlite3.Connection) -> Iterator[Finding]:
    found = dict(
        connection.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')")
    )
    expected = migrations.triggers_and_views()
    for name in sorted(found.keys() | expected.keys()):
        if found.get(name) != expected.get(name):
            state = "missing" if name not in found else "not ours or changed"
            yield Finding("error", "schema", f"trigger or view {name} is {state}", RESTORE)


def _of_leases(connection: sqlite3.Connection, now: datetime) -> Iterator[Finding]:
    moment = iso(now)
    live, answered = connection.execute(
        "SELECT count(*) FILTER (WHERE lease_until > ? AND created <= ?),"
        " count(*) FILTER (WHERE state = 'answered' AND lease_until <= ?)"
        " FROM searches WHERE state IN ('open', 'answered')",
        (moment, moment, moment),
    ).fetchone()
    if live:
        yield Finding("note", "leases", f"{live} topics are being searched now")
    if answered:
        yield Finding(
            "note",
            "leases",
            f"{answered} searches were cut off after their answer; the next try uses it",
        )
