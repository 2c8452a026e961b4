"""Copies what can be read of a damaged ledger into a new one, where all that is derived is new."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.care import derived, shape
from gemsearch.errors import GemsearchError, WrongCall
from gemsearch.ledger import settings, signing
from gemsearch.ledger.connection import open_for_writing, write_transaction
from gemsearch.ledger.index import upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Tables whose rows can't be made anew, referred to before they refer, and what orders their rows.
_TABLES = {
    "settings": "name",
    "gems": "rowid",
    "urls": "rowid",
    "results": "rowid",
    "rejections": "rowid",
    "rejection_urls": "rejection_id, url_id",
    "wordings": "rowid",
    "exceptions": "rowid",
    "searches": "rowid",
    "providers_state": "provider",
    "history_files": "path",
    "collections": "rowid",
    "embeddings": "rowid",
}
_GONE = {
    table: f"NOT IN (SELECT id FROM {table})"
    for table in ("gems", "urls", "rejections", "collections")
}
# Rows that refer to what could not be read go, or lose the reference.
_ORPHANS = (
    f"DELETE FROM results WHERE gem_id {_GONE['gems']}",
    f"UPDATE results SET url = coalesce(url, ''), url_id = NULL WHERE url_id {_GONE['urls']}",
    "UPDATE results SET url = '' WHERE url IS NULL AND url_id IS NULL",
    f"DELETE FROM rejection_urls WHERE rejection_id {_GONE['rejections']}",
    f"DELETE FROM rejection_urls WHERE url_id {_GONE['urls']}",
    f"UPDATE rejections SET gem_id = NULL WHERE gem_id {_GONE['gems']}",
    f"UPDATE rejections SET forced_gem_id = NULL WHERE forced_gem_id {_GONE['gems']}",
    f"DELETE FROM wordings WHERE gem_id {_GONE['gems']}",
    f"DELETE FROM wordings WHERE rejection_id {_GONE['rejections']}",
    f"DELETE FROM exceptions WHERE gem_id {_GONE['gems']}",
    f"DELETE FROM exceptions WHERE rejection_id {_GONE['rejections']}",
    f"UPDATE searches SET gem_id = NULL WHERE gem_id {_GONE['gems']}",
    f"UPDATE searches SET rejection_id = NULL WHERE rejection_id {_GONE['rejections']}",
    f"DELETE FROM embeddings WHERE collection_id {_GONE['collections']}",
)

Row = tuple[object, ...]


class Salvaged(NamedTuple):
    table: str
    rows: int
    lost: bool  # some of the table could not be read, or made no sense


def unreadable(damaged: sqlite3.Connection) -> list[str]:
    """The tables of which some row can't be read."""
    return [table for table in _TABLES if not _Reader(damaged, table).is_whole()]


def salvage(damaged: sqlite3.Connection, target: str) -> list[Salvaged]:
    """Make the new ledger `target` from what can be read; says what that is, for each table.

    The damaged one is only read. Raises WrongCall when there is such a file already.
    """
    if os.path.lexists(target):
        raise WrongCall(f"there is a file already: {target}", hint="Name another file.")
    with closing(open_for_writing(target)) as new:
        new.execute("PRAGMA foreign_keys = OFF")  # what refers to lost rows is dealt with below
        with write_transaction(new):
            found = [_copied(damaged, new, table) for table in _TABLES]
            _carry_numbers(damaged, new)
            for statement in _ORPHANS:
                new.execute(statement)
            _derive(new)
        upkeep.bring_up_to_date(new)
    return found


def _copied(damaged: sqlite3.Connection, new: sqlite3.Connection, table: str) -> Salvaged:
    reader = _Reader(damaged, table)
    marks = ", ".join("?" * len(reader.columns))
    insert = f"INSERT INTO {table} ({', '.join(reader.columns)}) VALUES ({marks})"
    if table == "settings":  # a new ledger has some of its own
        insert += " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    rows = 0
    for row in reader.rows():
        if reader.makes_sense(row):
            try:
                new.execute(insert, row)
            except sqlite3.IntegrityError:
                reader.lost = True
            else:
                rows += 1
    return Salvaged(table, rows, reader.lost)


