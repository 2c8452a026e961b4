"""Topics that are one question in several wordings, and what says so.

A cluster is a star: every member is linked to the core itself, by a signal of the query gate or by
shared sources, under the default profile. Links are not followed further: what a member has in
common with a third topic does not bring that topic in, so no chain of small steps ends in one heap.
The order of the searches does not matter: weights, hubs and links are those of the whole history.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core import query_gate, source_gate
from gemsearch.core.profiles import DEFAULT, PROFILES
from gemsearch.core.secrets import find_secret
from gemsearch.core.signature import STOP_WORDS, Topic, content_words
from gemsearch.core.weights import stem, stems
from gemsearch.evaluation.growing import GrowingSources
from gemsearch.ledger.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gemsearch.core.model import Source
    from gemsearch.core.weights import Weights

_MOST_WORDS, _MOST_SOURCES = 4, 3  # named as the reason of a cluster


class Subject(NamedTuple):
    """A topic of the history: all searches with the same words. Days are "" when unknown."""

    signature: str
    text: str  # as it was most often written
    searches: int
    sessions: frozenset[str]
    first_day: str
    last_day: str
    sources: tuple[Source, ...]  # of all its searches


class Link(NamedTuple):
    """Why a member belongs to the core; `signal` is that of the query gate, or "sources"."""

    signal: str
    sources: tuple[Source, ...]  # that both have and that count


class Cluster(NamedTuple):
    """A core and its members, the core first. `words` and `sources` say what they share."""

    topic: str
    wordings: tuple[str, ...]
    searches: int
    sessions: int
    first_day: str
    last_day: str
    signals: dict[str, int]  # members by the signal that links them
    words: tuple[str, ...]
    sources: tuple[str, ...]


def clusters(subjects: Iterable[Subject]) -> list[Cluster]:
    """Every subject in one cluster, the largest first; a subject may be a cluster of its own."""
    ordered = sorted(subjects, key=attrgetter("signature"))
    known = Memory(PROFILES[DEFAULT])
    for number, subject in enumerate(ordered, start=1):
        known.add(number, subject.text, signed=subject.signature)
    weights = known.weights()
    links = _links(ordered, known, weights)
    found = [
        _cluster(ordered, core, members, links.get(core, {}), weights)
        for core, members in _stars(ordered, links)
    ]
    return sorted(found, key=lambda one: (-one.searches, -one.sessions, one.topic))


Links = dict[int, dict[int, Link]]


def _links(subjects: Sequence[Subject], known: Memory, weights: Weights) -> Links:
    """Between places, both ways. The first of two counts as stored: a ratio needs an order."""
    links: Links = defaultdict(dict)
    for place, subject in enumerate(subjects):
        for other, signal in _alike(place, subject, known, weights).items():
            _join(links, place, other, Link(signal, ()))
    for place, other, shared in _sharing_sources(subjects):
        signal = links[place][other].signal if other in links[place] else source_gate.SIGNAL
        _join(links, place, other, Link(signal, shared))
    return links


def _alike(place: int, subject: Subject, known: Memory, weights: Weights) -> dict[int, str]:
    """Earlier places by the signal of the query gate that fires."""
    topic = Topic(subject.text, subject.signature)
    found: dict[int, str] = {}
    for signal in ("subset", "sequence"):
        compare = query_gate.SIGNALS[signal]
        for stored in known.for_signal(signal, topic, known.profile):
            other = stored.gem_id - 1
            earlier = other < place and other not in found
            if earlier and compare(stored, topic, known.profile, weights).fires:
                found[other] = signal
    return found


def _sharing_sources(
    subjects: Sequence[Subject],
) -> Iterable[tuple[int, int, tuple[Source, ...]]]:
    lists = GrowingSources(PROFILES[DEFAULT])
    for subject in subjects:
        lists.add(subject.sources)
    for place, subject in enumerate(subjects):
        by_key = {source.key: source for source in subject.sources}
        for match in lists.covering(subject.sources):
            if match.gem_id - 1 < place:
                shared = tuple(by_key[one.key] for one in match.shared if one.counted)
                yield place, match.gem_id - 1, shared


def _join(links: Links, one: int, other: int, link: Link) -> None:
    links[one][other] = links[other][one] = link


def _stars(subjects: Sequence[Subject], links: Links) -> Iterable[tuple[int, list[int]]]:
    """Cores in the order of the searches around them; each takes the neighbours still free."""
    around = [
        subject.searches + sum(subjects[other].searches for other in links.get(place, ()))
        for place, subject in enumerate(subjects)
    ]
    free = set(range(len(subjects)))
    for core in sorted(free, key=lambda place: (-around[place], -subjects[place].searches, place)):
        if core not in free:
            continue
        members = sorted(free.intersection(links.get(core, ())))
        free.difference_update(members, (core,))
        yield core, members


def _cluster(
    subjects: Sequence[Subject],
    core: int,
    members: Sequence[int],
    linked: dict[int, Link],
    weights: Weights,
) -> Cluster:
    middle = subjects[core]
    everyone = [middle, *(subjects[place] for place in members)]
    by_words = [subjects[place] for place in members if linked[place].signal != source_gate.SIGNAL]
    links = [linked[place] for place in members]
    days = sorted(day for one in everyone for day in (one.first_day, one.last_day) if day)
    return Cluster(
        middle.text,
        tuple(one.text for one in everyone),
        sum(one.searches for one in everyone),
        len(frozenset().union(*(one.sessions for one in everyone))),
        days[0] if days else "",
        days[-1] if days else "",
        dict(sorted(Counter(link.signal for link in links).items())),
        _shared_words(middle, by_words, weights),
        _shared_sources(links),
    )


def _shared_words(core: Subject, members: Sequence[Subject], weights: Weights) -> tuple[str, ...]:
    """Words of the core that at least half of the members have too, the most telling first."""
    having = Counter(word for one in members for word in stems(one.signature))
    telling = content_words(frozenset(core.signature.split(" "))) - STOP_WORDS
    by_stem = {stem(word): word for word in sorted(telling, reverse=True)}
    shared = [word for word in by_stem if having[word] and 2 * having[word] >= len(members)]
    shared.sort(key=lambda word: (-having[word], -weights.of(word), word))
    return tuple(by_stem[word] for word in shared[:_MOST_WORDS])


def _shared_sources(links: Sequence[Link]) -> tuple[str, ...]:
    """Addresses that link the most members to the core; one with a key in it is not shown."""
    having = Counter(source for link in links for source in link.sources)
    shown = [source for source in having if not find_secret(source.url)]
    shown.sort(key=lambda source: (-having[source], source.key))
    return tuple(source.url for source in shown[:_MOST_SOURCES])
