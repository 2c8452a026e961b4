"""The loop: gate, search, gate again, record.

A topic is judged before the search and its sources after it. No lock is held while the network is
waited for; what others recorded meanwhile is judged before anything is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch import errors
from gemsearch.core.model import Caller, Verdict
from gemsearch.core.text import clean_topic, topic_problem
from gemsearch.ledger import reading, searches, writing
from gemsearch.ledger.connection import read_snapshot, write_transaction
from gemsearch.ledger.pace import LedgerPace
from gemsearch.ledger.settings import LEASE_SECONDS
from gemsearch.ledger.snapshot import Snapshot

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from gemsearch.core.model import Match, Result, Source
    from gemsearch.ledger.snapshot import Near
    from gemsearch.providers.base import Provider

SEARCH_SECONDS = 20.0  # total deadline of one search

REFUSE, WARN, FORCE = "refuse", "warn", "force"


class Proposal(NamedTuple):
    """A topic on its way through the gates.

    `profile` overrides the ledger's own. `on_match` says what a match leads to: `refuse`, `warn`
    (record all the same, keep a rejection that was not enforced) or `force` (record, keep the
    rejection and overrule it).
    """

    topic: str
    caller: Caller = Caller()
    profile: str | None = None
    on_match: str = REFUSE
    reason: str | None = None  # why it is forced


class Explanation(NamedTuple):
    """What would be decided now, and the nearest gems with every signal's score."""

    verdict: Verdict
    profile: str
    signature: str
    nearest: list[Near]


class Found(NamedTuple):
    """A result list, and for each result its source if the source gate counts it."""

    results: tuple[Result, ...]
    by_rank: Sequence[Source | None]
    provider: str | None

    @property
    def sources(self) -> list[Source]:
        return [source for source in self.by_rank if source]


class Ticket(NamedTuple):
    """Leave to search: the attempt's row, and what the topic has been judged against so far."""

    search_id: int
    last_gem: int
    overruled: Match | None  # the match that `force` goes past
    kept: Found | None  # the answer of an attempt that was interrupted before its verdict


def accepted(text: str, *, allow_secret: bool = False) -> str:
    """The topic as it is judged, searched and stored. Raises BadTopic or SecretInTopic."""
    problem = topic_problem(text)
    if problem:
        raise errors.BadTopic(problem, hint="Propose a short topic in plain words.")
    topic = clean_topic(text)
    if not allow_secret:
        _refuse_secret(topic)
    return topic


def check(connection: sqlite3.Connection, proposal: Proposal, now: datetime) -> Verdict:
    """What the query gate says of a topic. Writes nothing."""
    with read_snapshot(connection):
        return _checked(Snapshot(connection, now, proposal.profile), proposal)


def explain(connection: sqlite3.Connection, proposal: Proposal, now: datetime) -> Explanation:
    """Why a topic would be refused now, or why not. Writes nothing."""
    with read_snapshot(connection):
        snapshot = Snapshot(connection, now, proposal.profile)
        return Explanation(
            _checked(snapshot, proposal),
            snapshot.profile.name,
            snapshot.proposed(proposal.topic).signature,
            snapshot.nearest(proposal.topic),
        )


def search(
    connection: sqlite3.Connection,
    proposal: Proposal,
    provider: Callable[[], Provider],
    clock: Callable[[], datetime],
    timeout: float = SEARCH_SECONDS,
) -> Verdict:
    """Judge a topic, search for it, judge what came back, record it.

    `provider` is asked for only when the topic has passed the query gate; `timeout` is in seconds.
    Raises SearchFailed: then nothing is recorded, and the same topic may be searched again.
    """
    with read_snapshot(connection):
        snapshot = Snapshot(connection, clock(), proposal.profile)
        settled = _settled_before(connection, proposal)
        match = None if settled else snapshot.covering(proposal.topic)
    if settled:
        return settled
    if match and proposal.on_match == REFUSE:
        return _refused(connection, proposal, match, clock())

    chosen = provider()
    lease = max(LEASE_SECONDS, timeout + LEASE_SECONDS / 2)
    ticket = _ticket(connection, proposal, match, snapshot.last_gem, clock(), lease)
    if isinstance(ticket, Verdict):
        return ticket
    try:
        found = ticket.kept or _asked(connection, proposal, ticket, chosen, clock, timeout)
    except BaseException as failure:
        _let_go(connection, ticket, chosen, failure)
        raise
    with write_transaction(connection):
        now = clock()
        current = Snapshot(connection, now, proposal.profile)
        match = (
            ticket.overruled
            or current.covering_since(proposal.topic, ticket.last_gem)
            or current.recurring(proposal.topic, found.sources)
        )
        verdict = _concluded(connection, current, proposal, ticket.search_id, found, match, now)
    return _with_related(connection, proposal, verdict, found, now)


