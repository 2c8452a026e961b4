"""Mends what is derived from the rest of the ledger, after a backup beside it."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from gemsearch.core.canonical import CANON_VERSION, Canonical, canonicalise
from gemsearch.core.model import Result
from gemsearch.core.results import sources_by_rank
from gemsearch.ledger import health, signing, words, writing
from gemsearch.ledger.backup import back_up
from gemsearch.ledger.connection import open_for_writing, write_transaction
from gemsearch.ledger.index import upkeep

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from datetime import datetime

    Repair = Callable[[sqlite3.Connection], object]


def mend(path: str, now: datetime) -> list[str]:
    """Mend all derived state of the ledger at `path`; says what was mended, if anything."""
    with closing(open_for_writing(path)) as connection:
        wrong = _wrong(connection)
        if not wrong:
            return []
        copy = f"{path}.{now:%Y%m%dT%H%M%S}.backup"
        back_up(path, copy, lambda _: None)
        with write_transaction(connection):
            for _, repair in wrong:
                repair(connection)
            count_anew(connection)
            upkeep.discard(connection)
        upkeep.bring_up_to_date(connection)
    return [f"kept the ledger as it was in {copy}", *(what for what, _ in wrong)]


def _wrong(
    connection: sqlite3.Connection,
) -> list[tuple[str, Callable[[sqlite3.Connection], object]]]:
    """What is wrong, and what mends it. Whatever else depends on it is mended with it."""
    stale = health.stale_versions(connection)
    found: list[tuple[str, Repair]] = []
    if "signature.version" in stale:
        found.append(("signatures of older rules", signing.sign_anew))
    if "canon.version" in stale:
        found.append(("canonical keys of older rules", key_anew))
    found += [
        (f"the full-text index of {table}", partial(_rebuild_full_text, table))
        for table in health.stale_indexes(connection)
    ]
    if health.wrong_counts(connection):
        found.append(("gem counts", count_anew))
    if words.are_wrong(connection):
        found.append(("the counts of words", words.count_anew))
    if upkeep.verify(connection):
        found.append(("candidate indexes", upkeep.discard))
    return found


def _rebuild_full_text(table: str, connection: sqlite3.Connection) -> None:
    connection.execute(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('rebuild')")


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
        "UPDATE results SET url = coalesce(url, (SELECT url FROM urls WHERE id = url_id)),"
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
    """Each source's number of gems, from the results."""
    connection.execute(
        "UPDATE urls SET gem_count = (SELECT count(*) FROM results WHERE url_id = urls.id)"
    )


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
