"""The overview: how much is in the ledger, what it refused, and what keeps coming back."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch import charts
from gemsearch.datasette_plugin import headers
from gemsearch.datasette_plugin.pages import common
from gemsearch.ledger.statistics import TOKENS_PER_SEARCH

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from markupsafe import Markup

    from gemsearch.datasette_plugin.pages.common import Visit

_MOST = 6
_DAYS = 365

_GEMS = "SELECT count(*) FROM gems"
_SOURCES = "SELECT count(*) FROM urls"
_RECURRING = "SELECT count(*) FROM urls WHERE gem_count > 1"
_BY_SIGNAL = "SELECT signal, count(*) FROM rejections GROUP BY signal ORDER BY 2 DESC, 1"
_REJECTIONS = "SELECT count(*) FROM rejections"
_AVOIDED = "SELECT gate, count(*) FROM rejections{} GROUP BY gate"
# A warning avoids nothing, nor does what was found in a history. An edition doesn't tell.
_ENFORCED = " WHERE enforced AND forced_gem_id IS NULL"
_LAST_DAY = """
SELECT max(day) FROM (
  SELECT max(day) AS day FROM gems WHERE day <= :today
  UNION ALL SELECT max(day) FROM rejections WHERE day <= :today
)
"""
_DAYS_OF = "SELECT day, count(*) FROM {} WHERE day BETWEEN :first AND :last GROUP BY day"
_REFUSING = f"""
WITH refusing AS (
  SELECT gem_id, count(*) AS refusals FROM rejections WHERE gem_id IS NOT NULL
  GROUP BY gem_id ORDER BY refusals DESC, gem_id LIMIT {_MOST}
)
SELECT refusing.gem_id, gems.topic, refusing.refusals
FROM refusing JOIN gems ON gems.id = refusing.gem_id
ORDER BY refusing.refusals DESC, refusing.gem_id
"""
_SOURCES_THAT_RECUR = f"""
SELECT id, url, host, gem_count FROM urls WHERE gem_count > 1
ORDER BY gem_count DESC, id LIMIT {_MOST}
"""
_LATEST_REFUSALS = f"""
SELECT rejections.id, rejections.topic, rejections.signal, rejections.day,
  rejections.gem_id, gems.topic AS covered_by
