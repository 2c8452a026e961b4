"""Which gems are indexed, and where a gem stands in its segment.

Within a segment the gems stand in order of the length of their signatures, because the ratio of
two signatures limits the lengths: a question then concerns one run of positions. Each length (a
class) starts at a multiple of eight, so that a run of classes is a run of whole bytes in every
bitmap; the places left over at the end of a class are empty.

A ledger may come from a stranger: what is read here is taken as numbers, and a segment that does
not add up counts as missing. Its gems are then scanned plainly.

What does not fit on a page goes on in pages of bare bytes, which SQLite can't tell from damaged
ones. Every row of an index therefore ends in one byte that neither a zeroed page has nor one full
of ones, and a row without it does not add up.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Sequence

TABLES = ("index_segments", "index_places", "index_bags", "index_words", "index_sources")
BLOCK = 256  # positions whose gems stand in one row of index_places
MOST_POSITIONS = 1 << 20  # what words.py has room for
NO_LIMIT = (1 << 63) - 1
_BLOCK_BITS = 12
_END = b"\x5a"
_PAIR = struct.Struct("<II")


class SegmentDamaged(Exception):
    """What is stored for a segment does not add up: scan its gems instead."""


class LengthClass(NamedTuple):
    length: int  # of the signatures
    start: int  # first byte
    size: int  # number of bytes


class Segment(NamedTuple):
    id: int
    first: int
    last: int
    gems: int
    classes: tuple[LengthClass, ...]

    @property
    def size(self) -> int:
        """Bytes of a bitmap over all positions."""
        return self.classes[-1].start + self.classes[-1].size


def ended(content: bytes) -> bytes:
    """The last column of a row as it is stored."""
    return content + _END


def content_of(stored: object) -> bytes:
    """The last column of a row as it was before `ended`. Raises SegmentDamaged."""
    if not isinstance(stored, bytes) or not stored.endswith(_END):
        raise SegmentDamaged
    return stored[:-1]


def ready(connection: sqlite3.Connection) -> list[Segment]:
    """The segments that can be asked, in order; those that do not add up are left out."""
    rows = connection.execute(
        "SELECT id, first, last, gems, classes FROM index_segments"
        " WHERE state = 'ready' ORDER BY first"
    )
    found: list[Segment] = []
    for row in rows:
        segment = parsed(row)
        if segment and (not found or found[-1].last < segment.first):
            found.append(segment)
    return found


def parsed(row: Sequence[object]) -> Segment | None:
    """A segment from its row, or None where the row does not make sense."""
    number, first, last, gems, classes = row
    if not isinstance(classes, bytes) or len(classes) % _PAIR.size:
        return None
    if not (isinstance(number, int) and isinstance(first, int) and isinstance(last, int)):
        return None
    if not (isinstance(gems, int) and 0 < first <= last and 0 < gems <= last - first + 1):
        return None
    found: list[LengthClass] = []
    start = 0
    for length, size in _PAIR.iter_unpack(classes):
        if size == 0 or (found and length <= found[-1].length):
            return None
        found.append(LengthClass(length, start, size))
        start += size
    if not gems <= 8 * start <= MOST_POSITIONS:
        return None
    return Segment(number, first, last, gems, tuple(found))


def written(classes: Iterable[LengthClass]) -> bytes:
    return b"".join(_PAIR.pack(each.length, each.size) for each in classes)


def uncovered(segments: Iterable[Segment]) -> list[tuple[int, int]]:
    """First and last of each range of gem numbers that no segment covers."""
    ranges: list[tuple[int, int]] = []
    start = 1
    for segment in segments:
        if start < segment.first:
            ranges.append((start, segment.first - 1))
        start = segment.last + 1
    return [*ranges, (start, NO_LIMIT)]


def gems_at(
    connection: sqlite3.Connection, segment: Segment, positions: Collection[int]
) -> list[int]:
    """The numbers of the gems at these positions. Raises SegmentDamaged."""
    blocks = {
        block: _block(connection, segment, block) for block in {at // BLOCK for at in positions}
    }
    try:
        offsets = [blocks[at // BLOCK][at % BLOCK] for at in positions]
    except IndexError:
        raise SegmentDamaged from None
    return [segment.first + offset - 1 for offset in sorted(offsets) if offset]


def _block(connection: sqlite3.Connection, segment: Segment, block: int) -> tuple[int, ...]:
    row = connection.execute(
        "SELECT gems FROM index_places WHERE id = ?", (segment.id << _BLOCK_BITS | block,)
    ).fetchone()
    content = content_of(row and row[0])
    if len(content) % 4:
        raise SegmentDamaged
    return struct.unpack(f"<{len(content) // 4}I", content)


def places(segment: Segment, gem_ids: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """The rows of index_places; `gem_ids` has 0 where nothing stands."""
    for block in range(0, len(gem_ids), BLOCK):
        offsets = [gem and gem - segment.first + 1 for gem in gem_ids[block : block + BLOCK]]
        packed = struct.pack(f"<{len(offsets)}I", *offsets)
        yield segment.id << _BLOCK_BITS | block // BLOCK, ended(packed)
