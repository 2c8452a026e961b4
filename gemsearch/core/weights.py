"""How much a word tells: rare words tell much, common ones little.

A word weighs -100 times the natural logarithm of the share of texts that have it. The share blends
a table of general frequencies (words.txt, made by tools/make_word_table.py) with the ledger's own
counts: a young ledger then judges like an old one, and a word that all of a ledger's topics have
tells little there. Weights are whole numbers, so that sums are exact in any order.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache, lru_cache
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.signature import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The table counts as a ledger of so many gems. Recall and wrong refusals hardly change from 1,000
# to 10,000 (27.0 to 27.5 % and 0.10 to 0.11 % for an overlap of 0.65, technical stream at 5,000).
GEMS_OF_TABLE = 5000

_UNKNOWN = 1e-5  # share of words that the table lacks: it ends there

_VOWELS = frozenset("aeiouy")
_SHORTEST = 3  # letters that are left of a word without its ending


class Weights:
    """The weights of words in one ledger at one moment: `gems`, and how many have each stem."""

    def __init__(self, gems: int = 0, counts: Mapping[str, int] | None = None) -> None:
        self._gems = gems
        self._counts = {} if counts is None else counts
        self._known: dict[str, int] = {}

    def of(self, stemmed: str) -> int:
        weight = self._known.get(stemmed)
        if weight is None:
            weight = self._known[stemmed] = self._weigh(stemmed)
        return weight

    def total(self, stems: Iterable[str]) -> int:
        return sum(map(self.of, stems))

    def _weigh(self, stemmed: str) -> int:
        # One gem less: the gem that is compared has the word by itself, which tells nothing.
        others = max(0, self._counts.get(stemmed, 0) - 1)
        expected = GEMS_OF_TABLE * general_share(stemmed)
        return round(-100 * log((expected + others) / (GEMS_OF_TABLE + self._gems)))


OF_ENGLISH = Weights()  # as in an empty ledger


class Overlap(NamedTuple):
    """What two topics have in common, by weight."""

    share: float  # weight of the common words, of the weight of all
    telling: int  # number of common words that are not stop words
    informative: int  # weight of these
    heaviest: int  # of these
    nested: bool  # all words of one are in the other
    fewer: int  # words that are not stop words, of the topic that has fewer
    more: int  # and of the other


def overlap(some: frozenset[str], others: frozenset[str], weights: Weights) -> Overlap:
    """Compares two sets of stems."""
    shared = some & others
    told = [weights.of(stemmed) for stemmed in shared if stemmed not in _STOP_STEMS]
    fewer, more = sorted((len(_content(some)), len(_content(others))))
    return Overlap(
        weights.total(shared) / (weights.total(some | others) or 1),
        len(told),
        sum(told),
        max(told, default=0),
        len(shared) == min(len(some), len(others)),
        fewer,
        more,
    )


def could_share(
    some: frozenset[str], others: frozenset[str], share: float, weights: Weights
) -> bool:
    """False only where the common words certainly have less than `share` of the weight of all.

    All words weigh at least as much as `others`, which need not be weighed again and again.
    """
    return weights.total(some & others) / (weights.total(others) or 1) >= share


@lru_cache(65536)
def stems(signature: str) -> frozenset[str]:
    """The words of a signature without their endings."""
    return frozenset(map(stem, signature.split(" ")))


@lru_cache(65536)
def stem(word: str) -> str:
    """An English word without the ending of its plural, -ing or -ed: always its beginning."""
    if len(word) <= _SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    word = _without_verbal_ending(_without_plural(word))
    # `note` stays: its beginning is `not`.
    silent = word.endswith("y") or (word.endswith("e") and len(word) > _SHORTEST + 1)
    return word[:-1] if len(word) > _SHORTEST and silent else word


def rarest(stemmed: frozenset[str], share: float, weights: Weights) -> list[str]:
    """The heaviest words of a topic, one of which any topic has that overlaps it by `share`."""
    heaviest = sorted(stemmed, key=lambda each: (-weights.of(each), each))
    everything = weights.total(stemmed) or 1
    rest = everything
    for count, each in enumerate(heaviest, start=1):
        rest -= weights.of(each)
        if rest / everything < share:
            return heaviest[:count]
    return heaviest


@lru_cache(65536)
def general_share(stemmed: str) -> float:
    """The share of English sentences that have a word, by the table that comes with gemsearch."""
    lines, wanted = _table(), f"{stemmed} "
    place = bisect_left(lines, wanted)
    if place == len(lines) or not lines[place].startswith(wanted):
        return _UNKNOWN
    return exp(int(lines[place][len(wanted) :]) / -100)


@cache
def _table() -> list[str]:
    # The core's only file, read when a word first has to be weighed.
    with open(f"{__file__.rpartition('weights')[0]}words.txt", encoding="ascii") as file:
        return file.read().splitlines()


def _content(stemmed: frozenset[str]) -> frozenset[str]:
    return stemmed - _STOP_STEMS or stemmed


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        return word[:-3]
    if word.endswith("es") and word[:-2].endswith(("ss", "sh", "ch", "x", "z")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _without_verbal_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        left = word.removesuffix(ending)
        if left != word and len(left) > _SHORTEST and not _VOWELS.isdisjoint(left):
            doubled = left[-1] == left[-2] and left[-1] not in "lsz"  # running, but not falling
            return left[:-1] if doubled else left
    return word


_STOP_STEMS = frozenset(map(stem, STOP_WORDS))