def record(
    connection: sqlite3.Connection,
    proposal: Proposal,
    results: Iterable[object],
    now: datetime,
    provider: str | None = None,
) -> Verdict:
    """Judge and record results that were obtained elsewhere, in one transaction.

    `results` as `core.results.as_results` takes them. A call with a call id is recorded once,
    however often it is made.
    """
    found = _found(results, provider)
    with write_transaction(connection):
        settled = _settled_before(connection, proposal)
        if settled:
            return settled
        snapshot = Snapshot(connection, now, proposal.profile)
        search_id = searches.start(
            connection, snapshot.stored(proposal.topic), proposal.caller, now
        )
        match = found.results and (
            snapshot.covering(proposal.topic) or snapshot.recurring(proposal.topic, found.sources)
        )
        verdict = _concluded(connection, snapshot, proposal, search_id, found, match or None, now)
    return _with_related(connection, proposal, verdict, found, now)


def _refuse_secret(topic: str) -> None:
    from gemsearch.core.secrets import find_secret

    finding = find_secret(topic)
    if finding:
        raise errors.SecretInTopic(finding.kind)


def _checked(snapshot: Snapshot, proposal: Proposal) -> Verdict:
    topic = proposal.topic
    match = snapshot.covering(topic)
    if match:
        return Verdict("duplicate", topic, match)
    pending = snapshot.being_searched(topic, proposal.caller.session)
    if pending:
        return Verdict("pending", topic, pending)
    return Verdict("novel", topic, related=snapshot.related(topic))


def _settled_before(connection: sqlite3.Connection, proposal: Proposal) -> Verdict | None:
    """The verdict that this very call got before, if any."""
    earlier = searches.of_call(connection, proposal.caller)
    if earlier is None or earlier.topic != proposal.topic:
        return None
    if earlier.gem_id is not None:
        return Verdict(
            "novel",
            earlier.topic,
            results=reading.results(connection, earlier.gem_id),
            provider=earlier.provider,
            gem_id=earlier.gem_id,
        )
    if earlier.rejection_id is not None:
        stored = reading.rejection(connection, earlier.rejection_id)
        return Verdict(
            "duplicate",
            earlier.topic,
            reading.match_of(connection, stored),
            provider=earlier.provider,
            rejection_id=stored.id,
        )
    return None


def _refused(
    connection: sqlite3.Connection, proposal: Proposal, match: Match, now: datetime
) -> Verdict:
    """A refusal before the search. It stands even when it can't be stored."""
    try:
        with write_transaction(connection):
            snapshot = Snapshot(connection, now, proposal.profile)
            topic = snapshot.stored(proposal.topic)
            search_id = searches.start(connection, topic, proposal.caller, now)
            rejection_id = writing.add_rejection(
                connection, topic, match, proposal.caller, snapshot.profile, now
            )
            searches.settle(connection, search_id, "refused", rejection_id=rejection_id)
    except errors.LedgerError as error:
        _warn(f"the refusal was not stored: {error.message}")
        return Verdict("duplicate", proposal.topic, match)
    return Verdict("duplicate", proposal.topic, match, rejection_id=rejection_id)


def _ticket(
    connection: sqlite3.Connection,
    proposal: Proposal,
    match: Match | None,
    last_gem: int,
    now: datetime,
    lease: float,
) -> Ticket | Verdict:
    """A lease on the topic, unless it was covered or taken since the snapshot."""
    topic, caller = proposal.topic, proposal.caller
    with write_transaction(connection):
        current = Snapshot(connection, now, proposal.profile)
        match = match or current.covering_since(topic, last_gem)
        if proposal.on_match != FORCE:
            pending = current.being_searched(topic, caller.session)
            if pending and match is None:
                return Verdict("pending", topic, pending)
        if match is None or proposal.on_match != REFUSE:
            return _started(connection, current, proposal, match, now, lease)
    return _refused(connection, proposal, match, now)


