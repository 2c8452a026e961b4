"""What is derived from the rest of the ledger: whether it is right, and how it is made anew."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from gemsearch.care import shape
from gemsearch.core.canonical import CANON_VERSION, Canonical, canonicalise
from gemsearch.core.model import Result
from gemsearch.core.results import sources_by_rank
from gemsearch.core.signature import SIGNATURE_VERSION, sign
from gemsearch.ledger import migrations, settings, writing
from gemsearch.ledger.connection import open_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

TOPICS = ("gems", "rejections", "searches")  # tables with a topic and its signature
FULL_TEXT = ("gems", "results", "rejections")
_WRONG_DAY = "day IS NOT substr(created, 1, 10)"
_WRONG_COUNTS = {
    "urls": "gem_count IS NOT (SELECT count(*) FROM results WHERE url_id = urls.id)",
    "gems": (
        f"result_count IS NOT (SELECT count(*) FROM results WHERE gem_id = gems.id) OR {_WRONG_DAY}"
    ),
    "rejections": _WRONG_DAY,
}
_TIMED = (*TOPICS, "wordings", "exceptions")
_TIMES = ("created", "expires", "lease_until")
_TIME = "-".join(("[0-9]" * 4, "[0-9]" * 2, "[0-9][0-9]T*Z"))
_OF_A_REJECTION = ("wordings", "exceptions")


def stale_versions(connection: sqlite3.Connection) -> list[str]:
    """Settings that name older rules than this program's: derived columns must be made anew."""
    stored = settings.everything(connection)
    current = {"signature.version": SIGNATURE_VERSION, "canon.version": CANON_VERSION}
    return [name for name, version in current.items() if stored.get(name) != str(version)]


def wrong_counts(connection: sqlite3.Connection) -> int:
    """Rows whose number of gems or of results, or whose day, is not what it counts or shows."""
    return sum(
        len(connection.execute(f"SELECT 1 FROM {table} WHERE {condition}").fetchall())
        for table, condition in _WRONG_COUNTS.items()
    )


