"""Signatures that have nearly the same characters, found for a million gems at once.

The ratio of `sequence` needs M matched characters, and M is at most the number of characters that
both signatures have, counted with repeats. Characters fall into 38 buckets (a-z, 0-9, the blank,
all others). For each bucket and each n from 1 to 16 a segment keeps one bitmap: bit p is set when
the signature at position p has the bucket at least n times. The bitmaps that two signatures share
are then exactly the characters they share, up to the sixteenth of a bucket.

A question reads the bitmaps of its own signature and adds them up, all positions at once: Python's
integers serve as vectors of one bit a gem. `columns[k]` holds the vectors that count 2**k each;
three of one column become one of it and one of the next (a carry-save adder). To compare without
a further step, every position starts at 2**K - t, t being what its length needs: then a carry out
of the last column says "t or more". Positions are in order of length (see `segments`), so t is
written as runs of bytes. What remains, a few gems in ten thousand, is
compared one by one.
"""

from __future__ import annotations

from collections import Counter
from itertools import repeat
from typing import TYPE_CHECKING

from gemsearch.core.similarity import length_window, matches_needed
from gemsearch.ledger.index.bitmaps import carried, set_bits
from gemsearch.ledger.index.segments import SegmentDamaged, content_of, ended

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from gemsearch.ledger.index.segments import LengthClass, Segment

MOST_TIMES = 16
_KNOWN = "abcdefghijklmnopqrstuvwxyz0123456789 "
_OTHERS = len(_KNOWN)
_BUCKET_OF = {character: bucket for bucket, character in enumerate(_KNOWN)}
_WITHOUT_KNOWN = dict.fromkeys(map(ord, _KNOWN))
_TIMES_BITS = 4
_FEATURE_BITS = 10


class Bag:
    """The characters of a proposed signature, to be looked for in segments."""

    def __init__(self, signature: str, threshold: float) -> None:
        self._length = len(signature)
        self._threshold = threshold
        self._window = length_window(self._length, threshold)
        counts = Counter(_BUCKET_OF.get(character, _OTHERS) for character in signature)
        self._features = sorted(
            bucket << _TIMES_BITS | times
            for bucket, count in counts.items()
            for times in range(min(count, MOST_TIMES))
        )
        self._unseen = self._length - len(self._features)  # beyond the sixteenth: may all match
        self._columns = max(1, (self._length - 1).bit_length())

    def positions(self, connection: sqlite3.Connection, segment: Segment) -> list[int]:
        """Where the signatures stand that share enough characters. Raises SegmentDamaged."""
        shortest, longest = self._window
        classes = [each for each in segment.classes if shortest <= each.length <= longest]
        if not classes:
            return []
        start, end = classes[0].start, classes[-1].start + classes[-1].size
        columns = self._seeds(classes)
        columns[0] += self._bitmaps(connection, segment, start, end)
        reached = carried(columns)
        return set_bits(reached.to_bytes(end - start, "little"), start) if reached else []

    def _seeds(self, classes: Sequence[LengthClass]) -> list[list[int]]:
        """What each position starts with, one vector a column; nothing in the last one."""
        full = 1 << self._columns
        starts = [(full - self._shared_needed(each.length), each.size) for each in classes]
        return [[_written_out(starts, bit)] for bit in range(self._columns)] + [[]]

    def _shared_needed(self, length: int) -> int:
        needed = matches_needed(self._length + length, self._threshold) - self._unseen
        # At least one: empty places share nothing and must not come up.
        return max(1, needed)

    def _bitmaps(
        self, connection: sqlite3.Connection, segment: Segment, start: int, end: int
    ) -> Iterator[int]:
        wanted = ",".join(str(segment.id << _FEATURE_BITS | each) for each in self._features)
        for (bits,) in connection.execute(f"SELECT bits FROM index_bags WHERE id IN ({wanted})"):
            content = content_of(bits)
            if len(content) != segment.size:
                raise SegmentDamaged
            yield int.from_bytes(content[start:end], "little")


def _written_out(starts: Sequence[tuple[int, int]], bit: int) -> int:
    """That bit of each start value, for all positions of its class."""
    runs = ((b"\xff" if start >> bit & 1 else b"\0") * size for start, size in starts)
    return int.from_bytes(b"".join(runs), "little")


def bitmaps(segment: Segment, signatures: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """The rows of index_bags; `signatures` stand by position, empty where nothing stands."""
    for bucket in range(_OTHERS + 1):
        times = _times(bucket, signatures)
        for enough in range(1, max(times, default=0) + 1):
            number = segment.id << _FEATURE_BITS | bucket << _TIMES_BITS | enough - 1
            yield number, ended(_packed(times, enough))


def _times(bucket: int, signatures: Sequence[str]) -> bytes:
    """How often each signature has the bucket, one byte each, at most sixteen."""
    if bucket == _OTHERS:
        counts = [len(signature.translate(_WITHOUT_KNOWN)) for signature in signatures]
    else:
        character = _KNOWN[bucket]
        counts = [signature.count(character) for signature in signatures]
    return bytes(map(min, counts, repeat(MOST_TIMES)))


def _packed(times: bytes, enough: int) -> bytes:
    """One bit for each byte that is large enough, lowest first."""
    digits = bytes(ord("0") + (count >= enough) for count in range(256))
    # Base 2 is read and written in linear time, far faster than bit by bit.
    return int(times[::-1].translate(digits), 2).to_bytes(len(times) // 8, "little")
