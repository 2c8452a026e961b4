"""Opens a ledger for what a command is about to do with it.

With `until_exit` it is left open for the process to end with, at once and by `os._exit`. To close
the last connection means to write the log back into the ledger and to wait for the disk, which
takes a hook as long as all else that it does with the ledger. What was committed stands in the log,
for whoever opens the ledger next.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gemsearch import errors
from gemsearch.ledger.connection import (
    BUSY_SECONDS,
    is_missing,
    open_for_reading,
    open_for_writing,
    open_nothing,
    translating,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


_PAGES_OF_LOG = 250  # 1 MB: what the next to open the ledger may have to read

_left_open: list[sqlite3.Connection] = []  # what nobody holds is closed


@contextmanager
def opened_for_writing(
    path: str, *, busy: float = BUSY_SECONDS, until_exit: bool = False
) -> Iterator[sqlite3.Connection]:
    """The ledger, made if it is missing."""
    yield from _until_done(open_for_writing(path, busy=busy), path, until_exit=until_exit)


@contextmanager
def opened_for_correcting(path: str) -> Iterator[sqlite3.Connection]:
    """The ledger for writing, which must exist."""
    open_for_reading(path).close()
    yield from _until_done(open_for_writing(path), path)


@contextmanager
def opened_for_reading(path: str, *, busy: float = BUSY_SECONDS) -> Iterator[sqlite3.Connection]:
    """The ledger, which must exist."""
    yield from _until_done(open_for_reading(path, busy=busy), path)


@contextmanager
def opened_for_question(path: str) -> Iterator[sqlite3.Connection]:
    """The ledger, or an empty one in memory when there is none yet: asking makes no file."""
    yield from _until_done(open_nothing() if is_missing(path) else open_for_reading(path), path)


@contextmanager
def opened_for_search(
    path: str, *, busy: float = BUSY_SECONDS, until_exit: bool = False
) -> Iterator[sqlite3.Connection]:
    """The ledger, read-only when it can't be written: a refusal needs no more than that."""
    try:
        connection = open_for_writing(path, busy=busy)
    except (errors.LedgerReadOnly, errors.LedgerNewer):
        if is_missing(path):
            raise
        connection = open_for_reading(path, busy=busy)
    yield from _until_done(connection, path, until_exit=until_exit)


def _until_done(
    connection: sqlite3.Connection, path: str, *, until_exit: bool = False
) -> Iterator[sqlite3.Connection]:
    try:
        with translating(path):
            if until_exit:
                _left_open.append(connection)
                connection.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_OF_LOG}")
            yield connection
    finally:
        if not until_exit:
            connection.close()
