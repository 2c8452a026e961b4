"""Proposals, and what can be asked about one without searching or writing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch import errors
from gemsearch.core.model import Caller, Verdict
from gemsearch.core.text import clean_topic, topic_problem
from gemsearch.ledger.connection import read_snapshot
from gemsearch.ledger.snapshot import Snapshot

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from gemsearch.core.model import Match
    from gemsearch.ledger.snapshot import Near

REFUSE, WARN, FORCE, PAST = "refuse", "warn", "force", "past"


class Proposal(NamedTuple):
    """A topic on its way through the gates.

    `profile` overrides the ledger's own. `on_match` says what a match leads to: `refuse`, `warn`
    (record all the same, keep a rejection that was not enforced), `force` (record, keep the
    rejection and overrule it) or, for `record` alone, `past` (a search of long ago: no gem, and a
    rejection that was not enforced, for nobody was refused then). `on_sources` says it for the
    source gate, where that differs.
    """

    topic: str
    caller: Caller = Caller()
    profile: str | None = None
    on_match: str = REFUSE
    reason: str | None = None  # why it is forced
    on_sources: str | None = None

    def outcome_of(self, match: Match) -> str:
        return self.on_sources or self.on_match if match.gate == "source" else self.on_match


class Explanation(NamedTuple):
    """What would be decided now, and the nearest gems with every signal's score."""

    verdict: Verdict
    profile: str
    signature: str
    nearest: list[Near]


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
        snapshot = Snapshot(connection, now, proposal.profile)
        return _with_notes(checked(snapshot, proposal), snapshot)


def checked(snapshot: Snapshot, proposal: Proposal) -> Verdict:
    """What the query gate says of a topic within a snapshot. No related notes."""
    topic = proposal.topic
    match = snapshot.covering(topic)
    if match:
        return Verdict("duplicate", topic, match)
    pending = snapshot.being_searched(topic, proposal.caller.session)
    if pending:
        return Verdict("pending", topic, pending)
    return Verdict("novel", topic)


def explain(connection: sqlite3.Connection, proposal: Proposal, now: datetime) -> Explanation:
    """Why a topic would be refused now, or why not. Writes nothing."""
    with read_snapshot(connection):
        snapshot = Snapshot(connection, now, proposal.profile)
        return Explanation(
            checked(snapshot, proposal),
            snapshot.profile.name,
            snapshot.proposed(proposal.topic).signature,
            snapshot.nearest(proposal.topic),
        )


def _refuse_secret(topic: str) -> None:
    from gemsearch.core.secrets import find_secret

    finding = find_secret(topic)
    if finding:
        raise errors.SecretInTopic(finding.kind)


def _with_notes(verdict: Verdict, snapshot: Snapshot) -> Verdict:
    return verdict._replace(related=snapshot.related(verdict.topic)) if verdict.novel else verdict
