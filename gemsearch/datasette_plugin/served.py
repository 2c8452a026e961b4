"""Which of the databases that Datasette serves are ledgers, and what they hold.

Looked up once for each file, when Datasette starts or first meets it: hooks that can't wait read
the answer. A file that is damaged, empty or somebody else's is simply no ledger.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from gemsearch.datasette_plugin import metadata
from gemsearch.datasette_plugin.queries import QUERIES, parameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemsearch.datasette_plugin.queries import Query
    from gemsearch.datasette_plugin.site import Database, Site

_NEEDED = {"gems": "topic", "results": "gem_id", "urls": "host", "rejections": "signal"}

_COLUMNS = """
SELECT sqlite_master.name, columns.name AS column_name
FROM sqlite_master, pragma_table_info(sqlite_master.name) AS columns
WHERE sqlite_master.type IN ('table', 'view')
ORDER BY sqlite_master.name, columns.cid
"""


class Served(NamedTuple):
    """A ledger or an edition, as one of the databases of a Datasette instance."""

    name: str
    path: str | None
    columns: Mapping[str, tuple[str, ...]]  # by table or view
    queries: tuple[tuple[Query, str], ...]  # those it can answer, with their SQL

    @property
    def live(self) -> bool:
        """A ledger that is searched and written, not an edition of one: it holds private rows."""
        return self.has("searches.topic")

    def has(self, *needed: str) -> bool:
        """Are all of these there? Each is a table's column, such as `gems.agent`."""
        pairs = (name.split(".") for name in needed)
        return all(column in self.columns.get(table, ()) for table, column in pairs)

    def tables(self) -> dict[str, dict[str, object]]:
        return metadata.for_tables(self.columns)


_known: WeakKeyDictionary[object, dict[str, Served | None]] = WeakKeyDictionary()


async def look_up(site: Site) -> list[Served]:
    """Every ledger that is served now."""
    found = [await served(site, name) for name in list(site.databases)]
    return [one for one in found if one]


async def served(site: Site, name: str) -> Served | None:
    """The database of that name, if it is a ledger."""
    known = _known.setdefault(site, {})
    if name not in known and name in site.databases:
        try:
            known[name] = await _examined(site.databases[name], name)
        except sqlite3.Error:
            return None  # damaged, or locked just now: not remembered
    return known.get(name)


def known(site: Site, name: str | None = None) -> list[Served]:
    """The ledgers met so far, or the one of that name: for hooks that can't wait."""
    return [one for one in _known.get(site, {}).values() if one and name in {None, one.name}]


async def _examined(database: Database, name: str) -> Served | None:
    found = (await database.execute(_COLUMNS, log_sql_errors=False)).rows
    columns: defaultdict[str, list[str]] = defaultdict(list)
    for table, column in found:
        columns[table].append(column)
    if any(column not in columns.get(table, ()) for table, column in _NEEDED.items()):
        return None
    queries = [(query, await _answerable(database, query)) for query in QUERIES]
    return Served(
        name,
        database.path,
        {table: tuple(names) for table, names in columns.items()},
        tuple((query, sql) for query, sql in queries if sql),
    )


async def _answerable(database: Database, query: Query) -> str:
    """The query's text for this file: an edition lacks columns that a ledger has."""
    for sql in filter(None, (query.sql, query.for_edition)):
        try:
            values = dict.fromkeys(parameters(sql), "")
            await database.execute(f"EXPLAIN {sql}", values, log_sql_errors=False)
        except sqlite3.Error:
            continue
        return sql
    return ""
