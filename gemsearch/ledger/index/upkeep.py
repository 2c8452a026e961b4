"""Seals new gems into segments, merges small segments, drops what is no longer true, verifies.

1,024 gems are sealed at once, 16 such segments become one, and 16 of those again: many small
segments would cost a question more than one large one. Whoever writes calls `after_writing` once
its answer is out; merges that take seconds are left to `bring_up_to_date`.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from gemsearch.errors import LedgerBusy, LedgerError, LedgerFull
from gemsearch.ledger.candidates import has_indexes
from gemsearch.ledger.connection import (
    path_of,
    read_snapshot,
    translating,
    write_transaction,
)
from gemsearch.ledger.index import building, segments
from gemsearch.ledger.index.building import Abandoned, build

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

# Gems up to which the plain scan serves. A novel topic costs it 3 ms for each 1,000 gems by the
# published rules, the dearest, on a busy machine (bench/gates.py --sizes 2000): 15 ms at 5,000.
PLAIN_SCAN_LIMIT = 5_000

SEALED_AT = 1_024  # gems without a segment
_TIERS = (16_384, 262_144)  # sizes that small segments are merged into
_AFTER_WRITING = _TIERS[0]  # the most that one writer builds when its answer is out
_GIVEN_UP_AFTER = 3600  # seconds after which a segment still being built is a crash's remains
_ROWS_AT_ONCE = {
    "index_places": 512,
    "index_bags": 32,
    "index_words": 4096,
    "index_sources": 32,
}
# Which rows of a table belong to segment :id.
_OF_SEGMENT = {
    "index_places": "id BETWEEN :id << 12 AND (:id + 1 << 12) - 1",
    "index_bags": "id BETWEEN :id << 10 AND (:id + 1 << 10) - 1",
    "index_words": "segment = :id",
    "index_sources": "segment = :id",
}
_SEGMENT_OF = {
    "index_places": "id >> 12",
    "index_bags": "id >> 10",
    "index_words": "segment",
    "index_sources": "segment",
}
_KEYS = {
    "index_places": "id",
    "index_bags": "id",
    "index_words": "segment, word",
    "index_sources": "segment, url_id",
}


def after_writing(connection: sqlite3.Connection) -> None:
    """Seal what has piled up: nothing most times, else a fraction of a second.

    To be called outside a transaction. A ledger that is busy, full or damaged is left as it is:
    gems without a segment are found all the same, and the answer is out.
    """
    try:
        with translating(path_of(connection)):
            _seal_some(connection)
    except (LedgerError, Abandoned):
        return


def _seal_some(connection: sqlite3.Connection) -> None:
    if _unsealed(connection) < SEALED_AT:
        return
    prepare(connection)
    _sweep(connection)
    for _ in range(2):  # sealing may make a merge due
        if span := _due(connection, _AFTER_WRITING):
            build(connection, *span)


def bring_up_to_date(
    connection: sqlite3.Connection, advance: Callable[[int], object] = lambda _: None
) -> None:
    """Seal and merge all that is due, in seconds for each 100,000 gems.

    `advance` is told after each segment how many gems it has. To be called outside a transaction.
    A ledger that is busy or full is left as it is.
    """
    if not has_indexes(connection) and _gems(connection) < PLAIN_SCAN_LIMIT:
        return
    try:
        prepare(connection)
        _sweep(connection)
        while span := _due(connection, _TIERS[-1]):
            advance(build(connection, *span))
            _sweep(connection)
    except (Abandoned, LedgerBusy, LedgerFull):
        return  # another process is at it, or there is no room


def discard(connection: sqlite3.Connection) -> None:
    """Drop every segment: signatures or keys have changed. The caller holds the write lock."""
    if has_indexes(connection):
        for table in segments.TABLES:
            connection.execute(f"DELETE FROM {table}")


def forget(connection: sqlite3.Connection, gem_ids: Iterable[int]) -> None:
    """Drop the segments of these gems, whatever their state. The caller holds the write lock.

    The gems that are left in them are scanned until `bring_up_to_date` seals them again.
    """
    if not has_indexes(connection):
        return
    for gem_id in gem_ids:
        touched = connection.execute(
            "SELECT id FROM index_segments WHERE ? BETWEEN first AND last", (gem_id,)
        ).fetchall()
        for (number,) in touched:
            for table, condition in _OF_SEGMENT.items():
                connection.execute(f"DELETE FROM {table} WHERE {condition}", {"id": number})
            connection.execute("DELETE FROM index_segments WHERE id = ?", (number,))


def verify(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the indexes: each segment is made anew in memory and compared."""
    if not has_indexes(connection):
        return []
    with read_snapshot(connection):
        return list(_complaints(connection))


