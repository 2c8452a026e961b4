"""The ledger in Datasette: descriptions, queries, pages. Hooks only; the work is beside them.

Serves both Datasette lines: a hook that one of them does not know is ignored there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pluggy import HookimplMarker

from gemsearch.datasette_plugin import cells, headers, links, pages, starting
from gemsearch.datasette_plugin import served as ledgers
from gemsearch.datasette_plugin.addresses import STYLE, Addresses
from gemsearch.editions.permissions import (
    edition_permission_allowed,
    edition_permission_resources_sql,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable, Mapping

    from markupsafe import Markup

    from gemsearch.datasette_plugin.site import Actor, App, Request, Site

# Hooks too: they close what an edition's maker closed. On a ledger no permission is changed.
__all__ = ["edition_permission_allowed", "edition_permission_resources_sql"]

hookimpl = HookimplMarker("datasette")


@hookimpl
def startup(datasette: Site) -> Callable[[], Awaitable[None]]:
    async def start() -> None:
        await starting.start(datasette)

    return start


@hookimpl
def prepare_connection(conn: sqlite3.Connection) -> None:
    from gemsearch import sql_functions

    sql_functions.register(conn)


@hookimpl
def register_routes() -> list[tuple[str, Callable[..., Awaitable[Any]]]]:
    return pages.ROUTES


@hookimpl
def get_metadata(datasette: Site) -> dict[str, Any]:
    """Before 1.0; there `startup` stores it."""
    return starting.metadata_of(datasette)


@hookimpl
def canned_queries(datasette: Site, database: str) -> Callable[[], Awaitable[dict[str, Any]]]:
    """Before 1.0; there `startup` adds them."""

    async def queries() -> dict[str, Any]:
        ledger = await ledgers.served(datasette, database)
        return starting.queries_of(ledger) if ledger else {}

    return queries


@hookimpl
def render_cell(
    row: Mapping[str, object],
    value: object,
    column: str,
    table: str | None,
    database: str,
    datasette: Site,
) -> Markup | None:
    if not ledgers.known(datasette, database):
        return None
    return cells.shown(value, column, table, row, Addresses(datasette, database).of)


@hookimpl
def asgi_wrapper(datasette: Site) -> Callable[[App], App]:
    def is_ours(path: str) -> bool:
        return starting.is_ours(datasette, path)

    return lambda app: headers.wrap(app, is_ours)


@hookimpl
def extra_css_urls(datasette: Site) -> list[str]:
    # Without a ledger there is nothing to style, and the dark mode is not wanted either.
    if not ledgers.known(datasette):
        return []
    return [datasette.urls.path(f"{STYLE}?{pages.STYLE_VERSION}")]


@hookimpl
def extra_template_vars(view_name: str, request: Request | None) -> dict[str, str]:
    # 1.0a41 forgets what was searched for: its search box is empty after a search.
    if view_name != "table" or request is None:
        return {}
    return {"search": request.args.get("_search") or ""}


@hookimpl
def menu_links(datasette: Site, actor: Actor) -> Callable[[], Awaitable[list[dict[str, str]]]]:
    async def found() -> list[dict[str, str]]:
        return [link.in_menu() for link in await links.of_menu(datasette, actor)]

    return found


@hookimpl
def homepage_actions(
    datasette: Site, actor: Actor
) -> Callable[[], Awaitable[list[dict[str, str]]]]:
    async def found() -> list[dict[str, str]]:
        return [link.in_actions() for link in await links.of_menu(datasette, actor)]

    return found


@hookimpl
def database_actions(datasette: Site, database: str) -> list[dict[str, str]]:
    found = ledgers.known(datasette, database)
    return [link.in_actions() for ledger in found for link in links.of_ledger(datasette, ledger)]


@hookimpl
def table_actions(datasette: Site, database: str, table: str) -> list[dict[str, str]]:
    found = ledgers.known(datasette, database)
    return [
        link.in_actions() for ledger in found for link in links.of_table(datasette, ledger, table)
    ]


@hookimpl
def row_actions(
    datasette: Site, database: str, table: str, row: Mapping[str, object]
) -> list[dict[str, str]]:
    found = ledgers.known(datasette, database)
    return [
        link.in_actions()
        for ledger in found
        for link in links.of_row(datasette, ledger, table, row)
    ]


@hookimpl
def jump_items_sql(datasette: Site, actor: Actor) -> Callable[[], Awaitable[list[Any]]]:
    async def found() -> list[Any]:
        return starting.jump_items(await links.of_menu(datasette, actor))

    return found
