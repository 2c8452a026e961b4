"""The query gate: is a proposed topic already covered by an earlier one?

Three signals are tried in order. Of the topics on which one fires, the closest refuses;
equally close ones are settled by age, so that the answer is always the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gemsearch.core.contrast import contrast
from gemsearch.core.model import Match, Score
from gemsearch.core.signature import content_words
from gemsearch.core.similarity import ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from gemsearch.core.model import Stored
    from gemsearch.core.profiles import Profile
    from gemsearch.core.signature import Topic


class Candidates(Protocol):
    """Finds stored topics on which a signal may fire: one too many is slow, one too few wrong."""

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        raise NotImplementedError


def judge(
    proposed: Topic,
    candidates: Candidates,
    profile: Profile,
    exceptions: Collection[tuple[int, str]] = (),
) -> Match | None:
    """The earlier topic that covers `proposed`, or None. `exceptions` are (gem, signal) to skip."""
    return next(matches(proposed, candidates, profile, exceptions), None)


def matches(
    proposed: Topic,
    candidates: Candidates,
    profile: Profile,
    exceptions: Collection[tuple[int, str]] = (),
) -> Iterator[Match]:
    """Every earlier topic that covers `proposed`: signal by signal, the closest first."""
    for signal, compare in SIGNALS.items():
        fired = [
            (score, stored)
            for stored in candidates.for_signal(signal, proposed, profile)
            if (stored.gem_id, signal) not in exceptions
            and (score := compare(stored, proposed, profile)).fires
        ]
        for score, stored in sorted(fired, key=lambda pair: _closest_first(pair, proposed)):
            yield _match(score, stored)


def identical(stored: Stored, proposed: Topic, _: Profile) -> Score:
    """Equal signatures: the same words in whatever order."""
    fires = stored.signature == proposed.signature
    return Score("identical", float(fires), 1.0, fires, "same words" if fires else "other words")


def wording(stored: Stored, proposed: Topic, _: Profile) -> Score:
    """Equal to a wording that the source gate refused before."""
    fires = bool(stored.learned_from) and stored.signature == proposed.signature
    return Score("wording", float(fires), 1.0, fires, f"learned from #{stored.learned_from}")


def subset(stored: Stored, proposed: Topic, profile: Profile) -> Score:
    """One topic's words all lie within the other's; the score is the share that does."""
    fewer, more = sorted((stored.words, proposed.words), key=len)
    score = len(fewer & more) / len(fewer)
    if score < 1.0:
        return Score("subset", score, 1.0, fires=False, why="each has words of its own")
    why = _why_not_subset(fewer, more, stored.words, proposed.words, profile)
    return Score("subset", score, 1.0, not why, why or "all words of one are in the other")


def sequence(stored: Stored, proposed: Topic, profile: Profile) -> Score:
    """Nearly the same characters in the same order, by difflib's ratio, stored topic first."""
    score = ratio(stored.signature, proposed.signature)
    if score < profile.sequence:
        return Score("sequence", score, profile.sequence, fires=False, why="too few in common")
    why = contrast(stored.words, proposed.words) if profile.guards else ""
    return Score("sequence", score, profile.sequence, not why, why or "nearly the same text")


SIGNALS: dict[str, Callable[[Stored, Topic, Profile], Score]] = {
    "identical": identical,
    "wording": wording,
    "subset": subset,
    "sequence": sequence,
}


def _why_not_subset(
    fewer: frozenset[str],
    more: frozenset[str],
    stored: frozenset[str],
    proposed: frozenset[str],
    profile: Profile,
) -> str:
    if not profile.subset:
        return f"{profile.name} does not refuse by subset"
    if not profile.guards:
        return ""
    # A gem of one word would swallow every topic with that word.
    if len(content_words(fewer)) == 1 and len(content_words(more)) > 2:
        return "one word against more than two"
    return contrast(stored, proposed)


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
