"""What was taken from agents' own logs: how far each was read, and which calls are settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.ledger.times import iso

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from gemsearch.core.model import Caller


class Settled(NamedTuple):
    """A call that became a gem or a rejection. Some agents tell their hooks neither id nor session.

    `created` is ISO 8601.
    """

    agent: str | None
    session: str | None
    call_id: str | None
    topic: str
    created: str


def marks(connection: sqlite3.Connection) -> dict[str, tuple[int, str]]:
    """By path, how far each log was read, and the fingerprint it had."""
    rows = connection.execute("SELECT path, position, fingerprint FROM history_files")
    return {path: (position, fingerprint) for path, position, fingerprint in rows}


def keep_marks(
    connection: sqlite3.Connection, read: Mapping[str, tuple[int, str]], now: datetime
) -> None:
    """Store new marks, or move those that are there. The caller holds the write lock."""
    connection.executemany(
        "INSERT INTO history_files (path, position, fingerprint, read_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (path) DO UPDATE SET position = excluded.position,"
        " fingerprint = excluded.fingerprint, read_at = excluded.read_at",
        [(path, *mark, iso(now)) for path, mark in read.items()],
    )


def settled(connection: sqlite3.Connection) -> Iterator[Settled]:
    """Every call that became something, whichever door it came through."""
    rows = connection.execute(
        "SELECT agent, session, call_id, topic, created FROM searches"
        " WHERE state IN ('recorded', 'refused')"
    )
    return map(Settled._make, rows)


def free_topic_no(connection: sqlite3.Connection, caller: Caller) -> int:
    """A number that no topic of this very call has: some agents use an id again in a session."""
    row = connection.execute(
        "SELECT coalesce(max(topic_no) + 1, 0) FROM searches"
        " WHERE coalesce(agent, '') = ? AND coalesce(session, '') = ? AND call_id = ?",
        (caller.agent or "", caller.session or "", caller.call_id),
    ).fetchone()
    return int(row[0])
