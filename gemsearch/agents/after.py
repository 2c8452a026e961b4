"""After a search: both gates judge what came back, and the lease ends.

A search that failed covers nothing. One that ran although its topic was covered makes no gem, and
nobody was refused: its rejection is not enforced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch import asking, errors, novelty
from gemsearch.agents import texts
from gemsearch.agents.deciding import BUSY_SECONDS, hooks_of, judgeable, proposed
from gemsearch.agents.event import FAILED, NOTE, REPLACE, Decision
from gemsearch.ledger import searches, settings, sources
from gemsearch.ledger.connection import write_transaction
from gemsearch.ledger.opening import opened_for_writing
from gemsearch.ledger.snapshot import Snapshot
from gemsearch.toolcalls import answers

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from gemsearch.agents.deciding import Asked
    from gemsearch.asking import Proposal
    from gemsearch.core.model import Match, Verdict
    from gemsearch.ledger.settings import Hooks
    from gemsearch.novelty import Found

_SEALING_LOOKED_AT = 64  # new gems between two looks whether an index is due


def settle(asked: Asked) -> Decision:
    """Judge and record the results of a search, or end its lease. Raises LedgerError."""
    try:
        proposals = proposed(asked)
    except errors.SecretInTopic as secret:
        asked.report(secret)
        return Decision()
    if not proposals:
        return Decision()
    answer = _answer(asked)
    if answer.status == answers.EMPTY or answer.results:
        return _judged(asked, proposals, answer.results)
    if answer.status == answers.MISSING:
        asked.report("nothing could be read from the answer")
    _let_go(asked, proposals, "upstream" if answer.status == answers.FAILED else None)
    return Decision()


def _answer(asked: Asked) -> answers.Answer:
    if asked.event.phase == FAILED:
        return answers.Answer(answers.FAILED)
    return answers.answer_of(asked.event.response, failed=asked.event.failed)


def _let_go(asked: Asked, proposals: Iterable[Proposal], error: str | None) -> None:
    """End the leases of a search that brought nothing; what was settled stays as it is."""
    with (
        opened_for_writing(asked.ledger, busy=BUSY_SECONDS, until_exit=True) as ledger,
        write_transaction(ledger),
    ):
        snapshot = Snapshot(ledger, asked.now)
        for proposal in proposals:
            topic = snapshot.stored(proposal.topic)
            attempt = searches.of_answer(ledger, topic, proposal.caller)
            if attempt and attempt.state == "open":
                state = "failed" if error else "released"
                searches.settle(ledger, attempt.id, state, provider=asked.event.tool, error=error)


def _judged(asked: Asked, proposals: list[Proposal], results: Sequence[object]) -> Decision:
    found = novelty.found_in(results, asked.event.tool)
    with opened_for_writing(asked.ledger, busy=BUSY_SECONDS, until_exit=True) as ledger:
        hooks = hooks_of(ledger, asked)
        verdicts = _recorded(ledger, asked, proposals, found, hooks)
        replaced = _replaced(ledger, verdicts)
    gems = [verdict.gem_id for verdict in verdicts if verdict.gem_id]
    if any(gem_id % _SEALING_LOOKED_AT == 0 for gem_id in gems):
        from gemsearch.agents.sealing import leave_to_a_child  # start-up: one gem in many

        leave_to_a_child(asked.ledger)
    return replaced or _noted(verdicts, hooks)


def _recorded(
    ledger: sqlite3.Connection,
    asked: Asked,
    proposals: list[Proposal],
    found: Found,
    hooks: Hooks,
) -> list[Verdict]:
    """A verdict for each topic that this call has none of yet, written down.

    The topics of a call share its results: their sources are judged before any is recorded, for a
    call does not repeat itself.
    """
    with write_transaction(ledger):
        snapshot = Snapshot(ledger, asked.now, hooks.profile)
        left = [
            proposal._replace(
                on_match=asking.PAST if hooks.query == settings.DENY else asking.WARN,
                on_sources=asking.REFUSE if hooks.source == settings.DENY else asking.WARN,
            )
            for proposal in judgeable(snapshot, asked, proposals)
        ]
        recurring = [
            snapshot.recurring(proposal.topic, found.sources) if found.results else None
            for proposal in left
        ]
        return [
            novelty.settled_before(ledger, proposal)
            or _written(ledger, snapshot, proposal, found, match, asked)
            for proposal, match in zip(left, recurring, strict=True)
        ]


def _written(
    ledger: sqlite3.Connection,
    snapshot: Snapshot,
    proposal: Proposal,
    found: Found,
    recurring: Match | None,
    asked: Asked,
) -> Verdict:
    covering = snapshot.covering(proposal.topic) if found.results else None
    topic, caller = snapshot.stored(proposal.topic), proposal.caller
    attempt = searches.of_answer(ledger, topic, caller)
    if attempt and attempt.state == "open":
        search_id = attempt.id
        if caller.call_id:
            searches.name_call(ledger, search_id, caller)
    else:
        search_id = searches.start(ledger, topic, caller, asked.now)
    match = covering or recurring
    return novelty.concluded(ledger, snapshot, proposal, search_id, found, match, asked.now)


def _replaced(ledger: sqlite3.Connection, verdicts: Sequence[Verdict]) -> Decision | None:
    """The decision to hide results, if the source gate refused them for every topic."""
    matches = [v.match for v in verdicts if v.match and v.match.gate == "source" and v.enforced]
    if not matches or len(matches) < len(verdicts):
        return None
    best = sources.best(ledger, matches[0].gem_id, texts.MOST_SOURCES)
    return Decision(REPLACE, texts.replaced(matches[0], best))


def _noted(verdicts: Sequence[Verdict], hooks: Hooks) -> Decision:
    """A note on what was found before and is shown all the same."""
    own = {verdict.gem_id for verdict in verdicts}
    told = [v.match for v in verdicts if v.match and not v.enforced and v.match.gem_id not in own]
    lines = [
        texts.recurring(match) if match.gate == "source" else texts.not_recorded(match)
        for match in told
        if _is_news(match, hooks)
    ]
    return Decision(NOTE, texts.noted(lines)) if lines else Decision()


def _is_news(match: Match, hooks: Hooks) -> bool:
    """Whether a note tells what was not said before the search, and may be told."""
    if match.gate == "source":
        return hooks.source == settings.WARN
    return hooks.query == settings.DENY
