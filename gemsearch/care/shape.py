"""The tables of a ledger and what their columns may hold, for rows that may come from anywhere.

SQLite keeps any value in any column: a damaged or a stranger's file may hold bytes where a text
belongs.
"""

from __future__ import annotations

from contextlib import closing
from functools import cache
from typing import NamedTuple

from gemsearch.ledger.connection import open_nothing

_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
}
_KINDS: dict[type, str] = {int: "integer", float: "real", str: "text", bytes: "blob"}


class Column(NamedTuple):
    types: tuple[type, ...]
    may_be_missing: bool

    def takes(self, value: object) -> bool:
        return self.may_be_missing if value is None else isinstance(value, self.types)

    @property
    def kinds(self) -> list[str]:
        """The same as SQLite's typeof says it."""
        return [_KINDS[one] for one in self.types] + ["null"] * self.may_be_missing


@cache
def tables() -> dict[str, dict[str, Column]]:
    """The columns of every table of an up-to-date ledger, by name."""
    with closing(open_nothing()) as empty:
        names = empty.execute(
            "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%'"
            " AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_fts_*'"
        ).fetchall()
        return {
            table: {
                name: Column(_TYPES[declared], not required)
                for _, name, declared, required, _, _ in empty.execute(
                    f"PRAGMA table_info({table})"
                )
            }
            for (table,) in names
        }
