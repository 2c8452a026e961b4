"""Signatures by their words: those that lie within a topic, those that hold it, those that share.

For each word a segment lists the gems that have it, in two parts. A gem is *led* by its rarest
word and stands among the `others` of its remaining words.

*Within the topic.* All words of such a gem are words of the topic, its rarest one too: so only the
lists led by the topic's words have to be read, and those are short even for common words, because
few gems have nothing rarer. Beside each led gem stands a mask with one bit for each of its other
words; a bit that no word of the topic sets rules the gem out at once.

*Holding the topic.* Such a gem stands in the list of every word of the topic.

Any choice of the leading word gives the right answer, since a gem within the topic can be led by
none but the topic's words; the rarest only makes it fast. A mask may let a gem through that has
other words; the gate looks at every candidate itself.
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.ledger.index.bitmaps import from_bits, has, set_bits
from gemsearch.ledger.index.segments import SegmentDamaged, content_of, ended

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from gemsearch.ledger.index.segments import Segment

_POSITION_BITS = 20
_POSITION = (1 << _POSITION_BITS) - 1
_MASK_BITS = 43  # a prime, so that all bytes of a word decide its bit; 63 bits in all

_LISTS = "SELECT word, led, others FROM index_words WHERE segment = ?"


class Postings(NamedTuple):
    """The gems of one segment that have a word."""

    word: str
    led: tuple[int, ...]  # position and mask
    others: bytes  # positions, or a bitmap when it has the size of one

    def positions(self, segment: Segment) -> set[int]:
        return {entry & _POSITION for entry in self.led}.union(self._others(segment))

    def vector(self, segment: Segment) -> int:
        """The same as an integer with one bit a position. Raises SegmentDamaged."""
        listed = [entry & _POSITION for entry in self.led]
        is_bitmap = len(self.others) == segment.size
        bits = int.from_bytes(self.others, "little") if is_bitmap else 0
        if not is_bitmap:
            listed += self._others(segment)
        try:
            return bits | int.from_bytes(from_bits(listed, segment.size), "little")
        except IndexError:  # a position beyond the last
            raise SegmentDamaged from None

    def rarity(self, segment: Segment) -> int:
        """About the number of gems; enough to sort by."""
        is_bitmap = len(self.others) == segment.size
        return len(self.led) + (segment.size if is_bitmap else len(self.others) // 4)

    def among(self, positions: set[int], segment: Segment) -> set[int]:
        """Those of the positions that have the word. Raises SegmentDamaged."""
        if len(self.others) != segment.size:
            return positions & self.positions(segment)
        led = {entry & _POSITION for entry in self.led}
        try:
            return {at for at in positions if has(self.others, at) or at in led}
        except IndexError:  # a position beyond the last
            raise SegmentDamaged from None

    def _others(self, segment: Segment) -> Iterable[int]:
        if len(self.others) != segment.size:
            return struct.unpack(f"<{len(self.others) // 4}I", self.others)
        return set_bits(self.others)


def postings(
    connection: sqlite3.Connection, segment: Segment, words: Collection[str]
) -> list[Postings]:
    """The lists of those words that the segment has, the rarest first. Raises SegmentDamaged."""
    rows = connection.execute(
        f"{_LISTS} AND word IN ({', '.join('?' * len(words))})", (segment.id, *words)
    )
    found = [_parsed(row, segment) for row in rows]
    found.sort(key=lambda each: (each.rarity(segment), each.word))
    return found


def beginning_with(
    connection: sqlite3.Connection, segment: Segment, start: str
) -> Iterator[Postings]:
    """The lists of all words that begin so. Raises SegmentDamaged."""
    rows = connection.execute(
        f"{_LISTS} AND word >= ? AND word < ?", (segment.id, start, f"{start}\U0010ffff")
    )
    return (_parsed(row, segment) for row in rows)


def nested(connection: sqlite3.Connection, segment: Segment, words: frozenset[str]) -> set[int]:
    """Positions of signatures whose words may lie within `words`, or hold them all."""
    found = postings(connection, segment, words)
    absent = ~_mask(words) << _POSITION_BITS
    within = {entry & _POSITION for listed in found for entry in listed.led if not entry & absent}
    return within.union(_holding(found, segment) if len(found) == len(words) else ())


def lists(segment: Segment, signatures: Sequence[str]) -> Iterator[tuple[int, str, bytes, bytes]]:
    """The rows of index_words; `signatures` stand by position, empty where nothing stands."""
    split = [signature.split(" ") if signature else [] for signature in signatures]
    counts = Counter(word for words in split for word in words)
    led: dict[str, list[int]] = {word: [] for word in counts}
    others: dict[str, list[int]] = {word: [] for word in counts}
    bit_of = {word: 1 << _bit(word) for word in counts}
    for position, words in enumerate(split):
        if not words:
            continue
        leader = min(words, key=counts.__getitem__)
        mask = 0
        for word in words:
            if word != leader:
                others[word].append(position)
                mask |= bit_of[word]
        led[leader].append(position | mask << _POSITION_BITS)
    for word in sorted(counts):
        packed = struct.pack(f"<{len(led[word])}Q", *led[word])
        yield segment.id, word, packed, ended(_shorter(others[word], segment.size))


def _holding(found: Sequence[Postings], segment: Segment) -> set[int]:
    holding = found[0].positions(segment)
    for listed in found[1:]:
        if not holding:
            break
        holding = listed.among(holding, segment)
    return holding


def _parsed(row: tuple[object, object, object], segment: Segment) -> Postings:
    word, led, stored = row
    others = content_of(stored)
    if not (isinstance(word, str) and isinstance(led, bytes)):
        raise SegmentDamaged
    if len(led) % 8 or (len(others) % 4 and len(others) != segment.size):
        raise SegmentDamaged
    entries = struct.unpack(f"<{len(led) // 8}Q", led)
    return Postings(word, entries, others)


def _shorter(positions: Sequence[int], size: int) -> bytes:
    """A list of positions, or the bitmap, which is never longer: its size tells which it is."""
    if 4 * len(positions) < size:
        return struct.pack(f"<{len(positions)}I", *positions)
    return from_bits(positions, size)


def _mask(words: Iterable[str]) -> int:
    mask = 0
    for word in words:
        mask |= 1 << _bit(word)
    return mask


def _bit(word: str) -> int:
    return int.from_bytes(word.encode(errors="surrogatepass"), "little") % _MASK_BITS
