"""Deletes for good.

A deleted row lives on in full-text indexes, free pages and the write-ahead log until all are
rewritten; its words live on in the evidence of refusals, in attempts, in addresses that others
share.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.signature import EXACT, signature
from gemsearch.core.text import clean_topic
from gemsearch.errors import LedgerBusy, LedgerFull, NotFound
from gemsearch.ledger import reading, settings, words
from gemsearch.ledger.connection import path_of, translating, write_transaction
from gemsearch.ledger.fulltext import quoted

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

UNFINISHED = "forget.unfinished"  # a setting: rows are deleted, the file is not rewritten yet
_INDEXES = ("gems_fts", "results_fts", "rejections_fts")


class Chosen(NamedTuple):
    gems: tuple[reading.Gem, ...]
    rejections: tuple[reading.Rejection, ...]
    attempts: tuple[int, ...]  # rows of searches, besides those that led to the others
    words: str  # the topic they have in common


def choose(
    connection: sqlite3.Connection,
    *,
    gem_id: int | None = None,
    rejection_id: int | None = None,
    topic: str | None = None,
) -> Chosen:
    """What would be deleted. Raises NotFound when there is nothing.

    A topic means everything of the same words, in whatever order. With a gem go the refusals and
    attempts of its words, which would tell as much, unless another gem of these words stays.
    """
    if gem_id is not None:
        gem = reading.gem(connection, gem_id)
        alike = _of_words(connection, gem.topic)
        return alike if len(alike.gems) == 1 else Chosen((gem,), (), (), gem.topic)
    if rejection_id is not None:
        refused = reading.rejection(connection, rejection_id)
        alike = _of_words(connection, refused.topic)
        alone = not alike.gems and len(alike.rejections) == 1
        return alike if alone else Chosen((), (refused,), (), refused.topic)
    chosen = _of_words(connection, clean_topic(topic or ""))
    if not any(chosen[:3]):
        raise NotFound("no gem, no rejection and no attempt has exactly these words")
    return chosen


def forget(connection: sqlite3.Connection, chosen: Chosen) -> None:
    """Delete the rows, then rewrite full-text indexes and file so that no word of them is left."""
    from gemsearch.ledger.index import upkeep  # start-up

    connection.execute("PRAGMA secure_delete = ON")
    with write_transaction(connection):
        connection.execute(
            "INSERT INTO settings (name, value) VALUES (?, '1') ON CONFLICT (name) DO NOTHING",
            (UNFINISHED,),
        )
        touched = [*_sources_of(connection, chosen)]
        for gem in chosen.gems:
            words.remove(connection, gem.topic)
            _delete_gem(connection, gem.id)
        for rejection in chosen.rejections:
            _delete_rejection(connection, rejection.id)
        connection.executemany(
            "DELETE FROM searches WHERE id = ?", [(attempt,) for attempt in chosen.attempts]
        )
        _delete_lonely_sources(connection)
        for url_id in touched:
            _give_remaining_address(connection, url_id)
        for index in _INDEXES:
            connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
        upkeep.forget(connection, [gem.id for gem in chosen.gems])
    upkeep.bring_up_to_date(connection)
    rewrite(connection)


def rewrite(connection: sqlite3.Connection) -> None:
    """Write the file and its log anew, without what was deleted.

    Raises LedgerBusy while somebody reads the old pages; `gemsearch doctor --fix` calls it again.
    """
    path = path_of(connection)
    try:
        with translating(path):
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except LedgerBusy:
        busy = True
    except LedgerFull as error:
        raise LedgerFull(
            "deleted, but there is no room to rewrite the file without it",
            path,
            hint="Free some space, then run `gemsearch doctor --fix`.",
        ) from error
    if busy:
        raise LedgerBusy(
            "deleted, but another process is using the ledger and still keeps the old pages",
            path,
            hint="Close it (a running Datasette, say), then run `gemsearch doctor --fix`.",
        )
    with write_transaction(connection):
        settings.remove(connection, UNFINISHED)


def mentions(connection: sqlite3.Connection, topic: str) -> dict[str, int]:
    """How many rows that stay have all words of the topic somewhere in their text."""
    found = {
        table: connection.execute(
            f"SELECT count(*) FROM {table}_fts WHERE {table}_fts MATCH ?", (quoted(topic),)
        ).fetchone()[0]
        for table in ("gems", "rejections", "results")
    }
    return {table: count for table, count in found.items() if count}


def copies_beside(path: str) -> list[str]:
    """Files beside the ledger that were once copied from it, and are not rewritten."""
    folder, name = os.path.split(os.path.abspath(path))
    kept = (".backup", ".replaced", ".new")
    return [
        os.path.join(folder, other)
        for other in sorted(os.listdir(folder))
        if other.startswith(f"{name}.") and any(mark in other for mark in kept)
    ]


def _of_words(connection: sqlite3.Connection, topic: str) -> Chosen:
    """Everything whose topic has the words of this one."""
    return Chosen(
        tuple(gem for gem in reading.gems(connection) if _alike(gem.topic, topic)),
        tuple(each for each in reading.rejections(connection) if _alike(each.topic, topic)),
        tuple(
            attempt
            for attempt, text in connection.execute("SELECT id, topic FROM searches")
            if _alike(text, topic)
        ),
        topic,
    )


def _alike(one: str, other: str) -> bool:
    return one == other or signature(one, EXACT) == signature(other, EXACT) != ""


def _sources_of(connection: sqlite3.Connection, chosen: Chosen) -> Iterator[int]:
    for gem in chosen.gems:
        rows = connection.execute(
            "SELECT url_id FROM results WHERE gem_id = ? AND url_id IS NOT NULL", (gem.id,)
        )
        yield from (url_id for (url_id,) in rows)
    for rejection in chosen.rejections:
        rows = connection.execute(
            "SELECT url_id FROM rejection_urls WHERE rejection_id = ?", (rejection.id,)
        )
        yield from (url_id for (url_id,) in rows)


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


def _give_remaining_address(connection: sqlite3.Connection, url_id: int) -> None:
    """A source bears the address under which it first came: if that is gone, another of its own."""
    found = connection.execute("SELECT key, url FROM urls WHERE id = ?", (url_id,)).fetchone()
    if found is None:
        return
    key, url = found
    addresses = [
        address
        for (address,) in connection.execute(
            "SELECT url FROM results WHERE url_id = ? ORDER BY gem_id", (url_id,)
        )
    ]
    if None in addresses:
        return  # another gem's too
    other = addresses[0] if addresses else f"https://{key}"
    if other != url:
        connection.execute("UPDATE urls SET url = ? WHERE id = ?", (other, url_id))
        connection.execute(
            "UPDATE results SET url = NULL WHERE url_id = ? AND url = ?", (url_id, other)
        )
