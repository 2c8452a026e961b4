"""The query gate: is a proposed topic already covered by an earlier one?

Four signals are tried in order. Of the topics on which one fires, the closest refuses;
equally close ones are settled by age, so that the answer is always the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gemsearch.core.contrast import contrast
from gemsearch.core.model import Match, Score
from gemsearch.core.profiles import NEVER
from gemsearch.core.similarity import ratio
from gemsearch.core.weights import OF_ENGLISH, overlap, stems

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from gemsearch.core.model import Stored
    from gemsearch.core.profiles import Profile
    from gemsearch.core.signature import Topic
    from gemsearch.core.weights import Overlap, Weights


class Candidates(Protocol):
    """Finds stored topics on which a signal may fire: one too many is slow, one too few wrong."""

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]: ...


def judge(
    proposed: Topic,
    candidates: Candidates,
    profile: Profile,
    exceptions: Collection[tuple[int, str]] = (),
    weights: Weights = OF_ENGLISH,
) -> Match | None:
    """The earlier topic that covers `proposed`, or None. `exceptions` are (gem, signal) to skip."""
    return next(matches(proposed, candidates, profile, exceptions, weights), None)


def matches(
    proposed: Topic,
    candidates: Candidates,
    profile: Profile,
    exceptions: Collection[tuple[int, str]] = (),
    weights: Weights = OF_ENGLISH,
) -> Iterator[Match]:
    """Every earlier topic that covers `proposed`: signal by signal, the closest first."""
    for signal, compare in SIGNALS.items():
        fired = [
            (score, stored)
            for stored in candidates.for_signal(signal, proposed, profile)
            if (stored.gem_id, signal) not in exceptions
            and (score := compare(stored, proposed, profile, weights)).fires
        ]
        for score, stored in sorted(fired, key=lambda pair: _closest_first(pair, proposed)):
            yield _match(score, stored)


def identical(stored: Stored, proposed: Topic, _: Profile, __: Weights) -> Score:
    """Equal signatures: the same words in whatever order."""
    fires = stored.signature == proposed.signature
    return Score("identical", float(fires), 1.0, fires, "same words" if fires else "other words")


def wording(stored: Stored, proposed: Topic, _: Profile, __: Weights) -> Score:
    """Equal to a wording that the source gate refused before."""
    fires = bool(stored.learned_from) and stored.signature == proposed.signature
    return Score("wording", float(fires), 1.0, fires, f"learned from #{stored.learned_from}")


def subset(stored: Stored, proposed: Topic, profile: Profile, weights: Weights) -> Score:
    """Published: all words of one topic are in the other. Guarded: all that weigh."""
    if not profile.guards:
        fewer, more = sorted((stored.words, proposed.words), key=len)
        score = len(fewer & more) / len(fewer)
        why = "all words of one are in the other" if score == 1.0 else "each has words of its own"
        return Score("subset", score, 1.0, score == 1.0, why)
    common = overlap(stems(stored.signature), stems(proposed.signature), weights)
    threshold = _share_needed(common, profile)
    if common.share < threshold:
        return Score("subset", common.share, min(1.0, threshold), fires=False, why="too few words")
    why = _too_little(common, profile) or contrast(stored.words, proposed.words)
    return Score("subset", common.share, threshold, not why, why or "the words that tell recur")


def sequence(stored: Stored, proposed: Topic, profile: Profile, weights: Weights) -> Score:
    """Nearly the same characters in the same order, by difflib's ratio, stored topic first."""
    score = ratio(stored.signature, proposed.signature)
    if score < profile.sequence:
        return Score("sequence", score, profile.sequence, fires=False, why="too few in common")
    why = ""
    if profile.guards:
        common = overlap(stems(stored.signature), stems(proposed.signature), weights)
        why = "the words that differ tell too much" if common.share < profile.alike else ""
        why = why or _too_little(common, profile) or contrast(stored.words, proposed.words)
    return Score("sequence", score, profile.sequence, not why, why or "nearly the same text")


SIGNALS: dict[str, Callable[[Stored, Topic, Profile, Weights], Score]] = {
    "identical": identical,
    "wording": wording,
    "subset": subset,
    "sequence": sequence,
}


def _share_needed(common: Overlap, profile: Profile) -> float:
    # A gem of one word would swallow every topic with that word.
    if common.fewer == 1 and common.more > 1:
        return profile.alone if common.nested and common.more == 2 else NEVER
    whatever_else = profile.overlap if common.telling > 2 else profile.overlap_of_two
    return min(profile.nested, whatever_else) if common.nested else whatever_else


def _too_little(common: Overlap, profile: Profile) -> str:
    """Why the common words, heavy as they are beside the others, do not tell enough."""
    if common.share == 1.0:
        return ""
    if common.fewer == 1:
        enough = common.heaviest >= profile.name_like
    else:
        enough = common.informative >= profile.informative and common.heaviest >= profile.telling
    return "" if enough else "what they share is said of many things"


def _closest_first(fired: tuple[Score, Stored], proposed: Topic) -> tuple[float, float, int, int]:
    score, stored = fired
    alike = len(stored.words & proposed.words) / len(stored.words | proposed.words)
    return -score.score, -alike, stored.gem_id, stored.learned_from


def _match(score: Score, stored: Stored) -> Match:
    return Match(
        score.signal,
        stored.gem_id,
        stored.topic,
        stored.created,
        score.score,
        score.threshold,
        score.why,
        stored.learned_from,
    )