def _complaints(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute(
        "SELECT id, first, last, gems, classes FROM index_segments WHERE state = 'ready'"
        " ORDER BY first"
    ).fetchall()
    end = 0
    for row in rows:
        segment = segments.parsed(row)
        if segment is None or segment.first <= end:
            yield f"index segment {row[0]} does not add up"
            continue
        end = segment.last
        about = f"of gems {segment.first} to {segment.last}"
        made = building.made_from_gems(connection, segment.id, segment.first, segment.last)
        if made is None or made.segment != segment:
            yield f"the index {about} is not that of its gems"
            continue
        for table in _OF_SEGMENT:
            expected = sorted(row for name, row in made.rows if name == table)
            if _stored(connection, table, segment.id) != expected:
                yield f"{table} {about} differs from its gems"
    for table, number_of in _SEGMENT_OF.items():
        if connection.execute(
            f"SELECT 1 FROM {table} WHERE {number_of} NOT IN (SELECT id FROM index_segments)"
        ).fetchone():
            yield f"{table} has rows of no segment"


def _stored(connection: sqlite3.Connection, table: str, number: int) -> list[tuple[object, ...]]:
    return sorted(
        connection.execute(f"SELECT * FROM {table} WHERE {_OF_SEGMENT[table]}", {"id": number})
    )


def _unsealed(connection: sqlite3.Connection) -> int:
    """About how many gems await a segment; 0 where the ledger is too small for one."""
    newest = connection.execute("SELECT max(id) FROM gems").fetchone()[0] or 0
    if has_indexes(connection):
        sealed = connection.execute(
            "SELECT max(last) FROM index_segments WHERE state = 'ready'"
        ).fetchone()[0]
        return int(newest - (sealed or 0))
    return _gems(connection) if newest >= PLAIN_SCAN_LIMIT else 0


def _gems(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM gems").fetchone()[0])


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, if they are not there yet."""
    if has_indexes(connection):
        return
    with open(os.path.join(os.path.dirname(__file__), "tables.sql"), encoding="utf-8") as file:
        statements = file.read().split("\n\n")
    with write_transaction(connection):
        for statement in statements:
            connection.execute(statement)


def _due(connection: sqlite3.Connection, most: int) -> tuple[int, int] | None:
    """First and last gem of the next segment to build, of at most about `most` gems."""
    covering = segments.ready(connection)
    for span in segments.uncovered(covering):
        ids = _first_gems(connection, span, most)
        # What lies between segments was dropped from them: a few gems there wait for a merge.
        if len(ids) >= (SEALED_AT if span[1] == segments.NO_LIMIT else SEALED_AT // 8):
            return ids[0], ids[-1]
    for tier in _TIERS:
        if tier <= most and (span_of_run := _run(covering, tier)):
            return span_of_run
    return None


def _first_gems(connection: sqlite3.Connection, span: tuple[int, int], most: int) -> list[int]:
    rows = connection.execute(
        "SELECT id FROM gems WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?", (*span, most)
    )
    return [gem_id for (gem_id,) in rows]


def _run(covering: Iterable[segments.Segment], tier: int) -> tuple[int, int] | None:
    """The first neighbours that are smaller than the tier and reach it together."""
    run: list[segments.Segment] = []
    for segment in covering:
        run = [*run, segment] if segment.gems < tier else []
        if sum(each.gems for each in run) >= tier:
            return run[0].first, run[-1].last
    return None


def _sweep(connection: sqlite3.Connection) -> None:
    """Delete the rows of segments that were replaced or given up, a few under each lock.

    One begun in the future was begun before the clock went back.
    """
    now = int(time.time())
    dead = connection.execute(
        "SELECT id FROM index_segments WHERE state = 'replaced'"
        " OR state = 'building' AND started NOT BETWEEN ? AND ?",
        (now - _GIVEN_UP_AFTER, now + _GIVEN_UP_AFTER),
    ).fetchall()
    for (number,) in dead:
        for table in _OF_SEGMENT:
            while _delete_some(connection, table, number):
                pass
        with write_transaction(connection):
            connection.execute("DELETE FROM index_segments WHERE id = ?", (number,))


def _delete_some(connection: sqlite3.Connection, table: str, number: int) -> int:
    key = _KEYS[table]
    with write_transaction(connection):
        return connection.execute(
            f"DELETE FROM {table} WHERE ({key}) IN"
            f" (SELECT {key} FROM {table} WHERE {_OF_SEGMENT[table]} LIMIT :most)",
            {"id": number, "most": _ROWS_AT_ONCE[table]},
        ).rowcount
