"""Result lists in memory, judged by the source gate with the hubs known so far."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from gemsearch.core import source_gate
from gemsearch.core.model import Overlap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gemsearch.core.model import Match, Source
    from gemsearch.core.profiles import Profile


class GrowingSources:
    """Result lists under one profile; a list is added when it was found novel.

    Hubs are not among the sources that a match shares: they do not count, and they are many.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._sizes: list[int] = []
        self._having: defaultdict[str, list[int]] = defaultdict(list)

    def covering(self, proposed: Sequence[Source]) -> list[Match]:
        """Every list whose sources recur, those with the most first."""
        counted, hubs = self._counted(proposed)
        found = source_gate.matches(counted, self._overlaps(counted, hubs), self._profile)
        return sorted(found, key=lambda match: (-match.score, match.gem_id))

    def judge(self, proposed: Sequence[Source]) -> Match | None:
        """The list that refuses, if one does."""
        counted, hubs = self._counted(proposed)
        return source_gate.judge(counted, self._overlaps(counted, hubs), self._profile)

    def add(self, sources: Sequence[Source]) -> int:
        self._sizes.append(len(sources))
        for source in sources:
            self._having[source.key].append(len(self._sizes))
        return len(self._sizes)

    def _counted(self, proposed: Sequence[Source]) -> tuple[list[Source], frozenset[str]]:
        """The sources with the number of lists that have each, and the hubs among them."""
        counted = [
            source._replace(gem_count=len(self._having.get(source.key, ()))) for source in proposed
        ]
        return counted, source_gate.hubs_among(counted, self._profile, len(self._sizes))

    def _overlaps(self, proposed: Sequence[Source], hubs: frozenset[str]) -> Iterator[Overlap]:
        keys: defaultdict[int, list[str]] = defaultdict(list)
        for source in proposed:
            for gem_id in () if source.key in hubs else self._having.get(source.key, ()):
                keys[gem_id].append(source.key)
        for gem_id, shared in keys.items():
            if len(shared) > 1:
                yield Overlap(gem_id, "", "", frozenset(shared), self._sizes[gem_id - 1])
