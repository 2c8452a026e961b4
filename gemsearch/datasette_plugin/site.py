"""What the plugin uses of Datasette. The two supported lines differ here and nowhere else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    Actor = dict[str, object] | None
    Scope = Mapping[str, object]
    Send = Callable[[dict[str, object]], Awaitable[None]]
    App = Callable[[Scope, Callable[[], Awaitable[object]], Send], Awaitable[None]]

# Below these an injection through `?column__arraycontains=` runs SQL past every permission.
FLOORS = ("0.65.5", "1.0a41")


class Rows(Protocol):
    rows: Sequence[sqlite3.Row]


class Database(Protocol):
    name: str
    path: str | None

    async def execute(
        self,
        sql: str,
        params: Mapping[str, object] | None = None,
        *,
        log_sql_errors: bool = True,
    ) -> Rows: ...


class Urls(Protocol):
    def path(self, path: str) -> str: ...

    def database(self, database: str) -> str: ...

    def table(self, database: str, table: str) -> str: ...


class Args(Protocol):
    def get(self, name: str, default: str | None = None) -> str | None: ...


class Request(Protocol):
    actor: Actor
    args: Args
    method: str
    scope: Mapping[str, object]
    url_vars: Mapping[str, str]


class Site(Protocol):
    """A Datasette instance."""

    databases: Mapping[str, Database]
    urls: Urls

    async def render_template(
        self, name: str, context: Mapping[str, object], request: Request
    ) -> str: ...


async def may_see(site: Site, actor: Actor, database: str) -> bool:
    """May the visitor see the database at all?"""
    if hasattr(site, "allowed"):
        from datasette.resources import DatabaseResource

        resource = DatabaseResource(database)
        return bool(await site.allowed(action="view-database", resource=resource, actor=actor))
    if hasattr(site, "check_visibility"):
        visible, _ = await site.check_visibility(actor, "view-database", database)
        return bool(visible)
    return True


def stores_queries(site: Site) -> bool:
    """Datasette 1.0 keeps queries, metadata and configuration in places of their own."""
    return hasattr(site, "add_query")


async def ensure_visible(
    site: Site, request: Request, database: str, tables: Iterable[str]
) -> None:
    """Raise Forbidden unless the visitor may see the database and all of these tables."""
    for table in tables:
        if hasattr(site, "ensure_permission"):
            from datasette.resources import TableResource

            await site.ensure_permission(
                action="view-table", resource=TableResource(database, table), actor=request.actor
            )
        elif hasattr(site, "ensure_permissions"):
            asked = [("view-table", (database, table)), ("view-database", database)]
            await site.ensure_permissions(request.actor, [*asked, "view-instance"])


def below_floor(version: str) -> bool:
    """Is this Datasette older than the security fixes of its line? Unreadable ones are not."""
    return _parts(version) < _parts(FLOORS[version >= "1.0"])


def _parts(version: str) -> tuple[float, ...]:
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?(?:a(\d+))?", version)
    if not found:
        return (float("inf"),)
    major, minor, patch, alpha = found.groups()
    # An alpha comes before the release it leads to.
    return int(major), int(minor), int(patch or 0), float(alpha) if alpha else float("inf")
