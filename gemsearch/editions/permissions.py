"""Closes what an edition's maker wanted closed, wherever Datasette serves it with this plugin.

The edition carries its own flags, so nothing needs to be configured. Both generations of
Datasette's hooks are here; each version ignores the one it does not know.
"""

from __future__ import annotations

import sqlite3
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pluggy import HookimplMarker

from gemsearch.editions.schema import APPLICATION_ID

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_hookimpl = HookimplMarker("datasette")  # Datasette's own, without importing it

_FLAG_OF = {"execute-sql": "no_sql", "view-database-download": "no_download"}
_WHY = "the edition was published that way"


# The last opinion is the one that counts there.
@_hookimpl(specname="permission_allowed", trylast=True)
def edition_permission_allowed(
    datasette: Any,  # noqa: ANN401 - either version's
    action: str,
    resource: object,
) -> Callable[[], Awaitable[bool | None]] | None:
    """Datasette 0.65: False for an action that the edition closes, else no opinion."""
    flag = _FLAG_OF.get(action)
    if flag is None or not isinstance(resource, str):
        return None

    async def opinion() -> bool | None:
        return False if await _closes(datasette.databases.get(resource), flag) else None

    return opinion


@_hookimpl(specname="permission_resources_sql")
def edition_permission_resources_sql(
    datasette: Any,  # noqa: ANN401 - either version's
    action: str,
) -> Callable[[], Awaitable[list[Any]]] | None:
    """Datasette 1.0: a deny rule for every edition that closes the action."""
    flag = _FLAG_OF.get(action)
    if flag is None:
        return None

    async def rules() -> list[Any]:
        closed = [name for name, db in datasette.databases.items() if await _closes(db, flag)]
        return [_deny(number, name) for number, name in enumerate(closed)]

    return rules


def _deny(number: int, database: str) -> object:
    rule = import_module("datasette.permissions").PermissionSQL
    return rule(
        sql=f"SELECT :edition_{number} AS parent, NULL AS child, 0 AS allow,"
        f" :edition_why_{number} AS reason",
        params={f"edition_{number}": database, f"edition_why_{number}": _WHY},
    )


async def _closes(database: Any, flag: str) -> bool:  # noqa: ANN401 - either version's
    return database is not None and bool(
        await database.execute_fn(lambda connection: closes(connection, flag))
    )


def closes(connection: sqlite3.Connection, flag: str) -> bool:
    """Is this an edition with the flag set? One whose flags can't be read is closed."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        return False
    try:
        row = connection.execute("SELECT value FROM edition WHERE name = ?", (flag,)).fetchone()
    except sqlite3.Error:
        return True
    return row is None or row[0] != "0"