def _carry_numbers(damaged: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Numbers of gems and rejections that are gone are not given to others."""
    try:
        rows = damaged.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
    except sqlite3.DatabaseError:
        return
    new.executemany(
        "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?",
        [(number, table) for table, number in rows if isinstance(number, int)],
    )


def _derive(new: sqlite3.Connection) -> None:
    for name, value in settings.everything(new).items():
        if name in settings.CHANGEABLE:
            try:
                settings.check(name, value)
            except GemsearchError:
                settings.remove(new, name)
    signing.sign_anew(new)
    if "canon.version" in derived.stale_versions(new) or derived.wrong_keys(new):
        derived.key_anew(new)
    derived.count_anew(new)


class _Reader:
    """Reads a table from both ends to where it is damaged, and in between by its indexes."""

    def __init__(self, damaged: sqlite3.Connection, table: str) -> None:
        self._damaged = damaged
        self._table = table
        self._order = _TABLES[table].split(", ")
        known = shape.tables()[table]
        there = {name for _, name, *_ in damaged.execute(f"PRAGMA table_info({table})")}
        self.columns = [name for name in known if name in there]  # an older ledger has fewer
        self._kinds = [known[name] for name in self.columns]
        self.lost = False

    def is_whole(self) -> bool:
        try:
            for _ in self._scan("ASC"):
                pass
        except sqlite3.DatabaseError:
            return False
        return True

    def makes_sense(self, row: Row) -> bool:
        sound = all(kind.takes(value) for kind, value in zip(self._kinds, row, strict=True))
        self.lost = self.lost or not sound
        return sound

    def rows(self) -> Iterator[Row]:
        """Every row that can be read, each once; `lost` then says whether there were others."""
        first: Row = ()
        try:
            for key, row in self._scan("ASC"):
                first = key
                yield row
        except sqlite3.DatabaseError:
            self.lost = True
        else:
            return
        last: Row = ()
        with suppress(sqlite3.DatabaseError, TypeError):
            for key, row in self._scan("DESC"):
                if key <= first:
                    return
                last = key
                yield row
        if self._order == ["rowid"]:
            yield from self._between(first[0] if first else None, last[0] if last else None)

    def _scan(self, direction: str) -> Iterator[tuple[Row, Row]]:
        """Key and columns of each row, from the table itself."""
        order = ", ".join(f"{name} {direction}" for name in self._order)
        width = len(self._order)
        for row in self._damaged.execute(
            f"SELECT {', '.join((*self._order, *self.columns))} FROM {self._table} NOT INDEXED"
            f" ORDER BY {order}"
        ):
            yield row[:width], row[width:]

    def _between(self, first: object, last: object) -> Iterator[Row]:
        for rowid in self._numbers(first, last):
            with suppress(sqlite3.DatabaseError):
                yield from self._damaged.execute(
                    f"SELECT {', '.join(self.columns)} FROM {self._table} NOT INDEXED"
                    " WHERE rowid = ?",
                    (rowid,),
                ).fetchall()

    def _numbers(self, first: object, last: object) -> Sequence[int]:
        """Row numbers between the two, from the first index that can be read."""
        indexes = self._damaged.execute(f"PRAGMA index_list({self._table})").fetchall()
        for _, name, _, _, partial in indexes:
            if partial:
                continue
            with suppress(sqlite3.DatabaseError):
                return [
                    rowid
                    for (rowid,) in self._damaged.execute(
                        f"SELECT rowid FROM {self._table} INDEXED BY {name}"
                        " WHERE (? IS NULL OR rowid > ?) AND (? IS NULL OR rowid < ?)",
                        (first, first, last, last),
                    ).fetchall()
                ]
        return []
