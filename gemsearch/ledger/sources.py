"""Sources in the ledger: who else has them, and how many gems do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.model import Overlap

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from gemsearch.core.model import Source


def with_counts(connection: sqlite3.Connection, sources: Sequence[Source]) -> list[Source]:
    """The sources with the number of gems that count each of them now."""
    counts: dict[str, int] = dict(
        connection.execute(
            f"SELECT key, gem_count FROM urls WHERE key IN ({_marks(sources)})",
            [source.key for source in sources],
        )
    )
    return [source._replace(gem_count=counts.get(source.key, 0)) for source in sources]


def overlaps(
    connection: sqlite3.Connection,
    sources: Sequence[Source],
    *,
    hubs: Collection[str] = (),
    since: str = "",
) -> list[Overlap]:
    """Gems recorded from `since` on that have at least two of the sources, hubs not counted.

    A hub that such a gem also has is among its keys all the same.
    """
    key_of = _ids(connection, sources)
    counting = [url_id for url_id, key in key_of.items() if key not in hubs]
    rows = connection.execute(
        "SELECT gems.id, gems.topic, gems.created, group_concat(results.url_id),"
        " (SELECT count(url_id) FROM results AS every WHERE every.gem_id = gems.id)"
        " FROM results JOIN gems ON gems.id = results.gem_id"
        f" WHERE results.url_id IN ({_marks(counting)}) AND gems.created >= ?"
        " GROUP BY results.gem_id HAVING count(*) >= 2",
        (*counting, since),
    ).fetchall()
    shared_hubs = _also_having(connection, [row[0] for row in rows], key_of, hubs)
    return [
        Overlap(
            gem_id,
            topic,
            created,
            frozenset(key_of[int(url_id)] for url_id in url_ids.split(","))
            | shared_hubs.get(gem_id, frozenset()),
            size,
        )
        for gem_id, topic, created, url_ids, size in rows
    ]


def _ids(connection: sqlite3.Connection, sources: Sequence[Source]) -> dict[int, str]:
    return dict(
        connection.execute(
            f"SELECT id, key FROM urls WHERE key IN ({_marks(sources)})",
            [source.key for source in sources],
        )
    )


def _also_having(
    connection: sqlite3.Connection,
    gem_ids: Sequence[int],
    key_of: dict[int, str],
    hubs: Collection[str],
) -> dict[int, frozenset[str]]:
    having: dict[int, frozenset[str]] = {}
    hub_ids = [url_id for url_id, key in key_of.items() if key in hubs]
    for gem_id in gem_ids if hub_ids else ():
        rows = connection.execute(
            f"SELECT url_id FROM results WHERE url_id IN ({_marks(hub_ids)}) AND gem_id = ?",
            (*hub_ids, gem_id),
        )
        having[gem_id] = frozenset(key_of[url_id] for (url_id,) in rows)
    return having


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
