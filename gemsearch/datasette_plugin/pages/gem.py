"""A gem's page: what it found, what it refused and why, its wordings, its relatives."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch.datasette_plugin.pages import common

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from gemsearch.datasette_plugin.pages.common import Visit

_MOST = 100
_HUB = 200  # sources of more gems say nothing about two of them

_GEM = "SELECT * FROM gems WHERE id = :id"
_RESULTS = """
SELECT results.*, urls.url AS source_url, urls.host, coalesce(urls.gem_count, 0) AS gem_count
FROM results LEFT JOIN urls ON urls.id = results.url_id
WHERE results.gem_id = :id ORDER BY results.rank
"""
_REFUSED = f"""
SELECT id, topic, signal, score, threshold, day
FROM rejections WHERE gem_id = :id ORDER BY id DESC LIMIT {_MOST}
"""
_WORDINGS = f"""
SELECT wordings.rejection_id, rejections.topic, wordings.expires
FROM wordings JOIN rejections ON rejections.id = wordings.rejection_id
WHERE wordings.gem_id = :id ORDER BY wordings.rejection_id LIMIT {_MOST}
"""
_RELATIVES = f"""
WITH pairs AS (
  SELECT other.gem_id, count(DISTINCT mine.url_id) AS shared
  FROM results AS mine
  JOIN urls ON urls.id = mine.url_id AND urls.gem_count BETWEEN 2 AND {_HUB}
  JOIN results AS other ON other.url_id = mine.url_id AND other.gem_id <> mine.gem_id
  WHERE mine.gem_id = :id
  GROUP BY other.gem_id ORDER BY shared DESC, other.gem_id LIMIT 20
)
SELECT pairs.gem_id AS id, gems.topic, pairs.shared, gems.day
FROM pairs JOIN gems ON gems.id = pairs.gem_id ORDER BY pairs.shared DESC, pairs.gem_id
"""
_NEIGHBOURS = """
SELECT (SELECT max(id) FROM gems WHERE id < :id), (SELECT min(id) FROM gems WHERE id > :id)
"""

_FACTS = ("provider", "agent", "project", "session", "origin", "visibility", "reason")


class Result(NamedTuple):
    title: str
    href: str | None
    shown: str
    snippet: str
    published: str
    elsewhere: int  # other gems that have the source too
    source: str | None


@common.of_ledger
async def page(visit: Visit) -> Any:  # noqa: ANN401
    row = await visit.one(_GEM, id=visit.number)
    if row is None:
        return await visit.show("missing", {"what": f"gem #{visit.number}"}, 404)
    return await visit.show("gem", await _context(visit, row))


async def _context(visit: Visit, row: sqlite3.Row) -> dict[str, object]:
    number = row["id"]
    results, refused, relatives, neighbours, wordings = await asyncio.gather(
        visit.ask(_RESULTS, id=number),
        visit.ask(_REFUSED, id=number),
        visit.ask(_RELATIVES, id=number),
        visit.one(_NEIGHBOURS, id=number),
        _wordings(visit, number),
    )
    earlier, later = neighbours or (None, None)
    return {
        "id": number,
        "topic": common.line(row["topic"]) or "(empty)",
        "day": common.line(row["day"]),
        "facts": _facts(row),
        "results": [_result(visit, one) for one in results or ()],
        "refused": [_cleaned(one) for one in refused or ()],
        "wordings": wordings,
        "relatives": [_cleaned(one) for one in relatives or ()],
        "relatives_unknown": relatives is None,
        "earlier": earlier,
        "later": later,
    }


def _facts(row: sqlite3.Row) -> list[tuple[str, str]]:
    present = [name for name in _FACTS if name in row.keys()]  # noqa: SIM118 - a Row has keys()
    return [(name, common.line(row[name])) for name in present if row[name] is not None]


def _result(visit: Visit, row: sqlite3.Row) -> Result:
    keys = row.keys()
    own = row["url"] if "url" in keys else None
    url = common.line(own or row["source_url"], common.TITLE)
    return Result(
        common.line(row["title"], common.TITLE) or url or "(no title)",
        common.address(own or row["source_url"]),
        url,
        common.line(row["snippet"], common.SNIPPET) if "snippet" in keys else "",
        common.line(row["published"], 40) if "published" in keys else "",
        max(0, row["gem_count"] - 1),
        visit.at.source(row["url_id"]) if row["url_id"] is not None else None,
    )


async def _wordings(visit: Visit, number: int) -> Sequence[dict[str, object]]:
    if not visit.ledger.has("wordings.rejection_id"):
        return []
    return [_cleaned(one) for one in await visit.ask(_WORDINGS, id=number) or ()]


def _cleaned(row: sqlite3.Row) -> dict[str, object]:
    values = zip(row.keys(), row, strict=True)
    return {name: common.line(v) if isinstance(v, str) else v for name, v in values}
