"""What a history of searches says: what came back, and what the gates would have refused of it.

Pure: calls and a moment in, figures out. Topics that hold a secret are counted and left out before
anything else looks at them; so are addresses with a key in them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core import source_gate
from gemsearch.core.profiles import DEFAULT, PROFILES, SOURCES_COMPARED
from gemsearch.core.results import MAX_RESULTS, as_results, sources_by_rank
from gemsearch.core.secrets import find_secret
from gemsearch.core.signature import EXACT, signature
from gemsearch.history.clusters import Subject, clusters
from gemsearch.history.proposals import Proposals, folder
from gemsearch.history.replaying import Search, refusals
from gemsearch.ledger.statistics import TOKENS_PER_SEARCH
from gemsearch.toolcalls.answers import MISSING, OK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from gemsearch.core.model import Result, Source
    from gemsearch.history.clusters import Cluster
    from gemsearch.history.model import SearchCall
    from gemsearch.history.proposals import Choice, Proposed
    from gemsearch.history.replaying import Refusals

HEAD = 20  # topics and sources that are named; the others are counted
CHARACTERS_PER_TOKEN = 4


class ComingBack(NamedTuple):
    """Topics that were searched in several sessions, close wordings as one, most often first."""

    topics: int
    searches: int  # for these topics
    head: tuple[Cluster, ...]
    once: int  # distinct topics that stayed within one session: the long tail


class RecurringSource(NamedTuple):
    url: str
    topics: int
    searches: int
    sessions: int
    first_day: str
    last_day: str


class RecurringSources(NamedTuple):
    """Sources that were found for more than one topic, most topics first."""

    sources: int
    recurring: int
    head: tuple[RecurringSource, ...]


class Estimate(NamedTuple):
    """Tokens of refused searches: characters of the kept results / 4, else a flat sum each."""

    tokens: int
    by_results: int  # refused searches whose results were kept
    assumed: int  # and those that stand with TOKENS_PER_SEARCH


class ProfileFigures(NamedTuple):
    """What one profile would have refused; by signal, within one session and across sessions."""

    profile: str
    within_session: dict[str, int]
    across_sessions: dict[str, int]
    searches_saved: int  # refused by the query gate: not made at all
    lists_withheld: int  # refused by the source gate: made, and not read
    estimate: Estimate

    @property
    def refused(self) -> int:
        return self.searches_saved + self.lists_withheld


class Day(NamedTuple):
    searches: int
    refused: int  # by the default profile


class Report(NamedTuple):
    """Figures of a history. Days are ISO dates in UTC, "" when the logs tell none."""

    calls: int
    by_status: dict[str, int]  # ok, missing (no results kept), empty, failed, denied
    secrets: dict[str, int]  # calls left out, by the kind of secret in the topic
    no_topics: int  # calls left out: too long for a topic, or without a word
    searches: int  # calls that are judged here: neither left out nor failed nor denied
    topics: int  # distinct ones
    exact_repeats: int
    sessions: int
    undated: int
    first_day: str
    last_day: str
    agents: dict[str, int]
    projects: dict[str, int]  # by the last folder's name
    coming_back: ComingBack
    sources: RecurringSources
    profiles: tuple[ProfileFigures, ...]
    days: dict[str, Day]

    @property
    def new_by_day(self) -> dict[str, int]:
        return {day: one.searches - one.refused for day, one in self.days.items()}

    @property
    def refused_by_day(self) -> dict[str, int]:
        return {day: one.refused for day, one in self.days.items()}


def report_of(
    calls: Iterable[SearchCall],
    now: datetime,
    choice: Choice,
    advance: Callable[[float], None] = lambda _: None,
) -> Report:
    """The report of the chosen calls, each given once and in the order of time.

    `now` bounds what is believed as a time; `advance` hears the part done, 0 to 1.
    """
    met = Proposals(calls, now, choice)
    agents: Counter[str] = Counter()
    projects: Counter[str] = Counter()
    searches: list[Search] = []
    for one in met:
        searches.append(search_of(one))
        agents[one.call.agent] += 1
        projects[folder(one.call.project)] += 1
    replays = _replays(searches, now, advance)
    subjects = _subjects(searches)
    days = sorted(day for search in searches if (day := search.day))
    report = Report(
        met.calls,
        met.by_status,
        dict(met.secrets.most_common()),
        met.no_topics,
        len(searches),
        len(subjects),
        len(searches) - len(subjects),
        len({search.session for search in searches if search.session}),
        len(searches) - len(days),
        days[0] if days else "",
        days[-1] if days else "",
        dict(agents.most_common()),
        dict(projects.most_common()),
        _coming_back(subjects),
        _recurring(searches),
        tuple(_figures(replay, searches) for replay in replays),
        _days(searches, next(one for one in replays if one.profile == DEFAULT)),
    )
    advance(1.0)
    return report


def search_of(one: Proposed) -> Search:
    """The search as it is proposed again, with the sources that the real loop would count."""
    results = one.call.answer.results[:MAX_RESULTS] if one.status == OK else ()
    return Search(
        one.topic,
        signature(one.topic, EXACT),
        one.call.session,
        one.when,
        one.status,
        _sources_of(results),
        sum(map(_characters, results)) if results else None,
    )


def _sources_of(results: Iterable[Result]) -> tuple[Source, ...]:
    found: dict[str, Source] = {}
    for result in results:
        if len(found) == SOURCES_COMPARED:
            break
        source = _source_at(result.url)
        if source:
            found.setdefault(source.key, source)
    return tuple(found.values())


@lru_cache(1 << 14)  # addresses recur, and reading one takes longer than anything else here
def _source_at(url: str) -> Source | None:
    return sources_by_rank(as_results([url]))[0]


def _replays(
    searches: Sequence[Search], now: datetime, advance: Callable[[float], None]
) -> list[Refusals]:
    """The history again under each profile; that is most of the work."""
    replays = []
    for number, profile in enumerate(PROFILES.values()):
        start = 0.1 + 0.25 * number

        def part(done: float, start: float = start) -> None:
            advance(start + 0.25 * done)

        replays.append(refusals(searches, profile, now, part))
    return replays


def _subjects(searches: Sequence[Search]) -> list[Subject]:
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for place, search in enumerate(searches):
        alike[search.signature].append(place)
    return [_subject(signed, searches, places) for signed, places in alike.items()]


def _subject(signed: str, searches: Sequence[Search], places: Sequence[int]) -> Subject:
    same = [searches[place] for place in places]
    written = Counter(search.topic for search in same)
    days = sorted(day for search in same if (day := search.day))
    having = Counter(source.key for search in same for source in search.sources)
    by_key = {source.key: source for search in reversed(same) for source in search.sources}
    most = sorted(having, key=lambda key: (-having[key], key))[:SOURCES_COMPARED]
    return Subject(
        signed,
        min(written, key=lambda text: (-written[text], text)),
        len(same),
        frozenset(_session(searches, place) for place in places),
        days[0] if days else "",
        days[-1] if days else "",
        tuple(by_key[key] for key in most),
    )


def _session(searches: Sequence[Search], place: int) -> str:
    """Where the log names no session, each search stands for one of its own, as in the gates."""
    return searches[place].session or f"\0{place}"


def _coming_back(subjects: Sequence[Subject]) -> ComingBack:
    found = [cluster for cluster in clusters(subjects) if cluster.sessions > 1]
    return ComingBack(
        len(found),
        sum(cluster.searches for cluster in found),
        tuple(found[:HEAD]),
        len(subjects) - sum(len(cluster.wordings) for cluster in found),
    )


def _recurring(searches: Sequence[Search]) -> RecurringSources:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for place, search in enumerate(searches):
        for source in search.sources:
            found[source.key].append(place)
    recurring = [
        (len(topics), len(places), key)
        for key, places in found.items()
        if len(topics := {searches[place].signature for place in places}) > 1
    ]
    recurring.sort(key=lambda one: (-one[0], -one[1], one[2]))
    head = (_recurring_source(searches, found[key], topics, key) for topics, _, key in recurring)
    named = (source for source in head if not find_secret(source.url))
    return RecurringSources(len(found), len(recurring), tuple(islice(named, HEAD)))


def _recurring_source(
    searches: Sequence[Search], places: Sequence[int], topics: int, key: str
) -> RecurringSource:
    days = sorted(day for place in places if (day := searches[place].day))
    first = searches[places[0]].sources
    return RecurringSource(
        next(source.url for source in first if source.key == key),
        topics,
        len(places),
        len({_session(searches, place) for place in places}),
        days[0] if days else "",
        days[-1] if days else "",
    )


def _figures(replay: Refusals, searches: Sequence[Search]) -> ProfileFigures:
    by_sources = sum(refusal.signal == source_gate.SIGNAL for refusal in replay.refused)
    return ProfileFigures(
        replay.profile,
        replay.by_signal(within_session=True),
        replay.by_signal(within_session=False),
        len(replay.refused) - by_sources,
        by_sources,
        _estimate([searches[refusal.place] for refusal in replay.refused]),
    )


def _estimate(refused: Sequence[Search]) -> Estimate:
    kept = [search.characters for search in refused if search.characters is not None]
    assumed = sum(search.status == MISSING for search in refused)
    tokens = round(sum(kept) / CHARACTERS_PER_TOKEN) + assumed * TOKENS_PER_SEARCH
    return Estimate(tokens, len(kept), assumed)


def _characters(result: Result) -> int:
    return len(result.url) + len(result.title) + len(result.snippet)


def _days(searches: Sequence[Search], replay: Refusals) -> dict[str, Day]:
    made = Counter(search.day for search in searches)
    refused = Counter(searches[refusal.place].day for refusal in replay.refused)
    return {day: Day(made[day], refused[day]) for day in sorted(made) if day}
