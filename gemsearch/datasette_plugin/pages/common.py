"""What the pages have in common: who may see them, how they read, how they look."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch.core.text import clean_line, safe_url
from gemsearch.datasette_plugin import served as ledgers
from gemsearch.datasette_plugin.addresses import Addresses
from gemsearch.datasette_plugin.site import ensure_visible
from gemsearch.errors import LedgerError
from gemsearch.ledger.connection import translating

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from gemsearch.datasette_plugin.served import Served
    from gemsearch.datasette_plugin.site import Request, Site

    View = Callable[["Visit"], Awaitable[Any]]
    Page = Callable[[Site, Request], Awaitable[Any]]

_READ = ("gems", "results", "urls", "rejections", "rejection_urls")
_PRIVATE = ("wordings", "exceptions", "searches")

TOPIC = 400
TITLE = 200
SNIPPET = 400

# One sentence for each signal: what it means that it fired.
SIGNALS = {
    "identical": "the same words, in whatever order",
    "wording": "a wording that was refused before for its sources",
    "subset": "the words of one topic recur in the other",
    "sequence": "nearly the same text",
    "sources": "the search found sources that the gem has already",
}


class Visit(NamedTuple):
    """One request for a page of one ledger."""

    site: Site
    request: Request
    ledger: Served
    at: Addresses

    @property
    def number(self) -> int:
        """The gem or rejection that the address names."""
        return int(self.request.url_vars["id"])

    async def ask(self, sql: str, **values: object) -> Sequence[sqlite3.Row] | None:
        """The rows, or None when the ledger is too large to answer within the time limit."""
        from datasette.database import QueryInterrupted

        database = self.site.databases[self.ledger.name]
        try:
            with translating(self.ledger.path or self.ledger.name):
                return (await database.execute(sql, values)).rows
        except QueryInterrupted:
            return None

    async def one(self, sql: str, **values: object) -> sqlite3.Row | None:
        rows = await self.ask(sql, **values)
        return rows[0] if rows else None

    async def show(self, template: str, context: Mapping[str, object], status: int = 200) -> Any:  # noqa: ANN401 - Datasette's Response is not typed
        from datasette import Response

        shown = {"database": self.ledger.name, "ledger": self.ledger, "at": self.at, **context}
        html = await self.site.render_template(f"gemsearch/{template}.html", shown, self.request)
        return Response.html(html, status=status)


def of_ledger(view: View) -> Page:
    """A page of one ledger: `view` shows it; what is wrong with the file is said plainly."""

    async def page(datasette: Site, request: Request) -> Any:  # noqa: ANN401
        if request.method not in {"GET", "HEAD"}:
            return _text("Pages of a ledger are only read.", 405)
        ledger = await _ledger(datasette, request)
        visit = Visit(datasette, request, ledger, Addresses(datasette, ledger.name))
        try:
            with translating(ledger.path or ledger.name):
                await _ensure_visible(visit)
            return await view(visit)
        except LedgerError as error:
            # Not a page of Datasette's: its menus would ask the same file for permissions.
            return _text(f"{clean_line(error.message)}\n{clean_line(error.hint)}", 503)

    return page


def _text(said: str, status: int) -> Any:  # noqa: ANN401
    from datasette import Response

    return Response.text(f"{said}\n", status=status)


async def _ledger(site: Site, request: Request) -> Served:
    """Raises NotFound unless the address names a ledger."""
    from datasette import NotFound
    from datasette.utils import tilde_decode

    name = tilde_decode(request.url_vars["database"])
    ledger = await ledgers.served(site, name)
    if ledger is None:
        raise NotFound(f"There is no ledger named {clean_line(name, TITLE)}")
    return ledger


async def _ensure_visible(visit: Visit) -> None:
    """Raises Forbidden unless everything that the pages show may be seen."""
    tables = [table for table in (*_READ, *_PRIVATE) if table in visit.ledger.columns]
    await ensure_visible(visit.site, visit.request, visit.ledger.name, tables)


class Text(NamedTuple):
    """A part of a topic; `differs` where the other topic lacks the word."""

    text: str
    differs: bool


def compared(topic: str, other: str) -> list[Text]:
    """A topic in parts, those marked that the other one does not have."""
    known = {word.casefold() for word in re.findall(r"\w+", other)}
    parts = re.findall(r"\w+|\W+", topic)
    return [
        Text(part, bool(re.match(r"\w", part)) and part.casefold() not in known) for part in parts
    ]


def told(why: object, meaning: str) -> str:
    """The reason that was written down, unless it says what `meaning` says already."""
    reason = line(why)
    return "" if set(reason.split()) <= set(meaning.replace(",", "").split()) else reason


def line(text: object, limit: int = TOPIC) -> str:
    """Text from the ledger as one printable line; nothing for NULL."""
    return "" if text is None else clean_line(str(text), limit)


def address(url: object) -> str | None:
    """An address that may be linked, or None."""
    return safe_url(url) if isinstance(url, str) else None


def count(value: int | None) -> str:
    """A count for people, or what stands for one that took too long."""
    return "many" if value is None else f"{value:,}"


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
