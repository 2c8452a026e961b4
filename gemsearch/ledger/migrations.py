"""Makes the ledger's tables and brings older ledgers up to date.

The version stands in `user_version`. A migration is a function in MIGRATIONS; all that are due
run in one transaction that holds the write lock before it looks, so that racing processes agree.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from gemsearch.core.profiles import DEFAULT
from gemsearch.core.signature import SIGNATURE_VERSION

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

APPLICATION_ID = 0x47454D53  # "GEMS"


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the ledger to VERSION; nothing happens when it is there already, or beyond."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for due in MIGRATIONS[version:]:
            due(connection)
        if version < VERSION:
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def triggers_and_views() -> dict[str, str]:
    """Name and text of every trigger and view of an up-to-date ledger."""
    return {
        _name_of(statement): statement
        for statement in _statements()
        if statement.startswith(("CREATE TRIGGER", "CREATE VIEW"))
    }


@cache
def schema() -> str:
    """The text of schema.sql, from which the schema's documentation is made too."""
    with open(os.path.join(os.path.dirname(__file__), "schema.sql"), encoding="utf-8") as file:
        return file.read()


def _statements() -> list[str]:
    paragraphs = schema().split("\n\n")
    return [statement for paragraph in paragraphs if (statement := _without_comments(paragraph))]


def _without_comments(paragraph: str) -> str:
    lines = paragraph.strip().split("\n")
    while lines and lines[0].startswith("--"):
        del lines[0]
    return "\n".join(lines).removesuffix(";")


def _name_of(statement: str) -> str:
    return statement.split(maxsplit=3)[2]


def _create_everything(connection: sqlite3.Connection) -> None:
    import uuid  # start-up: only a new ledger needs a name of its own

    from gemsearch.core.canonical import CANON_VERSION

    for statement in _statements():
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.executemany(
        "INSERT INTO settings (name, value) VALUES (?, ?)",
        [
            ("ledger.uuid", str(uuid.uuid4())),
            ("gate.profile", DEFAULT),
            ("signature.version", str(SIGNATURE_VERSION)),
            ("canon.version", str(CANON_VERSION)),
        ],
    )


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_create_everything,)
VERSION = len(MIGRATIONS)
