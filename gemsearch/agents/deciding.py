"""What a hook decides about an agent's search. `before` and `after` do it.

The gates are those of the loop: the query gate before the search, both after it. What they do with
a match is a setting each, for within a session the same pages come up again, rightly.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gemsearch import errors
from gemsearch.agents.event import BEFORE
from gemsearch.asking import Proposal, accepted
from gemsearch.core.model import Caller
from gemsearch.ledger import settings
from gemsearch.ledger.opening import opened_for_reading
from gemsearch.toolcalls import names
from gemsearch.toolcalls.topics import topics_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from gemsearch.agents.event import Decision, Event
    from gemsearch.ledger.settings import Hooks
    from gemsearch.ledger.snapshot import Snapshot

    Report = Callable[[BaseException | str], None]

BUSY_SECONDS = 0.25  # an agent waits for its hook


class Asked(NamedTuple):
    """A search call to decide about.

    `ledger` is its path. `query` and `source` are modes that override the ledger's, "" for none.
    `report` takes what goes wrong on the way, as an error or as words.
    """

    event: Event
    topics: tuple[str, ...]
    ledger: str
    query: str
    source: str
    now: datetime
    report: Report


def searched_for(event: Event, tools: frozenset[str] = frozenset()) -> tuple[str, tuple[str, ...]]:
    """The kind of a tool call, and its topics if it is a web search.

    `tools` are further search tools and scripts that a person named.
    """
    if names.is_shell(event.tool):
        from gemsearch.toolcalls.shell import command_of, searched_in  # start-up: pi alone

        found = searched_in(command_of(event.arguments), tools)
        return (found.kind, (found.topic,)) if found else (names.OTHER, ())
    kind = names.kind_of(event.tool, event.server, tools)
    return kind, topics_of(event.arguments) if kind == names.SEARCH else ()


def tools_named(ledger: str, report: Report) -> frozenset[str]:
    """The search tools that a ledger's settings name; none where they can't be read."""
    if not os.path.lexists(ledger):
        return frozenset()
    try:
        with opened_for_reading(ledger, busy=BUSY_SECONDS) as connection:
            return settings.of_hooks(connection).tools
    except errors.LedgerError as problem:
        report(problem)  # most tools are no searches, whatever the ledger's state
        return frozenset()


def decide(asked: Asked) -> Decision:
    """Judge, and write down what became of it. Raises LedgerError."""
    if asked.event.phase == BEFORE:
        from gemsearch.agents.before import reserve  # start-up: one of two

        return reserve(asked)
    from gemsearch.agents.after import settle

    return settle(asked)


def hooks_of(ledger: sqlite3.Connection, asked: Asked) -> Hooks:
    """What this hook goes by: the ledger's settings, unless its command says otherwise."""
    hooks = settings.of_hooks(ledger)
    return hooks._replace(query=asked.query or hooks.query, source=asked.source or hooks.source)


def proposed(asked: Asked) -> list[Proposal]:
    """The topics that can be judged; the others are reported. Raises SecretInTopic."""
    proposals = []
    for number, topic in enumerate(asked.topics):
        try:
            proposals.append(Proposal(accepted(topic), _caller(asked.event, number)))
        except errors.BadTopic as problem:
            asked.report(problem)
    return proposals


def judgeable(snapshot: Snapshot, asked: Asked, proposals: Iterable[Proposal]) -> list[Proposal]:
    """Those of which the profile's signature leaves something; the others are reported."""
    left = []
    for proposal in proposals:
        try:
            snapshot.proposed(proposal.topic)
        except errors.BadTopic as problem:
            asked.report(problem)
        else:
            left.append(proposal._replace(profile=snapshot.profile.name))
    return left


def _caller(event: Event, topic_no: int) -> Caller:
    return Caller(
        "hook",
        event.agent,
        event.session or None,
        event.project or None,
        event.call_id or None,
        topic_no,
        private=True,
    )
