"""How alike two signatures are: difflib's decision exactly, reached without difflib where possible.

`SequenceMatcher(None, stored, proposed).ratio()` is 2 * M / S, with M the matched characters and
S the sum of both lengths. The matched blocks are a common subsequence, so M is at most the number
of characters that both have, counted with repeats. That bound costs a microsecond a pair and
leaves about one pair in a thousand for difflib. The ratio depends on the order: stored comes first.
"""

from __future__ import annotations

from collections import Counter


def ratio(stored: str, proposed: str) -> float:
    """Difflib's ratio of the two, from 0 to 1; 1 for two empty strings."""
    from difflib import SequenceMatcher  # start-up: most topics end before they need it

    return SequenceMatcher(None, stored, proposed).ratio()


def length_window(length: int, threshold: float) -> tuple[int, int]:
    """Shortest and longest stored signature that can reach `threshold` with one of `length`.

    `threshold` must be above 0.
    """
    shortest = next(n for n in range(length + 1) if _reaches(n, length + n, threshold))
    longest = length
    while _reaches(length, length + longest + 1, threshold):
        longest += 1
    return shortest, longest


class Likeness:
    """Compares many stored signatures with one proposed signature."""

    def __init__(self, proposed: str, threshold: float) -> None:
        self._proposed = proposed
        self._threshold = threshold
        self._counts = tuple(Counter(proposed).items())

    def could_match(self, stored: str) -> bool:
        """False only where the ratio is certainly below the threshold."""
        common = 0
        for character, wanted in self._counts:
            found = stored.count(character)
            common += min(wanted, found)
        return _reaches(common, len(stored) + len(self._proposed), self._threshold)


def _reaches(matched: int, total: int, threshold: float) -> bool:
    # The very expression difflib computes, so that both agree to the last bit.
    return total == 0 or 2.0 * matched / total >= threshold
