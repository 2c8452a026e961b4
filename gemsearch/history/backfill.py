"""Takes a history into the ledger: the calls are proposed in the order of time, by the one judge.

A call with kept results that is novel becomes a private gem with the call's own time; one that is
covered leaves a rejection that was not enforced, for nobody was refused then, and teaches nothing.
Calls without results leave nothing: a refusal must be able to show what was found.

Portions are transactions, and the last of them also says how far each log was read. Whoever is
killed in between reads again and skips what is there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from gemsearch import asking, novelty
from gemsearch.batch import TOGETHER, Known
from gemsearch.core.model import Caller
from gemsearch.core.results import MAX_RESULTS
from gemsearch.errors import BadTopic
from gemsearch.history.model import Mark
from gemsearch.history.proposals import Proposals
from gemsearch.ledger import history_files, searches
from gemsearch.ledger.connection import read_snapshot, write_transaction
from gemsearch.ledger.index import upkeep
from gemsearch.toolcalls.answers import OK

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gemsearch.history.model import SearchCall
    from gemsearch.history.proposals import Choice, Proposed

_SAME_MOMENT = timedelta(minutes=10)  # a hook and a log, or a fork, may tell times apart a little


class Taken(NamedTuple):
    """What became of the calls."""

    calls: int
    by_status: dict[str, int]
    secrets: dict[str, int]  # calls left out, by the kind of secret in the topic
    no_topics: int
    known: int  # in the ledger already
    gems: int
    repeats: dict[str, int]  # rejections, by signal


def known_marks(connection: sqlite3.Connection) -> dict[str, Mark]:
    """How far each log was read by earlier backfills."""
    return {path: Mark(*mark) for path, mark in history_files.marks(connection).items()}


def take(
    connection: sqlite3.Connection,
    calls: Iterable[SearchCall],
    now: datetime,
    choice: Choice,
    marks: Mapping[str, Mark],
    advance: Callable[[int], object] = lambda _: None,
) -> Taken:
    """Propose the chosen calls, given once each and in the order of time, and keep the marks.

    A call without a time counts as made now. Unless all calls are chosen no mark is kept: the
    others are still to be read. `advance` hears how many calls each portion had.
    """
    met = Proposals(calls, now, choice)
    seen = _Seen(connection)
    outcomes: Counter[str] = Counter()
    known: Known | None = None
    for portion, last in _portions(_ready(met, seen, now)):
        with write_transaction(connection):
            known = known.up_to_date() if known else Known(connection, now, None)
            outcomes.update(_outcome(known, one) for one in portion)
            if last and choice.takes_all:
                history_files.keep_marks(connection, marks, now)
        upkeep.after_writing(connection)
        advance(len(portion))
    signals = [name for name in outcomes if name not in _NO_SIGNALS]
    return Taken(
        met.calls,
        met.by_status,
        dict(met.secrets.most_common()),
        met.no_topics + outcomes[_NO_TOPIC],
        seen.met + outcomes[_KNOWN],
        outcomes[_GEM],
        {signal: outcomes[signal] for signal in sorted(signals)},
    )


_GEM, _NO_TOPIC, _KNOWN = "gem", "no topic", "known"
_NO_SIGNALS = frozenset({_GEM, _NO_TOPIC, _KNOWN})


class _Ready(NamedTuple):
    """A call that is ready to be judged; its sources are found before any lock is taken."""

    proposal: asking.Proposal
    found: novelty.Found
    when: datetime


def _ready(met: Proposals, seen: _Seen, now: datetime) -> Iterator[_Ready]:
    for one in met:
        if one.status != OK:
            continue
        caller, when = _caller(one), one.when or now
        if seen.has(caller, one.topic, when):
            continue
        found = novelty.found_in(one.call.answer.results[:MAX_RESULTS], None)
        yield _Ready(asking.Proposal(one.topic, caller, on_match=asking.PAST), found, when)


def _portions(ready: Iterable[_Ready]) -> Iterator[tuple[list[_Ready], bool]]:
    """Portions, and whether it is the last, which may be empty."""
    portion: list[_Ready] = []
    for one in ready:
        portion.append(one)
        if len(portion) == TOGETHER:
            yield portion, False
            portion = []
    yield portion, True


def _outcome(known: Known, one: _Ready) -> str:
    caller, topic = one.proposal.caller, one.proposal.topic
    earlier = searches.of_call(known.connection, caller)
    if earlier and earlier.topic != topic:
        caller = caller._replace(topic_no=history_files.free_topic_no(known.connection, caller))
    elif earlier and (earlier.gem_id or earlier.rejection_id):
        return _KNOWN  # a hook wrote it down a moment ago
    try:
        proposal = one.proposal._replace(caller=caller)
        verdict = known.propose(proposal, one.found, one.when)
    except BadTopic:  # the ledger's form of signature has no word for it
        return _NO_TOPIC
    return verdict.match.signal if verdict.match else _GEM


def _caller(one: Proposed) -> Caller:
    call = one.call
    return Caller(
        "history",
        call.agent or None,
        call.session or None,
        call.project or None,
        call.call_id or _made_up_id(one),
        call.topic_no,
        private=True,
    )


def _made_up_id(one: Proposed) -> str:
    """For a log without call ids: by the same text in the same session at the same time."""
    told = "\0".join((one.call.session, str(one.when or ""), one.topic))
    return f"mined:{sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


class _Seen:
    """The calls that the ledger has, from hooks or an earlier backfill; forks rename sessions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.met = 0
        self._calls: defaultdict[
            tuple[str | None, str | None, str], list[tuple[str | None, datetime]]
        ] = defaultdict(list)
        with read_snapshot(connection):
            for row in history_files.settled(connection):
                made = row.session, datetime.fromisoformat(row.created)
                self._calls[row.agent, row.call_id, row.topic].append(made)

    def has(self, caller: Caller, topic: str, when: datetime) -> bool:
        """Whether the call is there; from then on it is."""
        named = self._calls[caller.agent, caller.call_id, topic]
        unnamed = self._calls.get((caller.agent, None, topic), ())
        found = any(
            session == caller.session or abs(created - when) < _SAME_MOMENT
            for session, created in named
        ) or any(
            session in {None, caller.session} and abs(created - when) < _SAME_MOMENT
            for session, created in unnamed
        )
        self.met += found
        if not found:
            named.append((caller.session, when))
        return found
