"""Attempts: every proposed topic leaves a row that says what became of it.

An open row holds its topic for the length of a lease; a crash therefore blocks nothing for longer.
The answer of a search is kept from its arrival to the verdict, so that a crash in between costs
no second search.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.model import Result
from gemsearch.ledger.connection import inserted
from gemsearch.ledger.times import iso, later

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

    from gemsearch.core.model import Caller
    from gemsearch.core.signature import Topic

ANSWER_HOURS = 24  # an answer older than this is searched for again


class Attempt(NamedTuple):
    id: int
    state: str
    topic: str
    provider: str | None
    answer: str | None
    gem_id: int | None
    rejection_id: int | None


_ATTEMPT = "SELECT id, state, topic, provider, answer, gem_id, rejection_id FROM searches"


def of_call(connection: sqlite3.Connection, caller: Caller) -> Attempt | None:
    """The attempt that this very call made before, if any."""
    if caller.call_id is None:
        return None
    row = connection.execute(
        f"{_ATTEMPT} WHERE coalesce(agent, '') = ? AND coalesce(session, '') = ?"
        " AND call_id = ? AND topic_no = ?",
        (caller.agent or "", caller.session or "", caller.call_id, caller.topic_no),
    ).fetchone()
    return Attempt._make(row) if row else None


def of_answer(connection: sqlite3.Connection, topic: Topic, caller: Caller) -> Attempt | None:
    """The attempt that an answer belongs to: that of the call, else one that was left open.

    Some agents number their calls at one end only, some never. Then the newest open attempt of the
    same agent, session and topic counts, unless it is known to be another call's.
    """
    own = of_call(connection, caller)
    if own:
        return own if own.topic == topic.text else None  # short numbers recur
    row = connection.execute(
        f"{_ATTEMPT} WHERE state IN ('open', 'answered') AND state = 'open' AND signature = ?"
        " AND coalesce(agent, '') = ? AND coalesce(session, '') = ? AND origin = ?"
        " AND (call_id IS NULL OR ? IS NULL) ORDER BY id DESC LIMIT 1",
        (
            topic.signature,
            caller.agent or "",
            caller.session or "",
            caller.origin,
            caller.call_id,
        ),
    ).fetchone()
    return Attempt._make(row) if row else None


def name_call(connection: sqlite3.Connection, search_id: int, caller: Caller) -> None:
    """Give an attempt the number of its call, which was not known when it began."""
    connection.execute(
        "UPDATE searches SET call_id = ?, topic_no = ? WHERE id = ? AND call_id IS NULL",
        (caller.call_id, caller.topic_no, search_id),
    )


def interrupted(
    connection: sqlite3.Connection, topic: Topic, caller: Caller, now: datetime
) -> Attempt | None:
    """An attempt at the same topic that was answered and never judged, if nobody works on it."""
    row = connection.execute(
        f"{_ATTEMPT} WHERE state = 'answered' AND signature = ? AND created > ?"
        " AND (lease_until <= ? OR created > ? OR session = ?) ORDER BY id DESC LIMIT 1",
        (topic.signature, later(now, -3600 * ANSWER_HOURS), iso(now), iso(now), caller.session),
    ).fetchone()
    return Attempt._make(row) if row else None


def start(
    connection: sqlite3.Connection,
    topic: Topic,
    caller: Caller,
    now: datetime,
    *,
    lease_seconds: float = 0.0,
) -> int:
    """A new attempt, or the row that this very call left before, opened again."""
    earlier = of_call(connection, caller)
    lease = later(now, lease_seconds) if lease_seconds else None
    if earlier:
        connection.execute(
            "UPDATE searches SET state = 'open', topic = ?, signature = ?, lease_until = ?,"
            " created = ?, error = NULL, answer = NULL WHERE id = ?",
            (topic.text, topic.signature, lease, iso(now), earlier.id),
        )
        return earlier.id
    return inserted(
        connection.execute(
            "INSERT INTO searches (agent, session, call_id, topic_no, project, topic, signature,"
            " state, lease_until, created, origin)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)",
            (
                caller.agent,
                caller.session,
                caller.call_id,
                caller.topic_no,
                caller.project,
                topic.text,
                topic.signature,
                lease,
                iso(now),
                caller.origin,
            ),
        )
    )


def extend(connection: sqlite3.Connection, search_id: int, now: datetime, seconds: float) -> None:
    """Take over an interrupted attempt with a lease of our own."""
    connection.execute(
        "UPDATE searches SET lease_until = ?, created = ? WHERE id = ?",
        (later(now, seconds), iso(now), search_id),
    )


def keep_answer(
    connection: sqlite3.Connection,
    search_id: int,
    provider: str | None,
    results: Sequence[Result],
) -> None:
    """Keep the answer until it is judged."""
    connection.execute(
        "UPDATE searches SET state = 'answered', provider = ?, answer = ? WHERE id = ?",
        (provider, json.dumps(results), search_id),
    )


def results_of(answer: str) -> tuple[Result, ...]:
    return tuple(Result(*fields) for fields in json.loads(answer))


def settle(
    connection: sqlite3.Connection,
    search_id: int,
    state: str,
    *,
    provider: str | None = None,
    error: str | None = None,
    gem_id: int | None = None,
    rejection_id: int | None = None,
) -> None:
    """Say what became of an attempt; its lease and its kept answer end."""
    connection.execute(
        "UPDATE searches SET state = ?, error = ?, lease_until = NULL, answer = NULL,"
        " provider = coalesce(?, provider), gem_id = ?, rejection_id = ? WHERE id = ?",
        (state, error, provider, gem_id, rejection_id, search_id),
    )


def let_go(
    connection: sqlite3.Connection,
    topic: str,
    started: datetime,
    provider: str,
    error: str | None,
    now: datetime,
) -> None:
    """End the lease that was taken on a topic at that moment and came to no verdict.

    `error` is the kind of failure. An answer that arrived is kept for the next attempt.
    """
    ours = "topic = ? AND created = ? AND lease_until IS NOT NULL"
    connection.execute(
        "UPDATE searches SET state = ?, lease_until = NULL, provider = coalesce(?, provider),"
        f" error = ? WHERE {ours} AND state = 'open'",
        ("failed" if error else "released", provider, error, topic, iso(started)),
    )
    connection.execute(
        f"UPDATE searches SET lease_until = ? WHERE {ours} AND state = 'answered'",
        (iso(now), topic, iso(started)),
    )
