"""The loop: gate, search, gate again, record.

A topic is judged before the search and its sources after it. No lock is held while the network is
waited for; what others recorded meanwhile is judged before anything is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch import errors
from gemsearch.asking import FORCE, REFUSE, WARN
from gemsearch.core.model import Verdict
from gemsearch.core.text import clean_line
from gemsearch.ledger import searches, writing
from gemsearch.ledger.connection import (
    path_of,
    read_snapshot,
    roll_back,
    translating,
    write_transaction,
)
from gemsearch.ledger.settings import LEASE_SECONDS
from gemsearch.ledger.snapshot import Snapshot

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from gemsearch.asking import Proposal
    from gemsearch.core.model import Match, Result, Source
    from gemsearch.ledger.searches import Attempt
    from gemsearch.providers.base import Provider

SEARCH_SECONDS = 20.0  # total deadline of one search
_WARNING_CELLS = 400  # a warning may repeat what a provider sent


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
        settled = settled_before(connection, proposal)
        match = None if settled else snapshot.covering(proposal.topic)
    if settled:
        return settled
    if match and proposal.on_match == REFUSE:
        return _refused(connection, proposal, match, clock())

    chosen, started = provider(), clock()
    lease = max(LEASE_SECONDS, timeout + LEASE_SECONDS / 2)
    ticket: Ticket | Verdict | None = None
    try:
        ticket = _ticket(connection, proposal, match, snapshot.last_gem, started, lease)
        if isinstance(ticket, Verdict):
            return ticket
        found = ticket.kept or _asked(connection, proposal, ticket, chosen, clock, timeout)
        verdict = _judged(connection, proposal, ticket, found, clock)
    except BaseException as failure:
        # An interruption may come when the lease is taken and the ticket not yet here.
        if ticket or not isinstance(failure, errors.GemsearchError):
            _let_go(connection, proposal, started, chosen, failure, clock())
        raise
    return _with_related(connection, proposal, verdict, found, clock())


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
    found = found_in(results, provider)
    with write_transaction(connection):
        settled = settled_before(connection, proposal)
        if settled:
            return settled
        snapshot = Snapshot(connection, now, proposal.profile)
        verdict = recorded(connection, snapshot, proposal, found, now)
    return _with_related(connection, proposal, verdict, found, now)


def recorded(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    proposal: Proposal,
    found: Found,
    now: datetime,
) -> Verdict:
    """Both gates, and what becomes of it, within the caller's transaction. No related notes."""
    match = None
    if found.results:
        match = snapshot.covering(proposal.topic)
        match = match or snapshot.recurring(proposal.topic, found.sources)
    # Judged first: a topic that can't be judged must leave nothing in the caller's transaction.
    search_id = searches.start(connection, snapshot.stored(proposal.topic), proposal.caller, now)
    return concluded(connection, snapshot, proposal, search_id, found, match, now)


def settled_before(connection: sqlite3.Connection, proposal: Proposal) -> Verdict | None:
    """The verdict that this very call got before, if any."""
    earlier = searches.of_call(connection, proposal.caller)
    if earlier is None or earlier.topic != proposal.topic:
        return None
    from gemsearch.ledger import reading  # start-up: few calls are made twice

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
        if match is None and proposal.on_match != FORCE:
            pending = current.being_searched(topic, caller.session)
            if pending:
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
    kept = left and _kept_by(left)
    if left and kept:
        searches.extend(connection, left.id, now, lease)
        return Ticket(left.id, current.last_gem, overruled, kept)
    search_id = searches.start(connection, topic, proposal.caller, now, lease_seconds=lease)
    return Ticket(search_id, current.last_gem, overruled, None)


def _kept_by(left: Attempt) -> Found | None:
    """The answer of an interrupted attempt, if it kept one that can still be read."""
    try:
        return found_in(searches.results_of(left.answer or ""), left.provider)
    except (ValueError, TypeError, RecursionError, errors.WrongCall):
        return None


def _asked(
    connection: sqlite3.Connection,
    proposal: Proposal,
    ticket: Ticket,
    provider: Provider,
    clock: Callable[[], datetime],
    timeout: float,
) -> Found:
    """Search, and keep the answer before it is judged: a crash then costs no second search."""
    from gemsearch.core.results import MAX_RESULTS  # start-up: refusals skip both
    from gemsearch.ledger.pace import LedgerPace

    page = provider.search(proposal.topic, LedgerPace(connection, clock), timeout)
    # What comes after the most that is kept was not asked for; it is no fault of the caller's.
    found = found_in(page.results[:MAX_RESULTS], page.served_by or provider.name)
    if page.altered_topic:
        _warn(f"{found.provider} searched for: {page.altered_topic}")
    if page.partial:
        _warn(f"{found.provider} answered without: {', '.join(page.partial)}")
    with write_transaction(connection):
        searches.keep_answer(connection, ticket.search_id, found.provider, found.results)
    return found


