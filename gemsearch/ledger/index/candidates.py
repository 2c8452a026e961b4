"""What the gates ask, answered from the indexes, and by the plain scan where there is none.

An index may name a gem too many: the gates look at each candidate themselves. It never names one
too few: every segment is asked, every range between and after them is scanned.
"""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

from gemsearch.core.model import Stored
from gemsearch.core.similarity import Likeness
from gemsearch.core.weights import OF_ENGLISH
from gemsearch.ledger.candidates import PlainScan
from gemsearch.ledger.index import segments

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from gemsearch.core.profiles import Profile
    from gemsearch.core.signature import Topic
    from gemsearch.core.weights import Weights
    from gemsearch.ledger.index.segments import Segment

    _Question = Callable[[Segment], Collection[int]]

_AT_ONCE = 500  # gems fetched by one statement
ENOUGH_SHARING = 300  # gems that share a word: they make at most three notes


class IndexedCandidates:
    """The same questions as PlainScan's, for a ledger whose gems are mostly in segments."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        now: str,
        since: str = "",
        weights: Weights = OF_ENGLISH,
    ) -> None:
        self._connection = connection
        self._now = now
        self._since = since
        self._weights = weights
        self._segments = segments.ready(connection)

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        if signal not in {"subset", "sequence"}:
            return self._scan().for_signal(signal, proposed, profile)
        found = self._found(
            self._asking(signal, proposed, profile),
            lambda scan: scan.for_signal(signal, proposed, profile),
        )
        if signal == "subset":
            return found
        likeness = Likeness(proposed.signature, profile.sequence)
        # The bags have compared the characters already.
        passes = likeness.could_match if profile.guards else likeness.could_match_in_order
        return (gem for gem in found if passes(gem.signature))

    def sharing_a_word(self, wanted: Iterable[str]) -> Iterator[Stored]:
        """Gems that have one of these words, those with rare words first.

        Not all of them: once ENOUGH_SHARING are found, commoner words are left out.
        """
        chosen = frozenset(wanted)
        enough = ENOUGH_SHARING // max(1, len(self._segments))
        return self._found(
            lambda segment: self._sharing_rare(segment, chosen, enough),
            lambda scan: scan.sharing_a_word(chosen),
        )

    def _asking(self, signal: str, proposed: Topic, profile: Profile) -> _Question:
        connection = self._connection
        if profile.guards:
            from gemsearch.ledger.index.overlaps import Overlapping  # start-up: one of three

            share = profile.least_overlap if signal == "subset" else profile.alike
            overlap = Overlapping(proposed.signature, share, self._weights)
            return lambda segment: overlap.positions(connection, segment)
        if signal == "subset":
            from gemsearch.ledger.index import words  # start-up

            return lambda segment: words.nested(connection, segment, proposed.words)
        from gemsearch.ledger.index.bags import Bag  # start-up

        bag = Bag(proposed.signature, profile.sequence)
        return lambda segment: bag.positions(connection, segment)

    def _sharing_rare(self, segment: Segment, wanted: frozenset[str], enough: int) -> set[int]:
        from gemsearch.ledger.index import words  # start-up

        found: set[int] = set()
        for listed in words.postings(self._connection, segment, wanted):
            found.update(sorted(listed.positions(segment))[: enough - len(found)])
            if len(found) >= enough:
                break
        return found

    def _found(
        self, question: _Question, scanned: Callable[[PlainScan], Iterable[Stored]]
    ) -> Iterator[Stored]:
        asked: list[Segment] = []
        for segment in self._segments:
            try:
                gem_ids = segments.gems_at(self._connection, segment, question(segment))
            except segments.SegmentDamaged:
                continue  # scanned below, with what no segment covers
            asked.append(segment)
            yield from self._gems(gem_ids)
        for span in segments.uncovered(asked):
            yield from scanned(self._scan(span))

    def _scan(self, span: tuple[int, int] | None = None) -> PlainScan:
        return PlainScan(self._connection, self._now, self._since, self._weights, span)

    def _gems(self, gem_ids: Sequence[int]) -> Iterator[Stored]:
        for start in range(0, len(gem_ids), _AT_ONCE):
            wanted = ",".join(map(str, gem_ids[start : start + _AT_ONCE]))
            rows = self._connection.execute(
                "SELECT id, topic, signature, created FROM gems"
                f" WHERE id IN ({wanted}) AND created >= ?",
                (self._since,),
            )
            yield from starmap(Stored, rows)


def sharing_sources(
    connection: sqlite3.Connection, url_ids: Sequence[int], most_of_two: int
) -> list[int]:
    """Gems with three of the sources, or with two and at most `most_of_two` sources in all.

    One too many may be among them.
    """
    from gemsearch.ledger.index import sources  # start-up: the query gate refuses without

    covering = segments.ready(connection)
    found: list[int] = []
    for segment in covering:
        found += sources.in_segment(connection, segment, url_ids, most_of_two)
    for first, last in segments.uncovered(covering):
        found += sources.in_range(connection, first, last, url_ids)
    return found
