"""Sources in the ledger: who else has them, and how many gems do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.model import Overlap
from gemsearch.core.source_gate import sources_needed
from gemsearch.ledger.candidates import has_indexes

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from gemsearch.core.model import Source
    from gemsearch.core.profiles import Profile

_AT_ONCE = 500  # gems looked up by one statement
_ANY_LIST = 1 << 30


def with_counts(connection: sqlite3.Connection, sources: Sequence[Source]) -> list[Source]:
    """The sources with the number of gems that count each of them now."""
    counts: dict[str, int] = dict(
        connection.execute(
            f"SELECT key, gem_count FROM urls WHERE key IN ({_marks(sources)})",
            [source.key for source in sources],
        )
    )
    return [source._replace(gem_count=counts.get(source.key, 0)) for source in sources]


def best(connection: sqlite3.Connection, gem_id: int, most: int) -> list[tuple[str, str]]:
    """Title and address of a gem's first results."""
    return connection.execute(
        "SELECT title, coalesce(results.url, urls.url, '')"
        " FROM results LEFT JOIN urls ON urls.id = results.url_id"
        " WHERE gem_id = ? ORDER BY rank LIMIT ?",
        (gem_id, most),
    ).fetchall()


def overlaps(
    connection: sqlite3.Connection,
    sources: Sequence[Source],
    *,
    hubs: Collection[str] = (),
    since: str = "",
    profile: Profile | None = None,
) -> list[Overlap]:
    """Gems recorded from `since` on that have at least two of the sources, hubs not counted.

    A hub that such a gem also has is among its keys all the same. With a profile, gems that it
    does not refuse by may be left out, which spares a large ledger much reading.
    """
    key_of = _ids(connection, sources)
    counting = [url_id for url_id, key in key_of.items() if key not in hubs]
    if has_indexes(connection):
        rows = _found_by_index(connection, counting, since, _most_of_two(len(sources), profile))
    else:
        rows = _found(connection, counting, since)
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


def _found(
    connection: sqlite3.Connection, counting: Sequence[int], since: str
) -> list[tuple[int, str, str, str, int]]:
    return connection.execute(
        "SELECT gems.id, gems.topic, gems.created, group_concat(results.url_id),"
        " (SELECT count(url_id) FROM results AS every WHERE every.gem_id = gems.id)"
        " FROM results JOIN gems ON gems.id = results.gem_id"
        f" WHERE results.url_id IN ({_marks(counting)}) AND gems.created >= ?"
        " GROUP BY results.gem_id HAVING count(*) >= 2",
        (*counting, since),
    ).fetchall()


def _found_by_index(
    connection: sqlite3.Connection, counting: Sequence[int], since: str, most_of_two: int
) -> list[tuple[int, str, str, str, int]]:
    from gemsearch.ledger.index.candidates import sharing_sources  # start-up: large ledgers only

    found = sharing_sources(connection, counting, most_of_two) if len(counting) > 1 else []
    rows: list[tuple[int, str, str, str, int]] = []
    for start in range(0, len(found), _AT_ONCE):
        rows += connection.execute(
            "SELECT gems.id, gems.topic, gems.created,"
            " (SELECT group_concat(url_id) FROM results AS shared"
            f" WHERE shared.gem_id = gems.id AND url_id IN ({_marks(counting)})),"
            " (SELECT count(url_id) FROM results AS every WHERE every.gem_id = gems.id)"
            f" FROM gems WHERE id IN ({','.join(map(str, found[start : start + _AT_ONCE]))})"
            " AND created >= ?",
            (*counting, since),
        ).fetchall()
    return rows


def _most_of_two(proposed: int, profile: Profile | None) -> int:
    """The largest list against which two shared sources suffice."""
    if profile is None:
        return _ANY_LIST
    enough = [size for size in range(1, proposed + 1) if sources_needed(size, profile) <= 2]
    return _ANY_LIST if proposed in enough else max(enough, default=0)


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
