"""Builds one segment: reads the gems of a range and makes the rows of every index from them.

The number of the segment is reserved first, under a short lock; then the gems are read and the
rows made with no lock held; then they are written in small transactions, invisible until the last
one says that the segment is ready and replaces those it was merged from. Whoever deletes or signs
gems anew deletes the segments concerned, those being built too: the builder then finds its own
row gone and gives up. A crash leaves rows that `upkeep` sweeps away.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.ledger.connection import read_snapshot, write_transaction
from gemsearch.ledger.index import bags, segments, sources, words
from gemsearch.ledger.index.segments import LengthClass, Segment

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

_BYTES_AT_ONCE = 1 << 20  # written under one lock: some ten milliseconds
_BYTES_OF_A_ROW = 100  # its key, its place in the tree, the time it takes

INSERTS = {
    "index_places": "INSERT INTO index_places (id, gems) VALUES (?, ?)",
    "index_bags": "INSERT INTO index_bags (id, bits) VALUES (?, ?)",
    "index_words": "INSERT INTO index_words (segment, word, led, others) VALUES (?, ?, ?, ?)",
    "index_sources": "INSERT INTO index_sources (segment, url_id, bits) VALUES (?, ?, ?)",
}

Row = tuple[object, ...]


class Abandoned(Exception):
    """Others changed what this segment is built from, or were faster."""


class Made(NamedTuple):
    """A segment and the rows of the indexes, each with its table."""

    segment: Segment
    rows: list[tuple[str, Row]]


class Positions(NamedTuple):
    """Gems and their signatures by position: 0 and nothing where a class is filled up."""

    gem_ids: list[int]
    signatures: list[str]
    classes: tuple[LengthClass, ...]


def build(connection: sqlite3.Connection, first: int, last: int) -> int:
    """Index the gems from `first` to `last`, replacing the segments within; gives their number.

    Raises Abandoned, with nothing changed.
    """
    number = _reserved(connection, first, last)
    with read_snapshot(connection):
        made = made_from_gems(connection, number, first, last)
    if made is None:
        raise Abandoned
    for batch in _batches(made.rows):
        with write_transaction(connection):
            _refuse_if_unwanted(connection, number)
            for table, group in groupby(batch, key=itemgetter(0)):
                connection.executemany(INSERTS[table], [row for _, row in group])
    with write_transaction(connection):
        _put_in_place(connection, made.segment)
    return made.segment.gems


def made_from_gems(
    connection: sqlite3.Connection, number: int, first: int, last: int
) -> Made | None:
    """A segment and its rows, the same for the same gems; None where there are none or too many."""
    positions = _positions(connection, first, last)
    if not positions.classes or len(positions.gem_ids) > segments.MOST_POSITIONS:
        return None
    gems = sum(map(bool, positions.gem_ids))
    segment = Segment(number, first, last, gems, positions.classes)
    made: dict[str, Iterable[Row]] = {
        "index_places": segments.places(segment, positions.gem_ids),
        "index_bags": bags.bitmaps(segment, positions.signatures),
        "index_words": words.lists(segment, positions.signatures),
        "index_sources": sources.bitmaps(connection, segment),
    }
    return Made(segment, [(table, row) for table, rows in made.items() for row in rows])


def _positions(connection: sqlite3.Connection, first: int, last: int) -> Positions:
    rows = connection.execute(
        "SELECT id, signature FROM gems WHERE id BETWEEN ? AND ?"
        " ORDER BY length(signature), signature, id",
        (first, last),
    )
    gem_ids: list[int] = []
    signatures: list[str] = []
    classes: list[LengthClass] = []
    for length, alike in groupby(rows, key=lambda row: len(row[1])):
        start = len(gem_ids)
        for gem_id, signature in alike:
            gem_ids.append(gem_id)
            signatures.append(signature)
        missing = -len(gem_ids) % 8
        gem_ids += [0] * missing
        signatures += [""] * missing
        classes.append(LengthClass(length, start // 8, (len(gem_ids) - start) // 8))
    return Positions(gem_ids, signatures, tuple(classes))


def _reserved(connection: sqlite3.Connection, first: int, last: int) -> int:
    with write_transaction(connection):
        number = connection.execute(
            "INSERT INTO index_segments (first, last, gems, classes, state, started)"
            " VALUES (?, ?, 0, x'', 'building', CAST(strftime('%s', 'now') AS INTEGER))",
            (first, last),
        ).lastrowid
    assert number is not None  # noqa: S101 - an INSERT has one
    return number


def _batches(rows: Sequence[tuple[str, Row]]) -> Iterator[list[tuple[str, Row]]]:
    batch: list[tuple[str, Row]] = []
    size = 0
    for table, row in rows:
        batch.append((table, row))
        size += sum(len(value) for value in row if isinstance(value, bytes)) + _BYTES_OF_A_ROW
        if size >= _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
    yield batch


def _refuse_if_unwanted(connection: sqlite3.Connection, number: int) -> None:
    if not connection.execute(
        "SELECT 1 FROM index_segments WHERE id = ? AND state = 'building'", (number,)
    ).fetchone():
        raise Abandoned


def _put_in_place(connection: sqlite3.Connection, made: Segment) -> None:
    """The swap: one short transaction, whatever the size."""
    _refuse_if_unwanted(connection, made.id)
    others = connection.execute(
        "SELECT first, last FROM index_segments WHERE state = 'ready' AND first <= ? AND last >= ?",
        (made.last, made.first),
    ).fetchall()
    if any(first < made.first or last > made.last for first, last in others):
        raise Abandoned
    connection.execute(
        "UPDATE index_segments SET state = 'replaced'"
        " WHERE state = 'ready' AND first >= ? AND last <= ?",
        (made.first, made.last),
    )
    connection.execute(
        "UPDATE index_segments SET state = 'ready', gems = ?, classes = ? WHERE id = ?",
        (made.gems, segments.written(made.classes), made.id),
    )
