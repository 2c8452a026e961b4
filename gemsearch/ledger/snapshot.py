"""The ledger as the gates see it at one moment: rows become values here, and the core decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core import query_gate, source_gate
from gemsearch.core.contrast import contrast
from gemsearch.core.profiles import WIDEST
from gemsearch.core.signature import content_words, sign
from gemsearch.errors import BadTopic
from gemsearch.ledger import candidates, settings, sources, words
from gemsearch.ledger.connection import BUSY_SECONDS
from gemsearch.ledger.times import iso, later

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from gemsearch.core.model import Match, Score, Source, Stored
    from gemsearch.core.profiles import Profile
    from gemsearch.core.signature import Topic

MOST_RELATED = 3
NEAREST = 5


class Near(NamedTuple):
    """An earlier gem, and what each signal says of it and the proposed topic."""

    gem_id: int
    topic: str
    created: str
    scores: tuple[Score, ...]
    contrast: str  # the difference that makes two topics of them, if any
    excepted: tuple[str, ...]  # signals that a person overruled


class Snapshot:
    """Read within one transaction; `profile_name` overrides the ledger's own profile."""

    def __init__(
        self, connection: sqlite3.Connection, now: datetime, profile_name: str | None = None
    ) -> None:
        self._connection = connection
        self.now = iso(now)
        self._soon = later(now, 2 * BUSY_SECONDS)  # nobody waits longer for the lock
        self.settings = settings.read(connection)
        self.profile: Profile = (
            settings.profile_named(profile_name) if profile_name else self.settings.profile
        )
        age = self.settings.max_age_days
        self._since = later(now, -86400 * age) if age is not None else ""
        newest = connection.execute("SELECT max(id) FROM gems").fetchone()
        self.last_gem: int = newest[0] or 0
        self.weights = words.weights(connection, self.last_gem)

    def stored(self, text: str) -> Topic:
        """The topic as this ledger stores it."""
        return sign(text, self.settings.profile.form)

    def proposed(self, text: str) -> Topic:
        """The topic as the profile compares it. Raises BadTopic when nothing is left of it."""
        topic = sign(text, self.profile.form)
        if not topic.signature:
            # The empty set lies within every other: such a topic would be refused by any gem.
            raise BadTopic(f"the topic has no word: {text}", hint="Say it in words.")
        return topic

    def covering(self, text: str) -> Match | None:
        """The earlier gem that the query gate finds for a topic."""
        return self._judged(text, self._candidates(), self._exceptions(text))

    def covering_since(self, text: str, last_gem: int) -> Match | None:
        """The same, among the gems recorded after an earlier snapshot."""
        found = candidates.newer_than(self._connection, last_gem, self.profile)
        return self._judged(text, found, self._exceptions(text))

    def being_searched(self, text: str, session: str | None) -> Match | None:
        """A topic that another session is searching right now; its gem_id is 0."""
        found = candidates.being_searched(
            self._connection, self.profile, self.now, self._soon, session
        )
        return self._judged(text, found)

    def recurring(self, text: str, found: Sequence[Source]) -> Match | None:
        """The earlier gem that the source gate finds for the sources of a search."""
        counted = sources.with_counts(self._connection, found)
        hubs = source_gate.hubs_among(counted, self.profile, self.last_gem)
        overlaps = sources.overlaps(
            self._connection, counted, hubs=hubs, since=self._since, profile=self.profile
        )
        return source_gate.judge(counted, overlaps, self.profile, hubs, self._exceptions(text))

    def related(self, text: str, found: Sequence[Source] = (), skip: int = 0) -> tuple[Match, ...]:
        """What the widest profile would have refused: at most 3 gems, closest first."""
        if self.profile == WIDEST:
            return ()
        notes: dict[int, Match] = {}
        for match in (*self._related_topics(text), *self._related_sources(found)):
            if match.gem_id != skip:
                notes.setdefault(match.gem_id, match)
        return tuple(notes.values())[:MOST_RELATED]

    def nearest(self, text: str) -> list[Near]:
        """The gems closest to a topic, each with every signal's score."""
        proposed, exceptions = self.proposed(text), self._exceptions(text)
        stored = list(self._sharing_a_word(text, self.profile.form))
        stored.sort(key=lambda gem: (-_words_alike(gem.words, proposed.words), gem.gem_id))
        return [
            Near(
                gem.gem_id,
                gem.topic,
                gem.created,
                scores := self._scores(gem, proposed),
                contrast(gem.words, proposed.words) if self.profile.guards else "",
                tuple(s.signal for s in scores if (gem.gem_id, s.signal) in exceptions),
            )
            for gem in stored[:NEAREST]
        ]

    def _candidates(self) -> query_gate.Candidates:
        return candidates.in_ledger(
            self._connection,
            self.profile,
            self.settings.profile.form,
            self.now,
            self._since,
            self.weights,
        )

    def _judged(
        self,
        text: str,
        found: query_gate.Candidates,
        exceptions: frozenset[tuple[int, str]] = frozenset(),
    ) -> Match | None:
        return query_gate.judge(self.proposed(text), found, self.profile, exceptions, self.weights)

    def _exceptions(self, text: str) -> frozenset[tuple[int, str]]:
        """(gem, signal) to skip. One overruled signal speaks for all of its gate.

        A gem that must not refuse a topic as identical must not refuse it as a subset either.
        """
        overruled = self._connection.execute(
            "SELECT gem_id, signal = ? FROM exceptions WHERE signature = ?",
            (source_gate.SIGNAL, self.stored(text).signature),
        )
        return frozenset(
            (gem_id, signal)
            for gem_id, of_source_gate in overruled
            for signal in ((source_gate.SIGNAL,) if of_source_gate else query_gate.SIGNALS)
        )

    def _sharing_a_word(self, text: str, form: str) -> Iterator[Stored]:
        """Gems that have a content word of the topic, with signatures in `form`."""
        gems = candidates.of_form(self._connection, self.now, self._since, self.weights)
        stored = gems.sharing_a_word(content_words(self.stored(text).words))
        if form == self.settings.profile.form:
            return stored
        return (gem._replace(signature=sign(gem.topic, form).signature) for gem in stored)

    def _scores(self, stored: Stored, proposed: Topic) -> tuple[Score, ...]:
        return tuple(
            compare(stored, proposed, self.profile, self.weights)
            for signal, compare in query_gate.SIGNALS.items()
            if signal != "wording"
        )

    def _related_topics(self, text: str) -> Iterator[Match]:
        stored = candidates.Listed(list(self._sharing_a_word(text, WIDEST.form)))
        proposed = sign(text, WIDEST.form)
        if not proposed.signature:
            return iter(())
        return query_gate.matches(proposed, stored, WIDEST, self._exceptions(text))

    def _related_sources(self, found: Sequence[Source]) -> list[Match]:
        overlaps = sources.overlaps(self._connection, found, since=self._since, profile=WIDEST)
        return sorted(
            source_gate.matches(found, overlaps, WIDEST),
            key=lambda match: (-len(match.shared), -match.score, match.gem_id),
        )


def _words_alike(some: frozenset[str], others: frozenset[str]) -> float:
    return len(some & others) / len(some | others)
