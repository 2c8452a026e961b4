"""A rejection's page: both topics side by side, the signal that fired, and what it saw."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch import charts
from gemsearch.datasette_plugin.pages import common

if TYPE_CHECKING:
    import sqlite3

    from gemsearch.datasette_plugin.pages.common import Visit

_REJECTION = "SELECT * FROM rejections WHERE id = :id"
_GEM = "SELECT id, topic, day FROM gems WHERE id = :id"
_SOURCES = """
SELECT urls.id, urls.url, urls.host, urls.gem_count, rejection_urls.shared, rejection_urls.counted
FROM rejection_urls JOIN urls ON urls.id = rejection_urls.url_id
WHERE rejection_urls.rejection_id = :id
ORDER BY rejection_urls.counted DESC, rejection_urls.shared DESC, urls.id LIMIT 100
"""
_WORDING = "SELECT expires FROM wordings WHERE rejection_id = :id"
_NEIGHBOURS = """
SELECT
  (SELECT max(id) FROM rejections WHERE id < :id), (SELECT min(id) FROM rejections WHERE id > :id)
"""

_FACTS = ("profile", "provider", "agent", "project", "session", "origin", "mark_reason")


class Source(NamedTuple):
    id: int
    shown: str
    href: str | None
    host: str
    gem_count: int
    shared: bool
    counted: bool


class Evidence(NamedTuple):
    """What was written down when it was refused; the rest of the ledger may have moved on."""

    covered_by: str = ""
    why: str = ""
    learned_from: int | None = None


@common.of_ledger
async def page(visit: Visit) -> Any:  # noqa: ANN401
    row = await visit.one(_REJECTION, id=visit.number)
    if row is None:
        return await visit.show("missing", {"what": f"refusal #{visit.number}"}, 404)
    return await visit.show("rejection", await _context(visit, row))


async def _context(visit: Visit, row: sqlite3.Row) -> dict[str, object]:
    number = row["id"]
    gem, sources, expires, neighbours = await asyncio.gather(
        visit.one(_GEM, id=row["gem_id"]),
        visit.ask(_SOURCES, id=number),
        _wording_expires(visit, number),
        visit.one(_NEIGHBOURS, id=number),
    )
    values = dict(zip(row.keys(), row, strict=True))
    evidence = _evidence(values.get("evidence"))
    meaning = common.SIGNALS.get(row["signal"], "")
    topic = common.line(row["topic"]) or "(empty)"
    covered_by = common.line(gem["topic"] if gem else evidence.covered_by)
    earlier, later = neighbours or (None, None)
    return {
        "id": number,
        "topic": topic,
        "refused": common.compared(topic, covered_by),
        "covered_by": common.compared(covered_by, topic),
        "gem": gem and {"id": gem["id"], "day": common.line(gem["day"])},
        "day": common.line(row["day"]),
        "gate": common.line(row["gate"]),
        "signal": common.line(row["signal"]),
        "meaning": meaning,
        "why": common.told(evidence.why, meaning),
        "score": row["score"],
        "threshold": row["threshold"],
        "gauge": charts.gauge(row["score"], row["threshold"]),
        "shared": row["shared"],
        "smaller": row["smaller"],
        "evidence": evidence,
        "sources": [_source(one) for one in sources or ()],
        "facts": [(name, common.line(values[name])) for name in _FACTS if values.get(name)],
        "enforced": values.get("enforced", 1),
        "forced_gem_id": values.get("forced_gem_id"),
        "marked": common.line(values.get("marked")),
        "wording_expires": expires,
        "earlier": earlier,
        "later": later,
    }


async def _wording_expires(visit: Visit, number: int) -> str:
    if not visit.ledger.has("wordings.expires"):
        return ""
    row = await visit.one(_WORDING, id=number)
    return common.line(row["expires"])[:10] if row else ""


def _evidence(stored: object) -> Evidence:
    from gemsearch.ledger.reading import evidence_of  # start-up: Datasette's, not ours

    found = evidence_of(str(stored))
    return Evidence(
        common.line(found.get("covered_by")),
        common.line(found.get("why")),
        found.get("learned_from") or None,
    )


def _source(row: sqlite3.Row) -> Source:
    return Source(
        row["id"],
        common.line(row["url"], common.TITLE),
        common.address(row["url"]),
        common.line(row["host"], common.TITLE),
        row["gem_count"],
        bool(row["shared"]),
        bool(row["counted"]),
    )