FROM rejections LEFT JOIN gems ON gems.id = rejections.gem_id
ORDER BY rejections.id DESC LIMIT {_MOST}
"""
_LATEST_GEMS = f"""
SELECT id, topic, provider, result_count, day FROM gems ORDER BY id DESC LIMIT {_MOST}
"""


class Tile(NamedTuple):
    value: str
    label: str
    note: str
    href: str


class Bar(NamedTuple):
    """A row of a bar chart."""

    label: str
    note: str
    number: str
    bar: Markup
    href: str
    outward: str | None = None  # the source itself, on the web


class Latest(NamedTuple):
    id: int
    topic: str
    note: str
    day: str
    gem_id: int | None = None
    other: str = ""


@common.of_ledger
async def page(visit: Visit) -> Any:  # noqa: ANN401
    return await visit.show("overview", await _context(visit))


async def _context(visit: Visit) -> dict[str, object]:
    tiles, timeline, by_signal, refusing, recurring, refusals, gems = await asyncio.gather(
        _tiles(visit),
        _timeline(visit),
        _signals(visit),
        _refusing(visit),
        _recurring(visit),
        _latest_refusals(visit),
        _latest_gems(visit),
    )
    return {
        "tiles": tiles,
        "timeline": timeline,
        "by_signal": by_signal,
        "refusing": refusing,
        "recurring": recurring,
        "refusals": refusals,
        "gems": gems,
        "exposed": visit.ledger.live and _exposed(visit),
        "queries": [query for query, _ in visit.ledger.queries],
    }


def _exposed(visit: Visit) -> bool:
    """Is a live ledger, private rows and all, served to other machines?"""
    return headers.is_away(visit.request.scope) or _bound_to() not in {None, *headers.LOOPBACK}


def _bound_to() -> str | None:
    """The --host that Datasette was started with: the socket itself does not tell."""
    import click

    context = click.get_current_context(silent=True)
    return context.params.get("host") if context else None


async def _tiles(visit: Visit) -> list[Tile]:
    gems, sources, recurring, rejections, gates = await asyncio.gather(
        _count(visit, _GEMS),
        _count(visit, _SOURCES),
        _count(visit, _RECURRING),
        _count(visit, _REJECTIONS),
        _gates(visit),
    )
    refused = rejections or 0
    part = common.share(refused, refused + (gems or 0))
    saved = gates.get("query", 0)
    tokens = f"{sum(gates.values()) * TOKENS_PER_SEARCH:,}"
    at = visit.at
    return [
        Tile(common.count(gems), "gems", "novel topics, searched once", at.table("gems")),
        Tile(
            f"{refused:,}", "refusals", f"{part:.0%} of the topics proposed", at.table("rejections")
        ),
        Tile(
            f"{saved:,}",
            "searches saved",
            f"refused before the search; with the others about {tokens} tokens, at"
            f" {TOKENS_PER_SEARCH:,} each",
            at.query("repeats_avoided"),
        ),
        Tile(
            common.count(sources),
            "sources",
            f"{common.count(recurring)} found for more than one gem",
            at.table("urls"),
        ),
    ]


async def _count(visit: Visit, sql: str) -> int | None:
    row = await visit.one(sql)
    return row[0] if row else None


async def _gates(visit: Visit) -> dict[str, int]:
    """What the gates avoided."""
    return _counts(await visit.ask(_AVOIDED.format(_ENFORCED if visit.ledger.live else "")))


async def _timeline(visit: Visit) -> charts.Timeline | None:
    today = datetime.now(UTC).date()
    last = _parsed(await _last_day(visit, today)) or today
    limits = {"first": (last - timedelta(days=_DAYS)).isoformat(), "last": last.isoformat()}
    novel, refused = await asyncio.gather(
        visit.ask(_DAYS_OF.format("gems"), **limits),
        visit.ask(_DAYS_OF.format("rejections"), **limits),
    )
    return charts.timeline(_counts(novel), _counts(refused))


async def _last_day(visit: Visit, today: date) -> object:
    # A clock that ran ahead, or nonsense in the column, must not stretch the axis.
    row = await visit.one(_LAST_DAY, today=(today + timedelta(days=1)).isoformat())
    return row[0] if row else None


def _parsed(day: object) -> date | None:
    try:
        return date.fromisoformat(str(day))
    except ValueError:
        return None


async def _signals(visit: Visit) -> list[Bar]:
    found = _counts(await visit.ask(_BY_SIGNAL))
    return [
        Bar(
            common.line(signal),
            common.SIGNALS.get(signal, ""),
            f"{count:,}",
            charts.bar(common.share(count, sum(found.values()))),
            f"{visit.at.table('rejections')}?signal={signal}",
        )
        for signal, count in found.items()
        if signal in common.SIGNALS
    ]


async def _refusing(visit: Visit) -> list[Bar]:
    rows = await visit.ask(_REFUSING) or []
    return [
        Bar(
            common.line(row["topic"]) or "(empty)",
            f"#{row['gem_id']}",
            f"{row['refusals']:,}",
            charts.bar(row["refusals"] / rows[0]["refusals"]),
            visit.at.gem(row["gem_id"]),
        )
        for row in rows
    ]


async def _recurring(visit: Visit) -> list[Bar]:
    rows = await visit.ask(_SOURCES_THAT_RECUR) or []
    return [
        Bar(
            common.line(row["url"], common.TITLE).partition("://")[2] or "(no address)",
            "",
            f"{row['gem_count']:,}",
            charts.bar(row["gem_count"] / rows[0]["gem_count"], "source"),
            visit.at.source(row["id"]),
            common.address(row["url"]),
        )
        for row in rows
    ]


async def _latest_refusals(visit: Visit) -> list[Latest]:
    return [
        Latest(
            row["id"],
            common.line(row["topic"]) or "(empty)",
            common.line(row["signal"]),
            common.line(row["day"]),
            row["gem_id"],
            common.line(row["covered_by"]),
        )
        for row in await visit.ask(_LATEST_REFUSALS) or []
    ]


async def _latest_gems(visit: Visit) -> list[Latest]:
    return [
        Latest(
            row["id"],
            common.line(row["topic"]) or "(empty)",
            f"{row['result_count']} results"
            + (f" from {common.line(row['provider'])}" if row["provider"] else ""),
            common.line(row["day"]),
        )
        for row in await visit.ask(_LATEST_GEMS) or []
    ]


def _counts(rows: Sequence[sqlite3.Row] | None) -> dict[str, int]:
    return {str(row[0]): row[1] for row in rows or ()}
