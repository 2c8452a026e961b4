"""Puts a whole, checked ledger in the place of another, which is kept beside it.

Moving files about would be wrong twice: a log left beside the new file would be applied to it, and
whoever has the old file open would go on writing there. So the new contents are written into the
ledger by SQLite, in one transaction that other processes wait for. Only a ledger that SQLite can't
open is moved away, with its log.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from gemsearch import errors
from gemsearch.care import backup, copying
from gemsearch.ledger import migrations
from gemsearch.ledger.connection import (
    BUSY_SECONDS,
    open_for_reading,
    refuse_newer,
    translating,
)
from gemsearch.ledger.drafts import draft_of

if TYPE_CHECKING:
    from collections.abc import Callable

_TRIES = 3  # while others write


class Restored(NamedTuple):
    gems: int
    kept: str  # where the earlier ledger is now; empty where there was none


class _Changed(Exception):
    """Others wrote to the ledger after it was copied."""


def restore(path: str, copy: str, stamp: str, advance: Callable[[float], None]) -> Restored:
    """Put the copy in the place of the ledger at `path`, which is kept beside it under `stamp`.

    The copy stays where it is. Raises LedgerError, with the ledger unchanged, when it is not sound.
    """
    if backup.is_same_file(path, copy):
        raise errors.WrongCall(f"that is the ledger itself: {copy}", hint="Name a backup.")
    path = os.path.abspath(path)
    with suppress(OSError):  # a new machine; what stands in the way is named below
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    draft = draft_of(path)
    try:
        gems = backup.back_up(copy, draft, advance)
        _refuse_other_schema(draft, copy)
        return Restored(gems, into_place(path, lambda _: draft, stamp))
    finally:
        backup.remove(draft)


def into_place(path: str, make: Callable[[sqlite3.Connection], str], stamp: str) -> str:
    """Replace the ledger by the file that `make` gives for it; the name of the one that is kept.

    `make` gets the ledger as it is kept: all is done anew when others wrote meanwhile. Raises
    LedgerBusy when they do not stop.
    """
    path = os.path.abspath(path)
    if not os.path.lexists(path):
        with closing(sqlite3.connect(":memory:")) as nothing:
            _move_in(make(nothing), path, backup.free_name(f"{path}.{stamp}.replaced"))
        return ""
    kept = backup.free_name(f"{path}.{stamp}.replaced")
    try:
        reader = open_for_reading(path)
    except (errors.LedgerDamaged, errors.LedgerEmpty):
        return _moved_away(path, make, kept)
    except errors.NotALedger:
        if not os.path.isfile(path) or _is_a_database(path):
            raise  # somebody else's
        return _moved_away(path, make, kept)
    with closing(reader), translating(path):
        refuse_newer(reader, path)
        return _written_over(reader, path, make, kept)


def _written_over(
    reader: sqlite3.Connection, path: str, make: Callable[[sqlite3.Connection], str], kept: str
) -> str:
    for _ in range(_TRIES):
        try:
            _write_once(reader, path, make, kept)
        except _Changed:
            backup.remove(kept)
        except errors.LedgerBusy:
            backup.remove(kept)
            raise
        else:
            return kept
    raise errors.LedgerBusy(
        "others keep writing to the ledger", path, hint="Stop the agents on it and try again."
    )


def _write_once(
    reader: sqlite3.Connection, path: str, make: Callable[[sqlite3.Connection], str], kept: str
) -> None:
    seen = _data_version(reader)
    draft = make(reader)
    backup.keep_as_it_is(reader, kept)

    def refuse_change() -> None:
        if _data_version(reader) != seen:
            raise _Changed

    refuse_change()
    _write(draft, path, refuse_change)


def _write(draft: str, path: str, refuse_change: Callable[[], None]) -> None:
    """All pages of the draft, in one transaction."""

    def heard(status: int, left: int, _: int) -> None:
        if status in copying.WAITING:
            raise errors.LedgerBusy(
                "another process is writing to the ledger", path, hint="Try again in a moment."
            )
        # From the first step on nobody else can write; the last one has committed.
        if left:
            refuse_change()

    with (
        closing(sqlite3.connect(draft, isolation_level=None)) as new,
        closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as ledger,
    ):
        ledger.execute("PRAGMA synchronous = FULL")
        pages = new.execute("PRAGMA page_count").fetchone()[0]
        step = max(1, min(copying.PAGES, pages // 2))  # at least two steps, to look in between
        new.backup(ledger, pages=step, progress=heard)


def _moved_away(path: str, make: Callable[[sqlite3.Connection], str], kept: str) -> str:
    with closing(sqlite3.connect(":memory:")) as nothing:
        draft = make(nothing)
    try:
        os.link(path, kept)  # so that at every moment there is a ledger, the old or the new one
    except OSError:
        os.rename(path, kept)
    _move_in(draft, path, kept, replace=True)
    return kept


def _move_in(draft: str, path: str, kept: str, *, replace: bool = False) -> None:
    """A log without its ledger would be applied to the next one of that name."""
    for suffix in ("-wal", "-shm"):
        if os.path.lexists(f"{path}{suffix}"):
            os.rename(f"{path}{suffix}", f"{kept}{suffix}")
    backup.put_under_name(draft, path, replace=replace)


def _data_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _is_a_database(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _refuse_other_schema(draft: str, copy: str) -> None:
    """What could not be written to, or brings triggers of its own, takes no ledger's place."""
    with closing(sqlite3.connect(draft, isolation_level=None)) as found, translating(copy):
        version = refuse_newer(found, copy)
        sql = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')"
        expected = migrations.triggers_and_views()
        if version == migrations.VERSION and dict(found.execute(sql)) != expected:
            raise errors.NotALedger(
                "its triggers or views are not the ones gemsearch made",
                copy,
                hint="Merge it instead: `gemsearch merge` takes its gems alone.",
            )
