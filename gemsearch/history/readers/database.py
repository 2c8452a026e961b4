"""Reads databases that other programs may be writing, and leaves nothing beside them.

A reader of a database in WAL mode makes `-wal` and `-shm` files where there are none, and can't
remove them. So one that nobody has open is read as it is, and whether it stayed so is checked
afterwards; one with a write-ahead log is copied and read elsewhere, or, too large for that, read
together with the program that has it open.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from gemsearch.history.model import Mark
from gemsearch.history.readers.files import mark_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gemsearch.history.readers.base import Reading

_BUSY_SECONDS = 2.0
_COPIED = 200_000_000  # bytes up to which a live database is copied
_TRIES = 3
_AT_REST = 1.0  # seconds without a change after which a copy is of one moment
_BESIDE = ("-wal", "-journal")


def database_paths(reading: Reading, root: str, wanted: Callable[[str], bool]) -> Iterator[str]:
    """The databases directly in a folder whose names are wanted, or the file itself."""
    root = os.path.realpath(root)
    if not os.path.isdir(root):
        if os.path.exists(root):
            yield root
        else:
            reading.skip("not found", root)
        return
    try:
        names = sorted(filter(wanted, os.listdir(root)))
    except OSError:
        reading.skip("unreadable folder", root)
        return
    yield from (os.path.join(root, name) for name in names)


class Opened(NamedTuple):
    """A database to read from; `after` is the highest row that an earlier run read."""

    connection: sqlite3.Connection
    path: str
    after: int
    marked: dict[str, Mark]  # for `mark`
    fingerprint: str

    def mark(self, row: int, how: str = "") -> None:
        """Sets how far this run came; dropped if the database changed while it was read."""
        self.marked[mark_name(self.path, how)] = Mark(row, self.fingerprint)

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table, none if there is no such table."""
        rows = self.connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return frozenset(name for (name,) in rows)

    def place(self, row: object) -> str:
        return f"{self.path}:{row}"


@contextmanager
def opened_database(reading: Reading, path: str, how: str = "") -> Iterator[Opened | None]:
    """A database for reading; None if it is unchanged since its mark or can't be read."""
    state = _state(path)
    if state is None:
        reading.skip("unreadable database", path)
        yield None
        return
    mark = reading.marks.get(mark_name(path, how))
    if mark is not None and mark.fingerprint == state.fingerprint:
        yield None
        return
    same = mark is not None and mark.fingerprint.split("-")[:2] == state.fingerprint.split("-")[:2]
    with _connected(reading, path, state) as connection:
        if connection is None:
            yield None
            return
        reading.files += 1
        reading.count(state.size)
        marked: dict[str, Mark] = {}
        after = mark.position if mark is not None and same else 0
        yield Opened(connection, path, after, marked, state.fingerprint)
        if state.is_closed and _state(path) != state:
            reading.skip("database changed while it was read", path)
        else:
            reading.new_marks.update(marked)


class _State(NamedTuple):
    """What tells whether a database has changed, and how it may be read."""

    fingerprint: str
    size: int  # with its write-ahead log
    changed: float
    is_wal: bool
    is_live: bool  # someone has it open, or had when it crashed

    @property
    def is_closed(self) -> bool:
        """In WAL mode and open nowhere: read without locks."""
        return self.is_wal and not self.is_live


def _state(path: str) -> _State | None:
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return None
        with open(path, "rb") as file:
            head = file.read(100)
    except OSError:
        return None
    if len(head) < 100 or not head.startswith(b"SQLite format 3\0"):
        return None
    beside = [_stat(path + ending) for ending in _BESIDE]
    sizes = [one.st_size if one else 0 for one in beside]
    changes = [one.st_mtime_ns if one else 0 for one in beside]
    parts = [found.st_size, found.st_mtime_ns, *sizes, *changes]
    return _State(
        f"db-{found.st_ino}-{'-'.join(map(str, parts))}",
        found.st_size + sum(sizes),
        max(found.st_mtime, *(change / 1e9 for change in changes)),
        head[18] == 2,
        sizes[0] > 0 or _stat(f"{path}-shm") is not None,
    )


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


@contextmanager
def _connected(reading: Reading, path: str, state: _State) -> Iterator[sqlite3.Connection | None]:
    if not state.is_wal and not os.path.exists(f"{path}-journal"):
        with _connection(f"file:{quote(path)}?mode=ro") as connection:
            yield connection
        return
    if state.is_closed:
        with _connection(f"file:{quote(path)}?mode=ro&immutable=1") as connection:
            yield connection
        return
    with tempfile.TemporaryDirectory(prefix="gemsearch-") as folder:
        copy = _copied(path, folder, state)
        if copy is not None:
            with _connection(f"file:{quote(copy)}?mode=rw") as connection:
                yield connection
            return
    if state.is_wal and not os.path.exists(f"{path}-shm"):
        reading.skip("database being written", path)
        yield None
        return
    with _connection(f"file:{quote(path)}?mode=ro") as connection:
        yield connection


@contextmanager
def _connection(uri: str) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(uri, timeout=_BUSY_SECONDS, isolation_level=None, uri=True)
    try:
        connection.text_factory = lambda found: found.decode("utf-8", "replace")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")  # one moment for all statements
        yield connection
    finally:
        connection.close()


def _copied(path: str, folder: str, state: _State) -> str | None:
    """A copy of one moment, None if the database is too large or doesn't come to rest."""
    if state.size > _COPIED or shutil.disk_usage(folder).free < 2 * state.size:
        return None
    copy = os.path.join(folder, "copy.db")
    for _ in range(_TRIES):
        before = _state(path)
        if before is not None and time.time() - before.changed > _AT_REST:
            shutil.copyfile(path, copy)
            for ending in _BESIDE:
                if os.path.exists(path + ending):
                    shutil.copyfile(path + ending, copy + ending)
            if _state(path) == before:
                return copy
        time.sleep(_AT_REST / 2)
    return None