def found_in(results: Iterable[object], provider: str | None) -> Found:
    """Results as they are kept, with their sources. Raises WrongCall for what is no result."""
    from gemsearch.core.results import as_results, sources_by_rank  # start-up: refusals skip it

    cleaned = as_results(results)
    return Found(cleaned, sources_by_rank(cleaned), provider and clean_line(provider))


def _judged(
    connection: sqlite3.Connection,
    proposal: Proposal,
    ticket: Ticket,
    found: Found,
    clock: Callable[[], datetime],
) -> Verdict:
    """Judge what came back, and write down what became of it."""
    with write_transaction(connection):
        now = clock()
        current = Snapshot(connection, now, proposal.profile)
        match = (
            ticket.overruled
            or current.covering_since(proposal.topic, ticket.last_gem)
            or current.recurring(proposal.topic, found.sources)
        )
        return concluded(connection, current, proposal, ticket.search_id, found, match, now)


def _let_go(
    connection: sqlite3.Connection,
    proposal: Proposal,
    started: datetime,
    provider: Provider,
    failure: BaseException,
    now: datetime,
) -> None:
    """End the lease, whatever happened; the failure itself is what the caller hears of."""
    kind = failure.kind if isinstance(failure, errors.SearchFailed) else None
    roll_back(connection)  # an interruption may come right behind BEGIN, where no one else does it
    try:
        with write_transaction(connection):
            searches.let_go(connection, proposal.topic, started, provider.name, kind, now)
    except errors.LedgerError as error:
        _warn(f"the lease could not be released and runs out by itself: {error.message}")


def concluded(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    proposal: Proposal,
    search_id: int,
    found: Found,
    match: Match | None,
    now: datetime,
) -> Verdict:
    """Write down what became of a result list. The caller holds the write lock.

    `match` is what the gates found; `search_id` is the attempt that it settles.
    """
    topic = snapshot.stored(proposal.topic)
    if not found.results:
        searches.settle(connection, search_id, "empty", provider=found.provider)
        return Verdict("empty", topic.text, provider=found.provider)

    gem_id = rejection_id = None
    outcome = proposal.outcome_of(match) if match else REFUSE
    if match is None or outcome in {WARN, FORCE}:
        gem_id = writing.add_gem(
            connection,
            topic,
            found.results,
            found.by_rank,
            proposal.caller,
            now,
            provider=found.provider,
            reason=proposal.reason,
        )
    if match:
        rejection_id = _kept(connection, snapshot, proposal, found, match, gem_id, now)
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
        enforced=gem_id is None and outcome == REFUSE,
    )


def _kept(
    connection: sqlite3.Connection,
    snapshot: Snapshot,
    proposal: Proposal,
    found: Found,
    match: Match,
    gem_id: int | None,
    now: datetime,
) -> int:
    """Store a rejection and what follows from it: an overruling, or a wording learned."""
    outcome = proposal.outcome_of(match)
    rejection_id = writing.add_rejection(
        connection,
        snapshot.stored(proposal.topic),
        match,
        proposal.caller,
        snapshot.profile,
        now,
        sources=found.sources,
        provider=found.provider,
        enforced=outcome in {REFUSE, FORCE},
        forced_gem_id=gem_id if outcome == FORCE else None,
    )
    if outcome == FORCE:
        writing.overrule(connection, rejection_id, now)
    elif outcome == REFUSE and match.gate == "source":
        writing.learn_wording(connection, rejection_id, now, snapshot.settings.wording_days)
    return rejection_id


def _with_related(
    connection: sqlite3.Connection,
    proposal: Proposal,
    verdict: Verdict,
    found: Found,
    now: datetime,
) -> Verdict:
    """Add what a wider profile would have refused: notes, so they are looked up without a lock.

    The gem is recorded by now: notes that can't be read must not say otherwise.
    """
    if verdict.gem_id is None:
        return verdict
    try:
        with translating(path_of(connection)), read_snapshot(connection):
            snapshot = Snapshot(connection, now, proposal.profile)
            related = snapshot.related(proposal.topic, found.sources, skip=verdict.gem_id)
    except errors.LedgerError as error:
        _warn(f"related gems could not be looked up: {error.message}")
        return verdict
    return verdict._replace(related=related)


def _warn(message: str) -> None:
    import logging  # start-up: hardly ever needed

    logging.getLogger("gemsearch").warning("%s", clean_line(message, _WARNING_CELLS))
