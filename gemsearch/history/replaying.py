"""What the gates would have refused, had they been there from the first day on.

The searches are proposed again in their order to a ledger in memory. Decisions are those of the
real loop with its default settings: a refused topic makes no gem, and what the source gate refused
becomes a wording. A search whose results no log kept counts as one that found sources of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core import query_gate
from gemsearch.core.model import Stored
from gemsearch.core.signature import EXACT, Topic, sign
from gemsearch.evaluation.growing import GrowingSources
from gemsearch.ledger.memory import Memory
from gemsearch.ledger.settings import WORDING_DAYS
from gemsearch.ledger.times import iso, later
from gemsearch.toolcalls.answers import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from gemsearch.core.model import Match, Source
    from gemsearch.core.profiles import Profile


class Search(NamedTuple):
    """A search that was made. `characters` counts what was kept of its results, None if nothing."""

    topic: str
    signature: str  # in the exact form
    session: str  # "" when the log has none
    when: datetime | None
    status: str  # ok, empty or missing
    sources: tuple[Source, ...] = ()
    characters: int | None = None

    @property
    def day(self) -> str:
        return self.when.date().isoformat() if self.when else ""


class Refusal(NamedTuple):
    """A search that would have been refused. `place` is its number in the history, from 0."""

    place: int
    signal: str
    within_session: bool  # by a search of the same session


class Refusals(NamedTuple):
    """What one profile would have refused of so many searches."""

    profile: str
    proposed: int
    refused: tuple[Refusal, ...]

    def by_signal(self, *, within_session: bool) -> dict[str, int]:
        counts = Counter(one.signal for one in self.refused if one.within_session == within_session)
        return {signal: counts[signal] for signal in (*query_gate.SIGNALS, "sources")}


def refusals(
    searches: Sequence[Search],
    profile: Profile,
    now: datetime,
    advance: Callable[[float], None] = lambda _: None,
) -> Refusals:
    """Propose the searches in their order; one without a time counts as made now."""
    ledger = _Ledger(profile)
    refused: list[Refusal] = []
    for place, search in enumerate(searches):
        if match := ledger.propose(search, search.when or now):
            within = bool(search.session) and search.session == ledger.session_of(match.gem_id)
            refused.append(Refusal(place, match.signal, within))
        if not place % 100:
            advance(place / len(searches))
    return Refusals(profile.name, len(searches), tuple(refused))


class _Ledger:
    """The gems, sources and wordings of one replay."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._gems = Memory(profile)
        self._sources = GrowingSources(profile)
        self._wordings = _Wordings(self._gems)
        self._sessions: list[str] = []

    def session_of(self, gem_id: int) -> str:
        return self._sessions[gem_id - 1]

    def propose(self, search: Search, when: datetime) -> Match | None:
        """The match that refuses the search; without one it becomes a gem, unless it was empty."""
        form = self._profile.form
        topic = Topic(search.topic, search.signature) if form == EXACT else sign(search.topic, form)
        if not topic.signature:
            return None  # this form has no word for it: a wrong call, not a refusal
        self._wordings.now = iso(when)
        covering = query_gate.judge(
            topic, self._wordings, self._profile, weights=self._gems.weights()
        )
        if covering or search.status == EMPTY:
            return covering
        recurring = self._sources.judge(search.sources)
        if recurring:
            self._learn(topic, search, recurring, when)
        else:
            self._add(search, iso(when), topic)
        return recurring

    def _add(self, search: Search, created: str, topic: Topic) -> None:
        self._gems.add(self._sources.add(search.sources), topic.text, created, topic.signature)
        self._sessions.append(search.session)

    def _learn(self, topic: Topic, search: Search, match: Match, when: datetime) -> None:
        if not search.session or search.session != self.session_of(match.gem_id):
            self._wordings.learn(topic, match, later(when, 86400 * WORDING_DAYS))


class _Wording(NamedTuple):
    stored: Stored
    expires: str


class _Wordings:
    """Candidates of the query gate: the gems, and what the source gate taught."""

    def __init__(self, gems: Memory) -> None:
        self.now = ""
        self._gems = gems
        self._learned: defaultdict[str, list[_Wording]] = defaultdict(list)
        self._count = 0

    def learn(self, topic: Topic, match: Match, expires: str) -> None:
        self._count += 1
        stored = Stored(match.gem_id, match.topic, topic.signature, match.created, self._count)
        self._learned[topic.signature].append(_Wording(stored, expires))

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        if signal != "wording":
            return self._gems.for_signal(signal, proposed, profile)
        learned = self._learned.get(proposed.signature, ())
        return [wording.stored for wording in learned if wording.expires > self.now]
