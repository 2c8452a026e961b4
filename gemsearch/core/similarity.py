"""How alike two signatures are: difflib's decision exactly, reached without difflib where possible.

`SequenceMatcher(None, stored, proposed).ratio()` is 2 * M / S, with M the matched characters and
S the sum of both lengths. Three bounds on M, each tighter and dearer than the one before, spare
difflib nearly all pairs; a pair that fails one of them cannot reach the threshold:

1. M is at most the number of characters that both have, counted with repeats: the rarer letters
   first, because what one side lacks shows soonest among them.
2. Between two matched blocks at least one character is unmatched, so n blocks mean n - 1 <= S - 2M.
   A block of k characters shares k - 1 pairs of neighbours: together M - n >= 3M - S - 1 pairs.
3. The blocks stand in the same order on both sides: M is at most the longest common subsequence.

The ratio depends on the order: stored comes first. The bounds do not.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

_RARE_FIRST = "zqjxkvbywgpfmucdlhrsnioate "


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


@lru_cache(4096)
def matches_needed(total: int, threshold: float) -> int:
    """The least M that reaches `threshold` when both signatures have `total` characters."""
    needed = max(0, int(threshold * total / 2) - 1)
    while not _reaches(needed, total, threshold):
        needed += 1
    return needed


class Likeness:
    """Compares many stored signatures with one proposed signature."""

    def __init__(self, proposed: str, threshold: float) -> None:
        self._proposed = proposed
        self._threshold = threshold
        counts = Counter(proposed)
        letters = sorted(counts, key=_RARE_FIRST.find)
        half = len(letters) // 2
        self._rare, self._common = letters[:half], letters[half:]
        self._rare_counts = [counts[letter] for letter in self._rare]
        self._common_counts = [counts[letter] for letter in self._common]
        self._in_common = sum(self._common_counts)
        self._needed: dict[int, int] = {}
        self._pairs = [proposed[at : at + 2] for at in range(len(proposed) - 1)]
        self._places: dict[str, int] = {}
        for place, letter in enumerate(proposed):
            self._places[letter] = self._places.get(letter, 0) | 1 << place

    def could_match(self, stored: str) -> bool:
        """False only where the ratio is certainly below the threshold."""
        needed = self._need(len(stored))
        found = sum(map(min, self._rare_counts, map(stored.count, self._rare)))
        if found + self._in_common < needed:
            return False
        found += sum(map(min, self._common_counts, map(stored.count, self._common)))
        return found >= needed and self.could_match_in_order(stored)

    def could_match_in_order(self, stored: str) -> bool:
        """The same by the last two bounds alone, for one that has the characters."""
        needed = self._need(len(stored))
        total = len(stored) + len(self._proposed)
        pairs = sum(pair in stored for pair in self._pairs)
        return pairs >= 3 * needed - total - 1 and self._common_subsequence(stored) >= needed

    def _need(self, length: int) -> int:
        needed = self._needed.get(length)
        if needed is None:
            needed = matches_needed(length + len(self._proposed), self._threshold)
            self._needed[length] = needed
        return needed

    def _common_subsequence(self, stored: str) -> int:
        """Length of the longest one, one bit for each place of the proposed signature."""
        every = (1 << len(self._proposed)) - 1
        unmatched = every
        for letter in stored:
            here = unmatched & self._places.get(letter, 0)
            unmatched = (unmatched + here | unmatched - here) & every
        return len(self._proposed) - unmatched.bit_count()


def _reaches(matched: int, total: int, threshold: float) -> bool:
    # The very expression difflib computes, so that both agree to the last bit.
    return total == 0 or 2.0 * matched / total >= threshold
