"""The source gate: did a search return the sources of an earlier gem?

Deduplicating requests is not deduplicating outcomes: another topic may bring the same documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.model import Match, SharedSource
from gemsearch.core.profiles import hub_limit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from gemsearch.core.model import Overlap, Source
    from gemsearch.core.profiles import Profile

SIGNAL = "sources"


def judge(
    proposed: Sequence[Source],
    overlaps: Iterable[Overlap],
    profile: Profile,
    hubs: Collection[str] = (),
    exceptions: Collection[tuple[int, str]] = (),
) -> Match | None:
    """The earlier gem whose sources recur, or None.

    `proposed` are the distinct sources compared; `overlaps` the gems that have some of them;
    `hubs` the keys that do not count; `exceptions` are (gem, signal) to skip.
    """
    return min(matches(proposed, overlaps, profile, hubs, exceptions), key=_strongest, default=None)


def matches(
    proposed: Sequence[Source],
    overlaps: Iterable[Overlap],
    profile: Profile,
    hubs: Collection[str] = (),
    exceptions: Collection[tuple[int, str]] = (),
) -> Iterator[Match]:
    """Every earlier gem of which enough sources recur."""
    for overlap in overlaps:
        if (overlap.gem_id, SIGNAL) in exceptions:
            continue
        match = compare(proposed, overlap, profile, hubs)
        if match is not None:
            yield match


def compare(
    proposed: Sequence[Source], overlap: Overlap, profile: Profile, hubs: Collection[str] = ()
) -> Match | None:
    """A match where enough sources recur. Score and threshold are shares of the smaller list."""
    smaller = min(len(proposed), overlap.size)
    counted = len(overlap.keys.difference(hubs))
    enough = sources_needed(smaller, profile)
    if counted < enough:
        return None
    shared = tuple(
        SharedSource(source.key, source.url, source.key not in hubs)
        for source in proposed
        if source.key in overlap.keys
    )
    return Match(
        SIGNAL,
        overlap.gem_id,
        overlap.topic,
        overlap.created,
        score=counted / smaller,
        threshold=enough / smaller,
        why=f"{counted} of {smaller} sources recur, {enough} are enough",
        shared=shared,
        smaller=smaller,
    )


def sources_needed(smaller: int, profile: Profile) -> int:
    """Shared sources that refuse, when the smaller list has so many: 2 up to five, else 3."""
    by_share = next(n for n in range(1, smaller + 1) if n / smaller >= profile.share)
    return min(profile.shared, max(profile.shared_at_least, by_share))


def hubs_among(proposed: Sequence[Source], profile: Profile, gems: int) -> frozenset[str]:
    """Keys of the sources that very many of the ledger's gems have: no evidence of sameness."""
    if not profile.hubs:
        return frozenset()
    limit = hub_limit(gems)
    return frozenset(source.key for source in proposed if source.gem_count >= limit)


def _strongest(match: Match) -> tuple[int, float, int]:
    counted = sum(source.counted for source in match.shared)
    return -counted, -match.score, match.gem_id
