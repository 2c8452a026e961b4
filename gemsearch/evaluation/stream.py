"""Proposes labelled topics in random order to an empty ledger, and counts what is refused.

A topic whose label was proposed before is a true repeat; the first of its label is new, and its
refusal wrong. What is refused is not recorded, as in a real ledger.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.evaluation.intervals import share
from gemsearch.ledger.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gemsearch.core.profiles import Profile
    from gemsearch.evaluation.intervals import Share
    from gemsearch.evaluation.labelled import Query

SIZES = (1000, 5000, 10000)
_AROUND = 0.25  # new topics count for a size while the ledger holds it, a quarter more or less

Verdicts = frozenset[frozenset[str]]


class WrongPair(NamedTuple):
    """A new topic that was refused, and the other topic's that refused it."""

    proposed: str
    stored: str
    signal: str
    score: float
    times: int  # in how many shuffles
    same: bool  # a person says that both are one topic after all


class StreamFigures(NamedTuple):
    """Shares in percent; `adjudicated` does not count pairs that are one topic after all."""

    proposals: int  # a shuffle
    repeats: Share | None  # true repeats that a topic of their own label refused
    repeats_by_signal: dict[str, float]
    wrong: dict[int, Share | None]
    adjudicated: dict[int, Share | None]
    wrong_by_signal: dict[str, int]
    pairs: tuple[WrongPair, ...]


class _Tally:
    """What happened to each label, over all shuffles."""

    def __init__(self, verdicts: Verdicts) -> None:
        self.verdicts = verdicts
        self.repeats: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.signals: Counter[str] = Counter()
        self.new = {size: Counter[str]() for size in SIZES}
        self.wrong = {size: Counter[str]() for size in SIZES}
        self.adjudicated = {size: Counter[str]() for size in SIZES}
        self.wrong_signals: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.how: dict[tuple[str, str], tuple[str, float]] = {}
        self.joined: dict[str, str] = {}  # labels of wrong pairs: not independent of each other

    def repeat(self, label: str, signal: str | None) -> None:
        self.repeats[label][0] += signal is not None
        self.repeats[label][1] += 1
        if signal:
            self.signals[signal] += 1

    def first(self, query: Query, held: int, covering: Sequence[tuple[Query, str, float]]) -> None:
        same = any(frozenset((query.text, other.text)) in self.verdicts for other, _, _ in covering)
        for size in SIZES:
            if abs(held - size) <= _AROUND * size:
                self.new[size][query.label] += 1
                self.wrong[size][query.label] += bool(covering)
                self.adjudicated[size][query.label] += bool(covering) and not same
        if covering:
            self.wrong_signals[covering[0][1]] += 1
        for other, signal, score in covering:
            self.pairs[query.text, other.text] += 1
            self.how.setdefault((query.text, other.text), (signal, round(score, 3)))
            self.joined[self.root(query.label)] = self.root(other.label)

    def root(self, label: str) -> str:
        while (above := self.joined.get(label, label)) != label:
            label = above
        return label


def measure(
    queries: Iterable[Query],
    profile: Profile,
    *,
    shuffles: int,
    seed: int,
    verdicts: Verdicts = frozenset(),
    advance: Callable[[float], None] = lambda _: None,
) -> StreamFigures:
    """Figures over `shuffles` orders, the first of which `seed` chooses."""
    stream = list(queries)
    tally = _Tally(verdicts)
    for shuffle in range(shuffles):
        random.Random(seed + shuffle).shuffle(stream)  # noqa: S311 - not for secrets
        _propose(
            stream,
            profile,
            tally,
            lambda done, shuffle=shuffle: advance((shuffle + done) / shuffles),  # type: ignore[misc]
        )
    return _figures(tally, len(stream), seed)


def _propose(
    stream: Sequence[Query], profile: Profile, tally: _Tally, advance: Callable[[float], None]
) -> None:
    ledger = Memory(profile)
    recorded: dict[int, Query] = {}
    proposed: set[str] = set()
    for done, query in enumerate(stream):
        covering = [
            (recorded[match.gem_id], match.signal, match.score)
            for match in ledger.covering(query.text)
        ]
        if query.label in proposed:
            own = (signal for other, signal, _ in covering if other.label == query.label)
            tally.repeat(query.label, next(own, None))
        else:
            tally.first(query, ledger.size, covering)
        proposed.add(query.label)
        if not covering:
            ledger.add(ledger.size + 1, query.text)
            recorded[ledger.last_gem] = query
        if not done % 200:
            advance(done / len(stream))


def _figures(tally: _Tally, proposals: int, seed: int) -> StreamFigures:
    repeats = share(((hits, trials) for hits, trials in tally.repeats.values()), seed)
    trials = repeats.trials if repeats else 1
    return StreamFigures(
        proposals,
        repeats,
        {signal: 100 * count / trials for signal, count in tally.signals.most_common()},
        {size: _share_of_new(tally, tally.wrong[size], size, seed) for size in SIZES},
        {size: _share_of_new(tally, tally.adjudicated[size], size, seed) for size in SIZES},
        dict(tally.wrong_signals.most_common()),
        _pairs(tally),
    )


def _share_of_new(tally: _Tally, hits: Counter[str], size: int, seed: int) -> Share | None:
    units: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for label, trials in tally.new[size].items():
        unit = units[tally.root(label)]
        unit[0] += hits[label]
        unit[1] += trials
    return share(((unit[0], unit[1]) for unit in units.values()), seed)


def _pairs(tally: _Tally) -> tuple[WrongPair, ...]:
    return tuple(
        WrongPair(*pair, *tally.how[pair], times, frozenset(pair) in tally.verdicts)
        for pair, times in tally.pairs.most_common()
    )
