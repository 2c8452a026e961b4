"""Copies a ledger page by page while others read and write it, damaged pages included."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from gemsearch.errors import LedgerBusy, LedgerFull
from gemsearch.ledger.connection import path_of, read_snapshot, translating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGES = 256  # a megabyte a step: others get their turn in between
WAITING = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def unheard(_: float) -> None:
    """For callers whose progress nobody watches."""


@contextmanager
def fixed_snapshot(ledger: sqlite3.Connection) -> Iterator[None]:
    """One state of the ledger for everything within.

    A copy needs it to come to an end: without one, each write of others starts the copying anew.
    """
    with read_snapshot(ledger):
        ledger.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield


def copy_pages(
    ledger: sqlite3.Connection, target: sqlite3.Connection, advance: Callable[[float], None]
) -> None:
    """Copy the ledger as it is in the caller's snapshot; the target then needs no log beside it.

    `advance` is told the part done, from 0 to 1.
    """

    def heard(status: int, left: int, total: int) -> None:
        if status in WAITING:
            # SQLite would try for ever.
            raise LedgerBusy(
                "another process is writing", path_of(ledger), hint="Try again in a moment."
            )
        advance(1 - left / max(total, 1))

    ledger.backup(target, pages=PAGES, progress=heard)
    target.execute("PRAGMA journal_mode = DELETE")


def create_private(path: str) -> None:
    """A new, empty file that only its owner can read. Raises FileExistsError."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


@contextmanager
def scratch_folder(room: int) -> Iterator[str]:
    """A private folder for files of `room` bytes, gone afterwards. Raises LedgerFull."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="gemsearch-", ignore_cleanup_errors=True) as folder:
        if shutil.disk_usage(folder).free < room:
            raise _no_room(folder)
        yield folder


def _no_room(folder: str) -> LedgerFull:
    return LedgerFull(
        "there is no room for a copy",
        folder,
        hint="Free some space, or set TMPDIR to a folder that has it.",
    )


@contextmanager
def _blaming_room(folder: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in {
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_IOERR,
        }:
            raise _no_room(folder) from error
        raise


@contextmanager
def scratch_copy(
    ledger: sqlite3.Connection, advance: Callable[[float], None] = unheard
) -> Iterator[sqlite3.Connection]:
    """A copy to look at and try things on, in a private folder, gone afterwards."""
    with scratch_folder(size_of(ledger)) as folder:
        name = os.path.join(folder, "copy.db")
        create_private(name)
        with closing(sqlite3.connect(name, isolation_level=None)) as copy:
            copy.execute("PRAGMA synchronous = OFF")  # it need not outlive anything
            with translating(path_of(ledger)), _blaming_room(folder), fixed_snapshot(ledger):
                copy_pages(ledger, copy, advance)
            yield copy


def size_of(ledger: sqlite3.Connection) -> int:
    """Bytes that all pages of the ledger take."""
    pages, size = (
        ledger.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    return int(pages) * int(size)
