"""What is set up when Datasette starts: descriptions, facets, queries, and the version check."""

from __future__ import annotations

import logging
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from gemsearch.datasette_plugin import metadata, served
from gemsearch.datasette_plugin.links import of_ledger
from gemsearch.datasette_plugin.site import FLOORS, below_floor, stores_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gemsearch.datasette_plugin.links import Link
    from gemsearch.datasette_plugin.served import Served
    from gemsearch.datasette_plugin.site import Site

_OURS = "/-/gemsearch"


async def start(site: Site) -> None:
    ledgers = await served.look_up(site)
    _check_version(serves_ledger=bool(ledgers))
    if stores_queries(site):
        for ledger in ledgers:
            await _store(site, ledger)


def queries_of(ledger: Served) -> dict[str, Any]:
    return {query.name: query.in_metadata(sql) for query, sql in ledger.queries}


def metadata_of(site: Site) -> dict[str, Any]:
    """Descriptions and facets of the ledgers met so far; Datasette writes into what it is given."""
    said = getattr(site, "_metadata_local", {}).get("databases") or {}
    return {
        "databases": {
            one.name: _of_database(site, one, said.get(one.name) or {})
            for one in served.known(site)
        }
    }


def is_ours(site: Site, path: str) -> bool:
    """Is this a page of a ledger? With nothing but ledgers served, all pages are."""
    ledgers = served.known(site)
    others = set(getattr(site, "databases", ())) - {one.name for one in ledgers}
    if ledgers and not others - {"_internal", "_memory"}:
        return True
    starts = [site.urls.path(_OURS), *(site.urls.database(one.name) for one in ledgers)]
    return any(path == start or path.startswith((f"{start}/", f"{start}.")) for start in starts)


def jump_items(links: Iterable[Link]) -> list[Any]:
    from datasette.jump import JumpSQL

    return [
        JumpSQL.menu_item(label=link.label, url=link.href, description=link.description)
        for link in links
    ]


def _check_version(*, serves_ledger: bool) -> None:
    from datasette.utils import StartupError
    from datasette.version import __version__

    if not below_floor(__version__):
        return
    said = (
        f"Datasette {__version__} lets a request run any SQL, whatever it was told to forbid;"
        f" update it to {' or '.join(FLOORS)} at least"
    )
    if serves_ledger:
        raise StartupError(f"gemsearch does not serve a ledger here: {said}.")
    logging.getLogger("gemsearch").warning("%s.", said)


def _of_database(site: Site, ledger: Served, said: Mapping[str, Any]) -> dict[str, Any]:
    tables = {name: dict(shown) for name, shown in ledger.tables().items()}
    tables_said = said.get("tables") or {}
    for name in tables.keys() & tables_said.keys():
        for key in _settled_by(tables_said[name]):
            tables[name].pop(key, None)
    return _introduced(site, ledger, said) | {"tables": deepcopy(tables)}


def _introduced(site: Site, ledger: Served, said: Mapping[str, Any]) -> dict[str, str]:
    """Our introduction and the way to our pages, unless the person wrote one."""
    if said.get("description", metadata.DESCRIPTION) != metadata.DESCRIPTION:
        return {}
    ways = Markup(" · ").join(
        Markup('<a href="{}">{}</a>').format(link.href, link.label)
        for link in of_ledger(site, ledger)
    )
    return {"description_html": Markup("<p>{}</p><p>{}</p>").format(metadata.DESCRIPTION, ways)}


def _settled_by(said: Mapping[str, object]) -> set[str]:
    """A sort order of the person's own must not meet ours: Datasette takes only one."""
    sorts = {"sort", "sort_desc"}
    return sorts if sorts & said.keys() else set()


async def _store(site: Any, ledger: Served) -> None:  # noqa: ANN401 - 1.0's own methods
    """Put descriptions, table settings and queries where 1.0 looks for them.

    What the person who started Datasette has said stays.
    """
    for query, sql in ledger.queries:
        await site.add_query(
            ledger.name,
            query.name,
            sql,
            title=query.title,
            description=query.description,
            hide_sql=True,
            is_trusted=True,
            source="plugin",
            replace=True,
        )
    introduced = _introduced(site, ledger, await site.get_database_metadata(ledger.name))
    for key, text in introduced.items():
        await site.set_database_metadata(ledger.name, key, text)
    for table, shown in ledger.tables().items():
        columns = shown.pop("columns", {})
        description = shown.pop("description", None)
        _configure(site, ledger.name, table, shown)
        if description and "description" not in await site.get_resource_metadata(
            ledger.name, table
        ):
            await site.set_resource_metadata(ledger.name, table, "description", description)
        await _describe_columns(site, ledger.name, table, columns)


async def _describe_columns(site: Any, database: str, table: str, texts: Any) -> None:  # noqa: ANN401
    for column, text in texts.items():
        if "description" not in await site.get_column_metadata(database, table, column):
            await site.set_column_metadata(database, table, column, "description", text)


def _configure(site: Any, database: str, table: str, shown: dict[str, object]) -> None:  # noqa: ANN401
    """There is no hook for facets, sort orders and hidden tables: they are configuration."""
    site.config = site.config or {}
    databases = site.config.setdefault("databases", {})
    tables = databases.setdefault(database, {}).setdefault("tables", {})
    configured = tables.setdefault(table, {})
    taken = _settled_by(configured)
    for key, value in shown.items():
        if key not in taken:
            configured.setdefault(key, value)
