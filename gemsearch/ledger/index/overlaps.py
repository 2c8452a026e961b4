"""Signatures that share enough of a topic's words, by weight.

Guarded rules ask that the common words of two topics weigh a share of all their words. All of them
weigh at least what the topic's own do, so the common words must weigh that share of the topic
alone, whatever else the other signature holds. For each stem of the topic the lists of `words`
give a vector with one bit a position. The vectors are added up as in `bags`, each as often as its
stem weighs in small units; a position that reaches the share is a candidate.

Units are rounded up and the share down, so that rounding lets a gem too many through, never one
too few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.weights import stem, stems
from gemsearch.ledger.index.bitmaps import carried, set_bits
from gemsearch.ledger.index.words import beginning_with

if TYPE_CHECKING:
    import sqlite3

    from gemsearch.core.weights import Weights
    from gemsearch.ledger.index.segments import Segment

_UNITS = 64  # the topic's weight is cut into so many


class Overlapping:
    """The words of a proposed signature, to be looked for in segments."""

    def __init__(self, signature: str, share: float, weights: Weights) -> None:
        weight_of = {each: weights.of(each) for each in stems(signature)}
        total = sum(weight_of.values())
        unit = max(1, total // _UNITS)
        self._units = {each: -(-weight // unit) for each, weight in weight_of.items()}
        self._needed = max(1, int(share * total / unit))

    def positions(self, connection: sqlite3.Connection, segment: Segment) -> list[int]:
        """Where the signatures stand that may overlap enough. Raises SegmentDamaged."""
        if sum(self._units.values()) < self._needed:
            return []
        vectors = {
            each: vector for each in self._units if (vector := _vector(connection, segment, each))
        }
        reached = self._added(vectors, segment.size)
        return set_bits(reached.to_bytes(segment.size, "little")) if reached else []

    def _added(self, vectors: dict[str, int], size: int) -> int:
        width = max(sum(self._units.values()), self._needed).bit_length()
        every = (1 << 8 * size) - 1
        seed = (1 << width) - self._needed
        columns = [[every] if seed >> bit & 1 else [] for bit in range(width)] + [[]]
        for each, vector in vectors.items():
            for bit in range(width):
                if self._units[each] >> bit & 1:
                    columns[bit].append(vector)
        return carried(columns)


def _vector(connection: sqlite3.Connection, segment: Segment, stemmed: str) -> int:
    """One bit a position: the signatures that have a word of this stem, which begins it."""
    vector = 0
    for listed in beginning_with(connection, segment, stemmed):
        if stem(listed.word) == stemmed:
            vector |= listed.vector(segment)
    return vector
