"""Proposes many topics with their results, one after the other."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

from gemsearch import novelty
from gemsearch.core.model import Caller
from gemsearch.errors import BadTopic, SecretInTopic, WrongCall
from gemsearch.ledger.transfer import parsed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable


def propose_lines(
    connection: sqlite3.Connection,
    texts: Iterable[str],
    now: datetime,
    profile: str | None = None,
) -> Counter[str]:
    """Propose every line that has a topic and results; gives the number of lines by outcome.

    A line's own time, agent, session, project and provider are kept. Lines of an export that are
    not gems are skipped; so are topics that no gate would take, counted as such.
    """
    outcomes: Counter[str] = Counter()
    for number, line in parsed(texts):
        if line.get("type", "gem") != "gem":
            continue
        if not isinstance(line.get("topic"), str) or not isinstance(line.get("results"), list):
            raise WrongCall(
                f"line {number} has no topic or no list of results",
                hint=f"Lines before it were taken: {dict(outcomes)}.",
            )
        outcomes[_outcome(connection, line, now, profile)] += 1
    return outcomes


def _outcome(
    connection: sqlite3.Connection, line: dict[str, Any], now: datetime, profile: str | None
) -> str:
    caller = Caller(
        "import",
        _text(line, "agent"),
        _text(line, "session"),
        _text(line, "project"),
        private=line.get("visibility") == "private",
    )
    try:
        proposal = novelty.Proposal(novelty.accepted(line["topic"]), caller, profile)
    except (BadTopic, SecretInTopic):
        return "skipped"
    verdict = novelty.record(
        connection, proposal, line["results"], _time_of(line, now), _text(line, "provider")
    )
    return f"{verdict.status} {verdict.match.signal}" if verdict.match else verdict.status


def _text(line: dict[str, Any], name: str) -> str | None:
    value = line.get(name)
    return value if isinstance(value, str) else None


def _time_of(line: dict[str, Any], now: datetime) -> datetime:
    """The line's own time, if it has one: an import must not look like today's searches."""
    try:
        found = datetime.fromisoformat(line["created"])
    except (KeyError, TypeError, ValueError):
        return now
    return found if found.tzinfo else now
