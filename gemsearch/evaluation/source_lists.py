"""Measures the source gate: on labelled result lists, and on labelled pairs of agents' searches."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.errors import WrongCall
from gemsearch.evaluation.growing import GrowingSources
from gemsearch.evaluation.intervals import share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gemsearch.core.profiles import Profile
    from gemsearch.evaluation.intervals import Share
    from gemsearch.evaluation.labelled import ListOfSources, Pair, Search

ALIKE, ADJACENT, UNRELATED = "same need", "adjacent", "unrelated"


class ListFigures(NamedTuple):
    """Shares in percent of result lists proposed in random order to an empty ledger."""

    proposals: int
    repeats: Share | None  # lists of a need that was met before, refused by whatever list
    repeats_by_need: Share | None  # refused by a list of their own need
    adjacent: Share | None  # first lists of a need, of a subject that was met before
    unrelated: Share | None  # lists that one of another subject refused


class PairFigures(NamedTuple):
    """Pairs of searches that the gate takes for one, as it would have in their time."""

    same: int
    same_kept: int
    adjacent: int
    adjacent_refused: int

    @property
    def precision(self) -> float | None:
        refused = self.same_kept + self.adjacent_refused
        return self.same_kept / refused if refused else None


def measure_lists(
    lists: Sequence[ListOfSources],
    profile: Profile,
    *,
    shuffles: int,
    seed: int,
    advance: Callable[[float], None] = lambda _: None,
) -> ListFigures:
    units: dict[str, defaultdict[str, list[int]]] = {
        kind: defaultdict(lambda: [0, 0]) for kind in ("repeat", ALIKE, ADJACENT, UNRELATED)
    }
    for shuffle in range(shuffles):
        order = list(lists)
        random.Random(seed + shuffle).shuffle(order)  # noqa: S311 - not for secrets
        for kind, subject, refused in _outcomes(order, profile):
            units[kind][subject][0] += refused
            units[kind][subject][1] += 1
        advance((shuffle + 1) / shuffles)
    shares = {
        kind: share(((unit[0], unit[1]) for unit in found.values()), seed)
        for kind, found in units.items()
    }
    return ListFigures(
        len(lists), shares["repeat"], shares[ALIKE], shares[ADJACENT], shares[UNRELATED]
    )


def measure_pairs(
    pairs: Sequence[Pair], searches: Sequence[Search], profile: Profile
) -> PairFigures:
    """All searches are recorded in order of time; hubs are those known at the later of a pair."""
    order = sorted(range(len(searches)), key=lambda place: (searches[place].when, place))
    when = {searches[place].query: turn for turn, place in enumerate(order, start=1)}
    wanted: defaultdict[int, list[tuple[int, bool]]] = defaultdict(list)
    for pair in pairs:
        if not all(query in when for query in pair.queries):
            raise WrongCall(f"no search has the query of a pair: {pair.queries}")
        earlier, later = sorted(when[query] for query in pair.queries)
        wanted[later].append((earlier, pair.same))
    ledger = GrowingSources(profile)
    refused: Counter[bool] = Counter()
    for turn, place in enumerate(order, start=1):
        sources = searches[place].sources
        matched = {match.gem_id for match in ledger.covering(sources)} if wanted[turn] else set()
        refused.update(same for earlier, same in wanted[turn] if earlier in matched)
        ledger.add(sources)
    same = sum(pair.same for pair in pairs)
    return PairFigures(same, refused[True], len(pairs) - same, refused[False])


def _outcomes(order: Sequence[ListOfSources], profile: Profile) -> list[tuple[str, str, bool]]:
    """(kind of proposal, its subject, was it refused) of every list in order."""
    ledger = GrowingSources(profile)
    recorded: dict[int, ListOfSources] = {}
    needs: set[str] = set()
    subjects: set[str] = set()
    outcomes: list[tuple[str, str, bool]] = []
    for proposed in order:
        covering = [recorded[match.gem_id] for match in ledger.covering(proposed.sources)]
        if proposed.need in needs:
            outcomes.append(("repeat", proposed.subject, bool(covering)))
            own = any(other.need == proposed.need for other in covering)
            outcomes.append((ALIKE, proposed.subject, own))
        elif proposed.subject in subjects:
            outcomes.append((ADJACENT, proposed.subject, bool(covering)))
        foreign = any(other.subject != proposed.subject for other in covering)
        outcomes.append((UNRELATED, proposed.subject, foreign))
        needs.add(proposed.need)
        subjects.add(proposed.subject)
        if not covering:
            recorded[ledger.add(proposed.sources)] = proposed
    return outcomes
