"""Deletes for good.

A deleted row lives on in full-text indexes and free pages until both are rewritten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.text import clean_topic
from gemsearch.errors import LedgerBusy, NotFound
from gemsearch.ledger import reading, words
from gemsearch.ledger.connection import path_of, translating, write_transaction

if TYPE_CHECKING:
    import sqlite3

_INDEXES = ("gems_fts", "results_fts", "rejections_fts")


class Chosen(NamedTuple):
    gems: tuple[reading.Gem, ...]
    rejections: tuple[reading.Rejection, ...]


def choose(
    connection: sqlite3.Connection,
    *,
    gem_id: int | None = None,
    rejection_id: int | None = None,
    topic: str | None = None,
) -> Chosen:
    """What would be deleted. Raises NotFound when there is nothing."""
    if gem_id is not None:
        return Chosen((reading.gem(connection, gem_id),), ())
    if rejection_id is not None:
        return Chosen((), (reading.rejection(connection, rejection_id),))
    wanted = {"topic": clean_topic(topic or "")}
    chosen = Chosen(
        tuple(reading.gems(connection, equal=wanted)),
        tuple(reading.rejections(connection, equal=wanted)),
    )
    if not any(chosen):
        raise NotFound("no gem and no rejection has exactly this topic")
    return chosen


def forget(connection: sqlite3.Connection, chosen: Chosen) -> None:
    """Delete the rows, then rewrite full-text indexes and file so that no word of them is left."""
    from gemsearch.ledger.index import upkeep  # start-up

    connection.execute("PRAGMA secure_delete = ON")
    with write_transaction(connection):
        for gem in chosen.gems:
            words.remove(connection, gem.topic)
            _delete_gem(connection, gem.id)
        for rejection in chosen.rejections:
            _delete_rejection(connection, rejection.id)
        _delete_lonely_sources(connection)
        for index in _INDEXES:
            connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
        upkeep.forget(connection, [gem.id for gem in chosen.gems])
    upkeep.bring_up_to_date(connection)
    _rewrite(connection)


def _delete_gem(connection: sqlite3.Connection, gem_id: int) -> None:
    connection.execute(
        "UPDATE urls SET gem_count = gem_count - 1"
        " WHERE id IN (SELECT url_id FROM results WHERE gem_id = ?)",
        (gem_id,),
    )
    # The evidence of a refusal quotes the gem's topic and its sources.
    connection.execute("UPDATE rejections SET evidence = '{}' WHERE gem_id = ?", (gem_id,))
    connection.execute("DELETE FROM searches WHERE gem_id = ?", (gem_id,))
    connection.execute("DELETE FROM results WHERE gem_id = ?", (gem_id,))
    connection.execute("DELETE FROM gems WHERE id = ?", (gem_id,))


def _delete_rejection(connection: sqlite3.Connection, rejection_id: int) -> None:
    connection.execute("DELETE FROM searches WHERE rejection_id = ?", (rejection_id,))
    connection.execute("DELETE FROM rejections WHERE id = ?", (rejection_id,))


def _delete_lonely_sources(connection: sqlite3.Connection) -> None:
    connection.execute(
        "DELETE FROM urls WHERE gem_count = 0"
        " AND id NOT IN (SELECT url_id FROM rejection_urls)"
        " AND id NOT IN (SELECT url_id FROM results WHERE url_id IS NOT NULL)"
    )


def _rewrite(connection: sqlite3.Connection) -> None:
    path = path_of(connection)
    with translating(path):
        connection.execute("VACUUM")
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        raise LedgerBusy(
            "deleted, but another process is reading the ledger and still keeps the old pages",
            path,
            hint="Close it (a running Datasette, say), then run `gemsearch doctor --fix`.",
        )