def _started(
    connection: sqlite3.Connection,
    current: Snapshot,
    proposal: Proposal,
    overruled: Match | None,
    now: datetime,
    lease: float,
) -> Ticket:
    topic = current.stored(proposal.topic)
    left = searches.interrupted(connection, topic, proposal.caller, now)
    if left and left.answer:
        searches.extend(connection, left.id, now, lease)
        kept = _found(searches.results_of(left.answer), left.provider)
        return Ticket(left.id, current.last_gem, overruled, kept)
    search_id = searches.start(connection, topic, proposal.caller, now, lease_seconds=lease)
    return Ticket(search_id, current.last_gem, overruled, None)


def _asked(
    connection: sqlite3.Connection,
    proposal: Proposal,
    ticket: Ticket,
    provider: Provider,
    clock: Callable[[], datetime],
    timeout: float,
) -> Found:
    """Search, and keep the answer before it is judged: a crash then costs no second search."""
    page = provider.search(proposal.topic, LedgerPace(connection, clock), timeout)
    found = _found(page.results, page.served_by or provider.name)
    with write_transaction(connection):
        searches.keep_answer(connection, ticket.search_id, found.provider, found.results)
    return found


def _found(results: Iterable[object], provider: str | None) -> Found:
    from gemsearch.core.results import as_results, sources_by_rank  # start-up: refusals skip it

    cleaned = as_results(results)
    return Found(cleaned, sources_by_rank(cleaned), provider)


def _let_go(
    connection: sqlite3.Connection, ticket: Ticket, provider: Provider, failure: BaseException
) -> None:
    """End the lease, whatever happened; the failure itself is what the caller hears of."""
    failed = isinstance(failure, errors.SearchFailed)
    try:
        with write_transaction(connection):
            searches.settle(
                connection,
                ticket.search_id,
                "failed" if failed else "released",
                provider=provider.name,
                error=failure.kind if isinstance(failure, errors.SearchFailed) else None,
            )
    except errors.LedgerError as error:
        _warn(f"the lease could not be released and runs out by itself: {error.message}")


def _concluded(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    proposal: Proposal,
    search_id: int,
    found: Found,
    match: Match | None,
    now: datetime,
) -> Verdict:
    """Write down what became of a result list. The caller holds the write lock."""
    topic, caller = snapshot.stored(proposal.topic), proposal.caller
    if not found.results:
        searches.settle(connection, search_id, "empty", provider=found.provider)
        return Verdict("empty", topic.text, provider=found.provider)

    gem_id = rejection_id = None
    if match is None or proposal.on_match != REFUSE:
        gem_id = writing.add_gem(
            connection,
            topic,
            found.results,
            found.by_rank,
            caller,
            now,
            provider=found.provider,
            reason=proposal.reason,
        )
    if match:
        rejection_id = writing.add_rejection(
            connection,
            topic,
            match,
            caller,
            snapshot.profile,
            now,
            sources=found.sources,
            provider=found.provider,
            enforced=proposal.on_match != WARN,
            forced_gem_id=gem_id if proposal.on_match == FORCE else None,
        )
        if proposal.on_match == FORCE:
            writing.overrule(connection, rejection_id, now)
        elif proposal.on_match == REFUSE and match.gate == "source":
            days = snapshot.settings.wording_days
            writing.learn_wording(connection, rejection_id, now, days)
    searches.settle(
        connection,
        search_id,
        "recorded" if gem_id else "refused",
        provider=found.provider,
        gem_id=gem_id,
        rejection_id=rejection_id,
    )
    return Verdict(
        "novel" if gem_id else "duplicate",
        topic.text,
        match,
        (),
        found.results if gem_id else (),
        found.provider,
        gem_id,
        rejection_id,
        enforced=gem_id is None,
    )


def _with_related(
    connection: sqlite3.Connection,
    proposal: Proposal,
    verdict: Verdict,
    found: Found,
    now: datetime,
) -> Verdict:
    """Add what a wider profile would have refused: notes, so they are looked up without a lock."""
    if verdict.gem_id is None:
        return verdict
    with read_snapshot(connection):
        snapshot = Snapshot(connection, now, proposal.profile)
        related = snapshot.related(proposal.topic, found.sources, skip=verdict.gem_id)
    return verdict._replace(related=related)


def _warn(message: str) -> None:
    import logging  # start-up: hardly ever needed

    logging.getLogger("gemsearch").warning(message)