def wrong_kinds(connection: sqlite3.Connection) -> list[str]:
    """Columns that hold what they can't: bytes for a text, a time that is none."""
    found: list[str] = []
    for table, columns in shape.tables().items():
        for name, column in columns.items():
            kinds = ", ".join(f"'{kind}'" for kind in column.kinds)
            condition = f"typeof({name}) NOT IN ({kinds})"
            if name in _TIMES and table in _TIMED:
                condition += f" OR {name} NOT GLOB '{_TIME}'"
            if connection.execute(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1").fetchone():
                found.append(f"{table}.{name}")
    return found


def wrong_signatures(connection: sqlite3.Connection) -> int:
    """Rows whose signature is not that of their topic."""
    form = settings.read(connection).profile.form
    wrong: int = sum(
        sign(topic, form).signature != stored
        for table in TOPICS
        for topic, stored in connection.execute(f"SELECT topic, signature FROM {table}")
    )
    for table in _OF_A_REJECTION:
        wrong += len(
            connection.execute(
                f"SELECT 1 FROM {table} JOIN rejections ON rejections.id = rejection_id"
                f" WHERE {table}.signature IS NOT rejections.signature"
            ).fetchall()
        )
    return wrong


def wrong_keys(connection: sqlite3.Connection) -> int:
    """Sources whose key or host is not that of their address, and results of another source."""
    sources = connection.execute("SELECT url, key, host FROM urls")
    others = connection.execute(
        "SELECT results.url, key, host FROM results JOIN urls ON urls.id = url_id"
        " WHERE results.url IS NOT NULL"
    )
    return sum(_is_wrong(*row) for rows in (sources, others) for row in rows)


def _is_wrong(url: str, key: str, host: str) -> bool:
    found = canonicalise(url)
    return not isinstance(found, Canonical) or (found.key, found.host) != (key, host)


def wrong_full_text(connection: sqlite3.Connection) -> Iterator[str]:
    """Tables whose full-text index is not that of their rows.

    The connection must be one that may write, though nothing is changed.
    """
    for table in FULL_TEXT:
        name = f"{table}_fts"
        try:
            # Rank 1: compare with the table, not only the index with itself.
            connection.execute(f"INSERT INTO {name} ({name}, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError:
            yield table


def uncounted_full_text(connection: sqlite3.Connection) -> Iterator[str]:
    """Tables whose full-text index has another number of rows. Found without writing."""
    for table in FULL_TEXT:
        if connection.execute(
            f"SELECT (SELECT count(*) FROM {table}) != (SELECT count(*) FROM {table}_fts_docsize)"
        ).fetchone()[0]:
            yield table


def changed_schema(connection: sqlite3.Connection) -> Iterator[str]:
    """Triggers and views that are missing, changed or not ours, each in a few words."""
    found = dict(
        connection.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')")
    )
    expected = migrations.triggers_and_views()
    for name in sorted(found.keys() | expected.keys()):
        if found.get(name) != expected.get(name):
            state = "missing" if name not in found else "not ours or changed"
            yield f"trigger or view {name} is {state}"


def missing_indexes(connection: sqlite3.Connection) -> list[str]:
    """The statements that make the indexes which are not there."""
    sql = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    with closing(open_nothing()) as empty:
        expected = dict(empty.execute(sql))
    found = dict(connection.execute(sql))
    return [statement for name, statement in expected.items() if name not in found]


def key_anew(connection: sqlite3.Connection) -> int:
    """Key every source by the present rules, as if each gem had come in today.

    Sources that become equal are merged, one that falls apart is split; a source keeps its number
    and the address under which it was first returned. Gives how many keys changed. The caller
    holds the write lock.
    """
    before = connection.execute("SELECT id, key, url FROM urls ORDER BY id").fetchall()
    refused = connection.execute(
        "SELECT rejection_id, urls.url, shared, counted"
        " FROM rejection_urls JOIN urls ON urls.id = url_id ORDER BY rejection_id, url_id"
    ).fetchall()
    connection.execute(
        "UPDATE results SET url = coalesce(url, (SELECT url FROM urls WHERE id = url_id), ''),"
        " url_id = NULL"
    )
    connection.execute("DELETE FROM rejection_urls")
    connection.execute("DELETE FROM urls")
    for url_id, _, url in before:
        _add_source(connection, url_id, url)
    for (gem_id,) in connection.execute("SELECT id FROM gems ORDER BY id").fetchall():
        _attach_results(connection, gem_id)
    for row in refused:
        _attach_refused(connection, *row)
    count_anew(connection)
    connection.execute(
        "DELETE FROM urls WHERE gem_count = 0 AND id NOT IN (SELECT url_id FROM rejection_urls)"
    )
    connection.execute(
        "UPDATE settings SET value = ? WHERE name = 'canon.version'", (str(CANON_VERSION),)
    )
    after = dict(connection.execute("SELECT id, key FROM urls"))
    return sum(after.get(url_id) != key for url_id, key, _ in before)


def count_anew(connection: sqlite3.Connection) -> None:
    """Numbers of gems and of results, from the results; days, from the times."""
    connection.execute(
        "UPDATE urls SET gem_count = (SELECT count(*) FROM results WHERE url_id = urls.id)"
    )
    connection.execute(
        "UPDATE gems SET result_count = (SELECT count(*) FROM results WHERE gem_id = gems.id)"
    )
    for table in ("gems", "rejections"):
        connection.execute(f"UPDATE {table} SET day = substr(created, 1, 10) WHERE {_WRONG_DAY}")


def _add_source(connection: sqlite3.Connection, url_id: int, url: str) -> None:
    canonical = canonicalise(url)
    if isinstance(canonical, Canonical):
        connection.execute(
            "INSERT INTO urls (id, key, url, host) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (key) DO NOTHING",
            (url_id, canonical.key, url, canonical.host),
        )


def _attach_results(connection: sqlite3.Connection, gem_id: int) -> None:
    rows = connection.execute(
        "SELECT id, url FROM results WHERE gem_id = ? ORDER BY rank", (gem_id,)
    ).fetchall()
    by_rank = sources_by_rank(Result(url) for _, url in rows)
    known = writing.add_sources(connection, [source for source in by_rank if source])
    for (result_id, url), source in zip(rows, by_rank, strict=True):
        if source:
            url_id, first = known[source.key]
            connection.execute(
                "UPDATE results SET url_id = ?, url = ? WHERE id = ?",
                (url_id, None if url == first else url, result_id),
            )


def _attach_refused(
    connection: sqlite3.Connection, rejection_id: int, url: str, shared: int, counted: int
) -> None:
    for source in filter(None, sources_by_rank([Result(url)])):
        url_id, _ = writing.add_sources(connection, [source])[source.key]
        connection.execute(
            "INSERT INTO rejection_urls (rejection_id, url_id, shared, counted)"
            " VALUES (?, ?, ?, ?) ON CONFLICT (rejection_id, url_id) DO UPDATE SET"
            " shared = max(shared, excluded.shared), counted = max(counted, excluded.counted)",
            (rejection_id, url_id, shared, counted),
        )
