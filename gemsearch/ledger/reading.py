"""Reads gems, results and rejections back. Newest first, by number and not by clock."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch.core.model import Match, Result, SharedSource
from gemsearch.errors import NotFound
from gemsearch.ledger.fulltext import quoted

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping


class Gem(NamedTuple):
    id: int
    topic: str
    signature: str
    provider: str | None
    agent: str | None
    session: str | None
    project: str | None
    origin: str
    created: str
    day: str
    result_count: int
    reason: str | None
    visibility: str


class Rejection(NamedTuple):
    id: int
    topic: str
    signature: str
    gate: str
    signal: str
    score: float
    threshold: float
    evidence: str
    gem_id: int | None
    shared: int | None
    smaller: int | None
    profile: str
    enforced: int
    forced_gem_id: int | None
    provider: str | None
    agent: str | None
    session: str | None
    project: str | None
    origin: str
    created: str
    day: str
    marked: str | None
    mark_reason: str | None
    visibility: str


_GEMS = f"SELECT {', '.join(f'gems.{name}' for name in Gem._fields)} FROM gems"
_REJECTIONS = (
    f"SELECT {', '.join(f'rejections.{name}' for name in Rejection._fields)} FROM rejections"
)


def gem(connection: sqlite3.Connection, gem_id: int) -> Gem:
    row = connection.execute(f"{_GEMS} WHERE id = ?", (gem_id,)).fetchone()
    if row is None:
        raise NotFound(f"there is no gem #{gem_id}", hint="`gemsearch gems` lists them.")
    return Gem._make(row)


def rejection(connection: sqlite3.Connection, rejection_id: int) -> Rejection:
    row = connection.execute(f"{_REJECTIONS} WHERE id = ?", (rejection_id,)).fetchone()
    if row is None:
        raise NotFound(
            f"there is no rejection #{rejection_id}", hint="`gemsearch rejections` lists them."
        )
    return Rejection._make(row)


def results(connection: sqlite3.Connection, gem_id: int) -> tuple[Result, ...]:
    """A gem's result list as it was returned."""
    rows = connection.execute(
        "SELECT coalesce(results.url, urls.url, ''), title, snippet, published"
        " FROM results LEFT JOIN urls ON urls.id = results.url_id"
        " WHERE gem_id = ? ORDER BY rank",
        (gem_id,),
    )
    return tuple(Result._make(row) for row in rows)


def gems(
    connection: sqlite3.Connection,
    *,
    text: str = "",
    equal: Mapping[str, str | int | None] | None = None,
    since: str = "",
    limit: int = -1,
) -> Iterator[Gem]:
    """Gems with all of these words in the topic and these values in their columns."""
    return map(Gem._make, _listed(connection, "gems", _GEMS, text, equal or {}, since, limit))


def rejections(
    connection: sqlite3.Connection,
    *,
    text: str = "",
    equal: Mapping[str, str | int | None] | None = None,
    since: str = "",
    limit: int = -1,
) -> Iterator[Rejection]:
    """Rejections with all of these words in the topic and these values in their columns."""
    rows = _listed(connection, "rejections", _REJECTIONS, text, equal or {}, since, limit)
    return map(Rejection._make, rows)


def match_of(connection: sqlite3.Connection, stored: Rejection) -> Match:
    """The match that a rejection was, from its stored evidence."""
    evidence = evidence_of(stored.evidence)
    row = connection.execute(
        "SELECT topic, created FROM gems WHERE id = ?", (stored.gem_id,)
    ).fetchone()
    topic, created = row or (evidence.get("covered_by", ""), "")
    return Match(
        stored.signal,
        stored.gem_id or 0,
        topic,
        created,
        stored.score,
        stored.threshold,
        evidence.get("why", ""),
        evidence.get("learned_from", 0),
        tuple(SharedSource("", s["url"], s["counted"]) for s in evidence.get("sources", ())),
        stored.smaller or 0,
    )


def evidence_of(text: str) -> dict[str, Any]:
    """What was compared and why it was enough, from the column `evidence`.

    It may have come with an import: only what has the shape of our own is taken.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    kinds = {"covered_by": str, "why": str, "learned_from": int, "sources": list}
    kept = {name: found[name] for name in kinds if isinstance(found.get(name), kinds[name])}
    if "sources" in kept:
        kept["sources"] = [
            {"url": source["url"], "counted": source.get("counted") is True}
            for source in kept["sources"]
            if isinstance(source, dict) and isinstance(source.get("url"), str)
        ]
    return kept


def _listed(
    connection: sqlite3.Connection,
    table: str,
    select: str,
    text: str,
    equal: Mapping[str, str | int | None],
    since: str,
    limit: int,
) -> sqlite3.Cursor:
    where, values = _conditions(table, text, equal, since)
    return connection.execute(
        f"{select} WHERE {where} ORDER BY {table}.id DESC LIMIT ?", (*values, limit)
    )


def _conditions(
    table: str, text: str, equal: Mapping[str, str | int | None], since: str
) -> tuple[str, list[str | int]]:
    """SQL and its values; the column names come from our own code, never from outside."""
    conditions, values = ["1"], list[str | int]()
    if words := quoted(text):
        conditions.append(
            f"{table}.id IN (SELECT rowid FROM {table}_fts WHERE {table}_fts MATCH ?)"
        )
        values.append(words)
    if since:
        conditions.append(f"{table}.created >= ?")
        values.append(since)
    for column, value in equal.items():
        if value is not None:
            conditions.append(f"{table}.{column} = ?")
            values.append(value)
    return " AND ".join(conditions), values
