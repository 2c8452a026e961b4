"""Gems that share sources with a result list, without reading the long lists of popular sources.

The lists themselves are the covering index of `results` (source, gem). Most are short. A source
that one gem in 256 has would cost a long walk, so a segment keeps a bitmap for it: one bit a gem
number, counted from the segment's first.

Only popular sources shared: adding bitmaps up says at once which gems have two, and which have
three. Others too: such a gem stands in a short list, so the short lists are counted gem by gem,
and the sums of the bitmaps tell how many popular sources to add. Two shared sources suffice only
against a gem with few of them, so one more bitmap says which gems have few.

A bitmap that is missing or does not add up costs time and nothing else: its source then counts as
one with a short list.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.ledger.index.bitmaps import from_bits, has, set_bits
from gemsearch.ledger.index.segments import SegmentDamaged, content_of, ended

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from gemsearch.ledger.index.segments import Segment

FEW = 5  # sources of a small gem
_FEW_SOURCES = 0  # stands in the place of a url_id
_SHARE = 256  # one gem in so many makes a source popular
_LEAST = 64  # gems below which a list is short whatever its share
_SPARSE = 4  # a range with fewer than one gem in so many numbers gets no bitmaps


class Sharing(NamedTuple):
    """Which gems of one range share how many popular sources, as bitmaps."""

    first: int
    one: bytes  # at least one
    two: bytes
    enough: bytes  # as many as it takes
    pairs: bytes  # gems against which two shared sources may suffice

    def gems(self, others: Iterable[tuple[int, int]]) -> Iterator[int]:
        """Gems that share enough; `others` has (gem, number of its other shared sources)."""
        yield from (self.first + offset for offset in set_bits(self.enough))
        for gem_id, count in others:
            offset = gem_id - self.first
            shared = count + has(self.one, offset) + has(self.two, offset)
            needed = 2 if has(self.pairs, offset) else 3
            if shared >= needed and not has(self.enough, offset):
                yield gem_id


def in_segment(
    connection: sqlite3.Connection, segment: Segment, url_ids: Sequence[int], most_of_two: int
) -> Iterator[int]:
    """Gems of the segment with three of the sources, or with two and few sources in all.

    `most_of_two` is the largest list against which two suffice; one too many may be among them.
    """
    bitmaps = _stored(connection, segment, url_ids)
    short = [url_id for url_id in url_ids if url_id not in bitmaps]
    counts = _counts(connection, short, segment.first, segment.last)
    if len(bitmaps.keys() - {_FEW_SOURCES}) == 0:
        yield from (gem_id for gem_id, count in counts.items() if count >= 2)
        return
    few = bitmaps.pop(_FEW_SOURCES, b"") if 0 < most_of_two <= FEW else b""
    bitmaps.pop(_FEW_SOURCES, None)
    size = _size(segment)
    pairs = few or bytes([255 if most_of_two else 0]) * size
    yield from _added(segment.first, bitmaps.values(), pairs).gems(counts.items())


def in_range(
    connection: sqlite3.Connection, first: int, last: int, url_ids: Sequence[int]
) -> Iterator[int]:
    """Gems of a range that no segment covers, with at least two of the sources."""
    counts = _counts(connection, url_ids, first, last)
    yield from (gem_id for gem_id, count in counts.items() if count >= 2)


def bitmaps(connection: sqlite3.Connection, segment: Segment) -> Iterator[tuple[int, int, bytes]]:
    """The rows of index_sources."""
    if segment.last - segment.first >= _SPARSE * segment.gems:
        return
    size = _size(segment)
    span = (segment.first, segment.last)
    few = connection.execute(
        "SELECT gem_id FROM results WHERE gem_id BETWEEN ? AND ?"
        " GROUP BY gem_id HAVING count(url_id) <= ?",
        (*span, FEW),
    )
    bits = from_bits((gem - segment.first for (gem,) in few), size)
    yield segment.id, _FEW_SOURCES, ended(bits)
    popular = max(_LEAST, segment.gems // _SHARE)
    # The count over the whole ledger is never below that over the segment.
    for (url_id,) in connection.execute(
        "SELECT id FROM urls WHERE gem_count >= ? ORDER BY id", (popular,)
    ).fetchall():
        gems = connection.execute(
            "SELECT gem_id FROM results WHERE url_id = ? AND gem_id BETWEEN ? AND ?",
            (url_id, *span),
        ).fetchall()
        if len(gems) >= popular:
            bits = from_bits((gem - segment.first for (gem,) in gems), size)
            yield segment.id, url_id, ended(bits)


def _stored(
    connection: sqlite3.Connection, segment: Segment, url_ids: Sequence[int]
) -> dict[int, bytes]:
    marks = ", ".join("?" * len(url_ids))
    rows = connection.execute(
        "SELECT url_id, bits FROM index_sources"
        f" WHERE segment = ? AND url_id IN ({_FEW_SOURCES}, {marks})",
        (segment.id, *url_ids),
    )
    size = _size(segment)
    found: dict[int, bytes] = {}
    for url_id, stored in rows:
        with suppress(SegmentDamaged):
            bits = content_of(stored)
            if len(bits) == size:
                found[url_id] = bits
    return found


def _counts(
    connection: sqlite3.Connection, url_ids: Sequence[int], first: int, last: int
) -> Counter[int]:
    marks = ", ".join("?" * len(url_ids))
    rows = connection.execute(
        "SELECT gem_id FROM results INDEXED BY results_url"
        f" WHERE url_id IN ({marks}) AND gem_id BETWEEN ? AND ?",
        (*url_ids, first, last),
    )
    return Counter(gem_id for (gem_id,) in rows)


def _added(first: int, bitmaps: Iterable[bytes], pairs: bytes) -> Sharing:
    one = two = three = 0
    for bits in bitmaps:
        vector = int.from_bytes(bits, "little")
        three |= two & vector
        two |= one & vector
        one |= vector
    enough = three | two & int.from_bytes(pairs, "little")
    size = len(pairs)
    return Sharing(
        first,
        one.to_bytes(size, "little"),
        two.to_bytes(size, "little"),
        enough.to_bytes(size, "little"),
        pairs,
    )


def _size(segment: Segment) -> int:
    return (segment.last - segment.first) // 8 + 1
