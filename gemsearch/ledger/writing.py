"""Writes gems and refusals. The caller holds the write lock; nothing here commits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gemsearch.core.text import clean_line
from gemsearch.ledger import words
from gemsearch.ledger.connection import inserted
from gemsearch.ledger.times import iso, later

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from gemsearch.core.model import Caller, Match, Result, Source
    from gemsearch.core.profiles import Profile
    from gemsearch.core.signature import Topic


def add_gem(
    connection: sqlite3.Connection,
    topic: Topic,
    results: Sequence[Result],
    sources: Sequence[Source | None],
    caller: Caller,
    now: datetime,
    *,
    provider: str | None = None,
    reason: str | None = None,
) -> int:
    """Store a gem and its results; `sources` has the counted source of each result, or None."""
    gem_id = inserted(
        connection.execute(
            "INSERT INTO gems (topic, signature, provider, agent, session, project, origin,"
            " created, day, result_count, reason, visibility)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                topic.text,
                topic.signature,
                provider,
                caller.agent,
                caller.session,
                caller.project,
                caller.origin,
                iso(now),
                iso(now)[:10],
                len(results),
                reason and clean_line(reason),
                "private" if caller.private else "open",
            ),
        )
    )
    words.add(connection, topic.text)
    add_results(connection, gem_id, results, sources)
    return gem_id


def add_results(
    connection: sqlite3.Connection,
    gem_id: int,
    results: Sequence[Result],
    sources: Sequence[Source | None],
) -> None:
    """Store a gem's results; each counted source gains one gem."""
    known = add_sources(connection, [source for source in sources if source])
    connection.executemany(
        "INSERT INTO results (gem_id, url_id, rank, url, title, snippet, published)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                gem_id,
                known[source.key][0] if source else None,
                rank,
                None if source and known[source.key][1] == result.url else result.url,
                result.title,
                result.snippet,
                result.published,
            )
            for rank, (result, source) in enumerate(zip(results, sources, strict=True), start=1)
        ],
    )
    connection.executemany(
        "UPDATE urls SET gem_count = gem_count + 1 WHERE id = ?",
        [(url_id,) for url_id, _ in known.values()],
    )


def add_sources(
    connection: sqlite3.Connection, sources: Iterable[Source]
) -> dict[str, tuple[int, str]]:
    """Make sure that each source has its row. Gives (id, address as first returned) by key."""
    sources = list(sources)
    connection.executemany(
        "INSERT INTO urls (key, url, host) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
        [(source.key, source.url, source.host) for source in sources],
    )
    marks = ", ".join("?" * len(sources))
    rows = connection.execute(
        f"SELECT key, id, url FROM urls WHERE key IN ({marks})", [source.key for source in sources]
    )
    return {key: (url_id, url) for key, url_id, url in rows}


def add_rejection(
    connection: sqlite3.Connection,
    topic: Topic,
    match: Match,
    caller: Caller,
    profile: Profile,
    now: datetime,
    *,
    sources: Sequence[Source] = (),
    provider: str | None = None,
    enforced: bool = True,
    forced_gem_id: int | None = None,
) -> int:
    """Store a refusal with its evidence; `sources` are those of the refused result list."""
    rejection_id = inserted(
        connection.execute(
            "INSERT INTO rejections (topic, signature, gate, signal, score, threshold, evidence,"
            " gem_id, shared, smaller, profile, enforced, forced_gem_id, provider, agent, session,"
            " project, origin, created, day, visibility)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                topic.text,
                topic.signature,
                match.gate,
                match.signal,
                match.score,
                match.threshold,
                evidence(match),
                match.gem_id,
                sum(source.counted for source in match.shared) if match.shared else None,
                match.smaller or None,
                profile.name,
                int(enforced),
                forced_gem_id,
                provider,
                caller.agent,
                caller.session,
                caller.project,
                caller.origin,
                iso(now),
                iso(now)[:10],
                "private" if caller.private else "open",
            ),
        )
    )
    _add_rejected_sources(connection, rejection_id, match, sources)
    return rejection_id


def evidence(match: Match) -> str:
    """What was compared and why it was enough, as JSON: it outlives a change of the rules."""
    found: dict[str, object] = {"covered_by": match.topic, "why": match.why}
    if match.learned_from:
        found["learned_from"] = match.learned_from
    if match.shared:
        found["sources"] = [{"url": s.url, "counted": s.counted} for s in match.shared]
    return json.dumps(found)


def learn_wording(
    connection: sqlite3.Connection, rejection_id: int, now: datetime, days: float
) -> None:
    """From now on the refused topic is another wording of the gem.

    Not within one session: an agent that digs deeper finds the same pages again, rightly.
    """
    connection.execute(
        "INSERT INTO wordings (rejection_id, signature, gem_id, created, expires)"
        " SELECT rejections.id, rejections.signature, gems.id, ?, ?"
        " FROM rejections JOIN gems ON gems.id = rejections.gem_id"
        " WHERE rejections.id = ?"
        " AND (rejections.session IS NULL OR rejections.session IS NOT gems.session)",
        (iso(now), later(now, 86400 * days), rejection_id),
    )


def mark(
    connection: sqlite3.Connection, rejection_id: int, label: str, reason: str | None, now: datetime
) -> None:
    """Store a person's judgement. "wrong" overrules the refusal, "right" takes that back."""
    connection.execute(
        "UPDATE rejections SET marked = ?, mark_reason = ? WHERE id = ?",
        (label, reason and clean_line(reason), rejection_id),
    )
    connection.execute("DELETE FROM exceptions WHERE rejection_id = ?", (rejection_id,))
    if label == "wrong":
        overrule(connection, rejection_id, now)


def overrule(connection: sqlite3.Connection, rejection_id: int, now: datetime) -> None:
    """Unlearn what the refusal taught; from now on its signal skips its gem for this topic."""
    connection.execute(
        "DELETE FROM wordings WHERE rejection_id = ? OR (signature, gem_id) ="
        " (SELECT signature, gem_id FROM rejections WHERE id = ? AND signal = 'wording')",
        (rejection_id, rejection_id),
    )
    connection.execute(
        "INSERT INTO exceptions (rejection_id, signature, gem_id, signal, created)"
        " SELECT id, signature, gem_id, signal, ? FROM rejections"
        " WHERE id = ? AND gem_id IS NOT NULL",
        (iso(now), rejection_id),
    )


def _add_rejected_sources(
    connection: sqlite3.Connection, rejection_id: int, match: Match, sources: Sequence[Source]
) -> None:
    known = add_sources(connection, sources)
    shared = {source.key: source.counted for source in match.shared}
    connection.executemany(
        "INSERT INTO rejection_urls (rejection_id, url_id, shared, counted) VALUES (?, ?, ?, ?)",
        [
            (rejection_id, url_id, int(key in shared), int(shared.get(key, False)))
            for key, (url_id, _) in known.items()
        ],
    )
