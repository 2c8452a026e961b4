"""gemsearch as a plugin of sqlite-utils: its SQL functions in every connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlite_utils

if TYPE_CHECKING:
    import sqlite3


@sqlite_utils.hookimpl
def prepare_connection(conn: sqlite3.Connection) -> None:
    from gemsearch.sql_functions import register

    register(conn)
