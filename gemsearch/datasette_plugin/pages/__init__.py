"""The plugin's own pages, and the routes to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gemsearch.datasette_plugin.addresses import STYLE
from gemsearch.datasette_plugin.pages import explain, gem, overview, rejection
from gemsearch.datasette_plugin.pages.style import STYLE_VERSION, style

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["ROUTES", "STYLE_VERSION"]

_LEDGER = r"^/(?P<database>[^/]+)/-/gemsearch"
_ID = r"(?P<id>[0-9]{1,18})"

ROUTES: list[tuple[str, Callable[..., Awaitable[Any]]]] = [
    (f"^{STYLE}$", style),
    (f"{_LEDGER}$", overview.page),
    (f"{_LEDGER}/gem/{_ID}$", gem.page),
    (f"{_LEDGER}/rejection/{_ID}$", rejection.page),
    (f"{_LEDGER}/explain$", explain.page),
]
