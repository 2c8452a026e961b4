"""Opens a ledger for what a command is about to do with it."""

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


@contextmanager
def opened_for_writing(path: str, *, busy: float = BUSY_SECONDS) -> Iterator[sqlite3.Connection]:
    """The ledger, made if it is missing."""
    yield from _until_done(open_for_writing(path, busy=busy), path)


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
def opened_for_search(path: str, *, busy: float = BUSY_SECONDS) -> Iterator[sqlite3.Connection]:
    """The ledger, read-only when it can't be written: a refusal needs no more than that."""
    try:
        connection = open_for_writing(path, busy=busy)
    except (errors.LedgerReadOnly, errors.LedgerNewer):
        if is_missing(path):
            raise
        connection = open_for_reading(path, busy=busy)
    yield from _until_done(connection, path)


def _until_done(connection: sqlite3.Connection, path: str) -> Iterator[sqlite3.Connection]:
    try:
        with translating(path):
            yield connection
    finally:
        connection.close()
