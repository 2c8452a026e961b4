"""How sure a share is: a bootstrap over independent units, not over proposals.

Topics are the units: a topic that is refused in one shuffle is likely to be refused in the next.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_RESAMPLES = 1000
_TAIL = 0.025


class Share(NamedTuple):
    """A share of trials with its 95 % interval, all in percent."""

    percent: float
    low: float
    high: float
    hits: int
    trials: int

    def __str__(self) -> str:
        return f"{self.percent:.2f} [{self.low:.2f}, {self.high:.2f}]"


def share(units: Iterable[tuple[int, int]], seed: int = 0) -> Share | None:
    """The share of hits among trials; each unit brings (hits, trials). None without trials.

    Each resample counts every unit as often as a Poisson variable of mean 1 says.
    """
    tried = [(hits, trials) for hits, trials in units if trials]
    hitting = [unit for unit in tried if unit[0]]
    hits, trials = (sum(column) for column in zip(*tried, strict=True)) if tried else (0, 0)
    if not trials:
        return None
    if not hits:
        return Share(0.0, 0.0, min(100.0, 300 / len(tried)), 0, trials)  # the rule of three
    missed = trials - sum(unit[1] for unit in hitting)
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    resampled = (_resampled(hitting, missed, chance) for _ in range(_RESAMPLES))
    shares = sorted(found for found in resampled if found is not None)
    tail = int(_TAIL * len(shares))
    low, high = shares[tail], shares[-tail - 1]
    return Share(100 * hits / trials, 100 * low, 100 * high, hits, trials)


def _resampled(hitting: list[tuple[int, int]], missed: int, chance: random.Random) -> float | None:
    counts = [_poisson(chance) for _ in hitting]
    hits = sum(count * unit[0] for count, unit in zip(counts, hitting, strict=True))
    trials = sum(count * unit[1] for count, unit in zip(counts, hitting, strict=True)) + missed
    return hits / trials if trials else None


def _poisson(chance: random.Random) -> int:
    count, product = 0, chance.random()
    while product > _BY_E:
        count += 1
        product *= chance.random()
    return count


_BY_E = math.exp(-1)
