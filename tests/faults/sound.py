"""What must be true of a ledger after whatever befell it."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from gemsearch.care import health
from gemsearch.care.forgetting import UNFINISHED
from gemsearch.ledger import words
from gemsearch.ledger.connection import open_for_reading, open_for_writing
from gemsearch.ledger.index import upkeep
from gemsearch.ledger.times import seconds_between

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

LONGEST_LEASE = 330.0  # of `search --timeout 300`

# All but times and attempts: what a command either did or did not do.
_CONTENT = {
    "gems": "SELECT id, topic, signature, provider, agent, result_count, reason, visibility"
    " FROM gems ORDER BY id",
    "results": "SELECT gem_id, rank, coalesce(results.url, urls.url), title, snippet"
    " FROM results LEFT JOIN urls ON urls.id = url_id ORDER BY gem_id, rank",
    "urls": "SELECT key, url, gem_count FROM urls ORDER BY id",
    "words": "SELECT word, gems FROM words",
    "rejections": "SELECT id, topic, gate, signal, evidence, gem_id, enforced, forced_gem_id,"
    " marked FROM rejections ORDER BY id",
    "rejection_urls": "SELECT rejection_id, key, shared, counted"
    " FROM rejection_urls JOIN urls ON urls.id = url_id ORDER BY rejection_id, key",
    "wordings": "SELECT rejection_id, signature, gem_id FROM wordings ORDER BY rejection_id",
    "exceptions": "SELECT rejection_id, signature, gem_id, signal FROM exceptions ORDER BY 1",
    "settings": "SELECT name, value FROM settings"
    f" WHERE name NOT IN ('ledger.uuid', '{UNFINISHED}') ORDER BY name",
}


Content = dict[str, list[tuple[Any, ...]]]


def content(path: str) -> Content:
    with closing(open_for_reading(path)) as connection:
        return {name: connection.execute(sql).fetchall() for name, sql in _CONTENT.items()}


def complaints(path: str, now: datetime | None = None) -> list[str]:
    """Everything that is wrong with the ledger; it is opened for writing too."""
    moment = now or datetime.now(UTC)
    with closing(open_for_writing(path)) as connection:
        found = list(_of_connection(connection, moment))
    found += [
        f"doctor: {finding.about}: {finding.message}"
        for finding in health.examine(path, moment)
        if finding.severity != "note"
    ]
    return found


def _of_connection(connection: sqlite3.Connection, now: datetime) -> Iterator[str]:
    for (said,) in connection.execute("PRAGMA integrity_check"):
        if said != "ok":
            yield f"integrity_check: {said}"
    yield from (f"foreign key: {row}" for row in connection.execute("PRAGMA foreign_key_check"))
    half = connection.execute(
        "SELECT id FROM gems WHERE result_count !="
        " (SELECT count(*) FROM results WHERE gem_id = gems.id)"
    ).fetchall()
    yield from (f"half a gem: {row}" for row in half)
    miscounted = connection.execute(
        "SELECT id FROM urls WHERE gem_count !="
        " (SELECT count(*) FROM results WHERE url_id = urls.id)"
    ).fetchall()
    yield from (f"gem count of source {row}" for row in miscounted)
    if words.are_wrong(connection):
        yield "counts of words"
    yield from _of_full_text(connection)
    yield from upkeep.verify(connection)
    yield from _of_searches(connection, now)


def _of_full_text(connection: sqlite3.Connection) -> Iterator[str]:
    for table in ("gems", "results", "rejections"):
        differing = (
            connection.execute(
                f"SELECT id FROM {table} EXCEPT SELECT id FROM {table}_fts_docsize"
            ).fetchall()
            + connection.execute(
                f"SELECT id FROM {table}_fts_docsize EXCEPT SELECT id FROM {table}"
            ).fetchall()
        )
        yield from (f"full text of {table}: row {row}" for row in differing)
        # With rank 1 the index is compared with the table, without it only with itself.
        connection.execute(
            f"INSERT INTO {table}_fts ({table}_fts, rank) VALUES ('integrity-check', 1)"
        )


def _of_searches(connection: sqlite3.Connection, now: datetime) -> Iterator[str]:
    for number, state, created, lease in connection.execute(
        "SELECT id, state, created, lease_until FROM searches WHERE state IN ('open', 'answered')"
    ):
        end = lease or created
        if seconds_between(created, datetime.fromisoformat(end)) > LONGEST_LEASE:
            yield f"search {number} ({state}) is leased from {created} until {end}"
        if datetime.fromisoformat(end) > now + timedelta(seconds=LONGEST_LEASE):
            yield f"search {number} ({state}) is leased until {end}"
    for number, state in connection.execute(
        "SELECT id, state FROM searches WHERE state = 'recorded' AND gem_id IS NULL"
        " OR state = 'refused' AND rejection_id IS NULL OR lease_until IS NOT NULL"
        " AND state NOT IN ('open', 'answered')"
    ):
        yield f"search {number} is {state} without what it became, or holds a lease"
