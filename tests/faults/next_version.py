"""The command line as the next version of gemsearch would be: its ledgers have one more column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.ledger import migrations

if TYPE_CHECKING:
    import sqlite3

VERSION = migrations.VERSION + 1


def add_language(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE gems ADD COLUMN language TEXT NOT NULL DEFAULT ''")
    for (number,) in connection.execute("SELECT id FROM gems").fetchall():
        connection.execute("UPDATE gems SET language = 'en' WHERE id = ?", (number,))
    connection.execute("INSERT INTO settings VALUES ('language', 'en')")


MIGRATIONS = (*migrations.MIGRATIONS, add_language)


def main() -> None:
    from gemsearch import cli

    migrations.MIGRATIONS = MIGRATIONS
    migrations.VERSION = VERSION
    cli.main()


if __name__ == "__main__":
    main()
