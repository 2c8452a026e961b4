"""Before a search: a covered topic is refused, any other gets a lease."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch import errors, novelty
from gemsearch.agents import texts
from gemsearch.agents.deciding import BUSY_SECONDS, hooks_of, judgeable, proposed
from gemsearch.agents.event import DENY, NOTE, Decision
from gemsearch.core.model import Verdict
from gemsearch.ledger import searches, settings, sources, writing
from gemsearch.ledger.connection import read_snapshot, write_transaction
from gemsearch.ledger.opening import opened_for_search
from gemsearch.ledger.snapshot import Snapshot

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from gemsearch.agents.deciding import Asked
    from gemsearch.asking import Proposal
    from gemsearch.core.model import Match
    from gemsearch.ledger.settings import Hooks

LEASE_SECONDS = 120.0  # an agent's own search, and the question whether it may


def reserve(asked: Asked) -> Decision:
    """Judge the topics of a search that is about to be made. Raises LedgerError."""
    try:
        proposals = proposed(asked)
    except errors.SecretInTopic as secret:
        return Decision(DENY, texts.secret(secret.kind))
    if not proposals:
        return Decision()
    with opened_for_search(asked.ledger, busy=BUSY_SECONDS, until_exit=True) as ledger:
        hooks = hooks_of(ledger, asked)
        verdicts = _verdicts(ledger, asked, proposals, hooks)
        if _refuses(asked, verdicts, hooks):
            best = _best_sources(ledger, verdicts)
            return Decision(DENY, texts.refused(verdicts, best, asked.now))
    covered = [verdict for verdict in verdicts if not verdict.novel]
    if covered and hooks.query != settings.RECORD:
        return Decision(NOTE, texts.noted(map(texts.covered, covered)))
    return Decision()


def _verdicts(
    ledger: sqlite3.Connection, asked: Asked, proposals: Iterable[Proposal], hooks: Hooks
) -> list[Verdict]:
    """A verdict for each topic, with its lease or its rejection written down.

    Judged on a snapshot first, then under the lock against what is newer: of many agents at once
    each waits for the others' writing only, not for their gates.
    """
    with read_snapshot(ledger):
        snapshot = Snapshot(ledger, asked.now, hooks.profile)
        proposals = judgeable(snapshot, asked, proposals)
        earlier = [_told_before(ledger, proposal, hooks) for proposal in proposals]
        verdicts = [
            told or _verdict(proposal, snapshot.covering(proposal.topic))
            for proposal, told in zip(proposals, earlier, strict=True)
        ]
    new = [place for place, told in enumerate(earlier) if told is None]
    if not new:
        return verdicts
    try:
        with write_transaction(ledger):
            current = Snapshot(ledger, asked.now, hooks.profile)
            for place in new:
                verdicts[place] = _now(
                    current, proposals[place], verdicts[place], snapshot.last_gem
                )
            refused = _refuses(asked, verdicts, hooks)
            for place in new:
                verdicts[place] = _written(
                    ledger,
                    current,
                    proposals[place],
                    verdicts[place],
                    hooks,
                    asked.now,
                    refused=refused,
                )
    except errors.LedgerError as error:
        if not _refuses(asked, verdicts, hooks):
            raise
        asked.report(error)  # a refusal stands even when it can't be stored
    return verdicts


def _told_before(ledger: sqlite3.Connection, proposal: Proposal, hooks: Hooks) -> Verdict | None:
    """What this very call was told before, if it was: what was let through once stays so."""
    attempt = searches.of_call(ledger, proposal.caller)
    if attempt and attempt.state == "open" and attempt.topic == proposal.topic:
        return Verdict("novel", proposal.topic) if hooks.query == settings.DENY else None
    return novelty.settled_before(ledger, proposal)


def _now(current: Snapshot, proposal: Proposal, verdict: Verdict, last_gem: int) -> Verdict:
    """The verdict in view of what came after the snapshot, and of who searches right now."""
    topic = proposal.topic
    if not verdict.novel:
        return verdict
    if match := current.covering_since(topic, last_gem):
        return _verdict(proposal, match)
    pending = current.being_searched(topic, proposal.caller.session)
    return Verdict("pending", topic, pending) if pending else verdict


def _written(
    ledger: sqlite3.Connection,
    current: Snapshot,
    proposal: Proposal,
    verdict: Verdict,
    hooks: Hooks,
    now: datetime,
    *,
    refused: bool,
) -> Verdict:
    """A lease for a topic that will be searched, a rejection for one that is covered.

    A covered topic beside new ones in one call is searched with them: its rejection was not
    enforced. In the other modes the results decide what is written.
    """
    if verdict.status == "pending" and refused:
        return verdict
    topic, caller = current.stored(proposal.topic), proposal.caller
    if verdict.match is None or verdict.status == "pending" or hooks.query != settings.DENY:
        searches.start(ledger, topic, caller, now, lease_seconds=LEASE_SECONDS)
        return verdict
    search_id = searches.start(ledger, topic, caller, now)
    rejection_id = writing.add_rejection(
        ledger, topic, verdict.match, caller, current.profile, now, enforced=refused
    )
    searches.settle(ledger, search_id, "refused", rejection_id=rejection_id)
    return verdict._replace(rejection_id=rejection_id, enforced=refused)


def _verdict(proposal: Proposal, match: Match | None) -> Verdict:
    return Verdict("duplicate" if match else "novel", proposal.topic, match)


def _refuses(asked: Asked, verdicts: Sequence[Verdict], hooks: Hooks) -> bool:
    """A call of several topics is refused only if none of them is new."""
    return (
        hooks.query == settings.DENY
        and len(verdicts) == len(asked.topics)
        and not any(verdict.novel for verdict in verdicts)
    )


def _best_sources(ledger: sqlite3.Connection, verdicts: Iterable[Verdict]) -> list[tuple[str, str]]:
    gems = dict.fromkeys(v.match.gem_id for v in verdicts if v.match and v.match.gem_id)
    return [best for gem_id in gems for best in sources.best(ledger, gem_id, texts.MOST_SOURCES)]
