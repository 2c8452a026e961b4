"""Bitmaps: Python's integers as vectors with one bit a gem, lowest bit first."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_STRIDE = 256  # bytes looked at together when searching for set bits
_NOTHING = bytes(_STRIDE)


def set_bits(every: bytes, first_byte: int = 0) -> list[int]:
    """The numbers of the bits that are set; the bytes start at bit 8 * first_byte."""
    found: list[int] = []
    for at in range(0, len(every), _STRIDE):
        stride = every[at : at + _STRIDE]
        if stride == _NOTHING:
            continue
        for offset, byte in enumerate(stride, first_byte + at):
            if byte:
                found += [8 * offset + bit for bit in range(8) if byte >> bit & 1]
    return found


def from_bits(numbers: Iterable[int], size: int) -> bytes:
    """A bitmap of `size` bytes with these bits set."""
    bits = bytearray(size)
    for number in numbers:
        bits[number >> 3] |= 1 << (number & 7)
    return bytes(bits)


def has(bits: bytes, number: int) -> int:
    """1 when the bit is set, else 0."""
    return bits[number >> 3] >> (number & 7) & 1


def carried(columns: list[list[int]]) -> int:
    """Add up; the positions where the sum reached 2 ** (number of columns - 1).

    `columns[k]` holds the vectors that count 2 ** k each; no position may reach twice that sum.
    """
    for column, following in pairwise(columns):
        while len(column) > 2:
            x, y, z = column.pop(), column.pop(), column.pop()
            odd = x ^ y
            column.append(odd ^ z)
            following.append(x & y | odd & z)
        if len(column) == 2:
            following.append(column[0] & column[1])
    reached = 0
    for vector in columns[-1]:
        reached |= vector
    return reached
