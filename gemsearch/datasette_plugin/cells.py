"""Table cells: ledger text is cleaned, numbers of gems and rejections lead to their pages.

Everything in a ledger came from the web or from an agent. What leads out is http or https with a
host, and says to search engines that nobody vouches for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from gemsearch.core.text import clean_block, clean_line, hidden_count, safe_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Addresses = Callable[[str, object], str | None]

LONGEST = 2048  # characters of a cell
LABEL = 200

_PAGES = {
    "gem_id": "gem",
    "earlier_gem_id": "gem",
    "forced_gem_id": "gem",
    "rejection_id": "rejection",
    "url_id": "source",
}
_ROUNDED = frozenset({"score", "threshold"})
_OWN_PAGES = {"gems": "gem", "rejections": "rejection"}


def shown(
    value: object, column: str, table: str | None, row: Mapping[str, object], address: Addresses
) -> Markup | None:
    """The cell's HTML, or None where Datasette's own will do.

    `address(kind, number)` gives the address of a gem's, a rejection's or a source's page.
    """
    if isinstance(value, dict):
        return _expanded(value, column, address)
    if isinstance(value, int) and column in _PAGES:
        return _link(address(_PAGES[column], value), f"#{value}")
    if isinstance(value, float) and column in _ROUNDED:
        return escape(round(value, 3))
    if not isinstance(value, str):
        return None
    if column == "topic" and table in _OWN_PAGES:
        return _link(address(_OWN_PAGES[table], _own_id(row)), clean_line(value, LONGEST))
    return _text(value, column)


def outward(url: str, label: str) -> Markup:
    """A link out of the ledger, or plain text when the address is not safe to follow."""
    safe = safe_url(url)
    if safe is None:
        return escape(label)
    return Markup('<a href="{}" rel="nofollow noopener noreferrer ugc">{}</a>').format(safe, label)


def _text(value: str, column: str) -> Markup | None:
    web = value.lstrip().lower().startswith(("http:", "https:"))
    if web and column != "key":
        return outward(value, clean_line(value, LABEL))
    cleaned = clean_block(value, LONGEST)
    if cleaned == value and not web:
        return None
    hidden = hidden_count(value)
    note = Markup(" <em>({} hidden characters removed)</em>").format(hidden) if hidden else ""
    # An empty string would make Datasette fall back to the text as it was.
    return Markup("{}{}").format(cleaned, note) or Markup("&nbsp;")


def _expanded(value: Mapping[str, object], column: str, address: Addresses) -> Markup | None:
    """A foreign key that Datasette has given a label."""
    if column not in _PAGES:
        return None
    label = clean_line(str(value["label"]), LABEL)
    number = Markup("&nbsp;<em>{}</em>").format(value["value"])
    return _link(address(_PAGES[column], value["value"]), label) + number


def _link(address: str | None, label: str) -> Markup:
    if address is None:
        return escape(label)
    return Markup('<a href="{}">{}</a>').format(address, label or "(empty)")


def _own_id(row: Mapping[str, object]) -> object:
    try:
        return row["id"]
    except (KeyError, IndexError):
        return None
