"""Reads a ledger that somebody else made: nothing in the file is trusted.

The file is copied to a private folder and read there. So nothing appears beside it, nobody can
change it while it is read, and what SQLite keeps beside a database comes from its log alone.
Read are columns of tables that are named here, by statements of ours: a view in the place of a
table, a trigger or a function of the file is never run, and the file is never attached.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gemsearch import errors
from gemsearch.care import backup, copying, shape, transfer
from gemsearch.core.results import as_results
from gemsearch.ledger import migrations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemsearch.care.transfer import Line

LARGEST = 8 << 30  # bytes of file and log: some six million gems
LONGEST = 4_000_000  # bytes of one value: the answer of a search with 100 results has below two
MAGIC = b"SQLite format 3\0"
TABLES = (
    *("settings", "gems", "urls", "results", "rejections", "rejection_urls", "wordings"),
    *("exceptions", "searches", "history_files"),
)
_PRAGMAS = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "mmap_size = 0",
    "ignore_check_constraints = ON",  # the file's own expressions, of whatever cost
    "query_only = ON",
)
_FUNCTIONS = {"coalesce", "count"}
_PLAIN = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION}
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
# The most work, in steps of SQLite's machine, that reading may take: a gem of 1,200 bytes takes
# some 600. A file made to be slow is given up.
_STEPS_AT_LEAST = 50_000_000
_STEPS_A_BYTE = 10
_STEPS_AT_ONCE = 100_000
_TRIES = 3
_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_ROOM = "Free some space, or set TMPDIR to a folder that has it."
_OURS = "Name a ledger that gemsearch made; its export is taken by `gemsearch import --judge`."
_SALVAGE = "Salvage what can be read: `gemsearch doctor --salvage NEW.db --db FILE`."


class Foreign(NamedTuple):
    """A stranger's ledger, open for `lines` and `forced_gems`."""

    path: str
    connection: sqlite3.Connection
    size: int  # bytes


class _Seen(NamedTuple):
    """What changes when a file is written to."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


def is_database(path: str) -> bool:
    """Whether a file, or the one that a link leads to, begins as SQLite's do. Never waits."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


@contextmanager
def opened(path: str) -> Iterator[Foreign]:
    """The ledger at `path`, to be read within; the file and its folder stay as they are.

    Raises NotALedger, LedgerDamaged, LedgerNewer, LedgerMissing, LedgerBusy or LedgerFull, all
    with the path and what to do.
    """
    path = os.path.abspath(path)
    room = _refuse_the_large(path)
    with copying.scratch_folder(2 * room) as folder, ExitStack() as stack:
        with _refusing(path):
            name = os.path.join(folder, "other.db")
            _take(path, name)
            _refuse_other_files(name, path)
            uri = f"file:{name}?mode=ro"
            other = stack.enter_context(
                closing(sqlite3.connect(uri, isolation_level=None, uri=True))
            )
            _guard(other, room)
            _refuse_other_shapes(other, path)
            other.set_authorizer(_authorise)
        found = Foreign(path, other, room)
        for _ in lines(found):
            pass  # so that nothing is found wrong when half of it has been taken
        yield found


def lines(other: Foreign) -> Iterator[tuple[int, Line]]:
    """The ledger as an export of it would be, each line with its number, checked and clean.

    Raises NotALedger at what no ledger of ours holds.
    """
    _set_patience(other.connection, other.size)
    with _refusing(other.path):
        try:
            for number, line in enumerate(transfer.exported(other.connection), start=1):
                yield number, _checked(line)
        except transfer.NO_LINE as error:
            said = f"what it holds makes no sense ({error})"
            raise errors.NotALedger(said, other.path, hint=_OURS) from error


def count(other: Foreign) -> int:
    """How many gems and rejections it has."""
    sql = "SELECT (SELECT count(*) FROM gems) + (SELECT count(*) FROM rejections)"
    with _refusing(other.path):
        return int(other.connection.execute(sql).fetchone()[0])


def forced_gems(other: Foreign) -> frozenset[int]:
    """The numbers of the gems that somebody recorded past a refusal."""
    sql = "SELECT forced_gem_id FROM rejections WHERE forced_gem_id IS NOT NULL"
    with _refusing(other.path):
        return frozenset(number for (number,) in other.connection.execute(sql))


def _checked(line: Line) -> Line:
    found = transfer.checked(line)
    return found | {"results": [*as_results(line["results"])]} if "results" in line else found


def _refuse_the_large(path: str) -> int:
    """The bytes of file and log."""
    with _refusing(path):
        _mode(path)
        room = sum(_size(f"{path}{suffix}") for suffix in ("", "-wal"))
    if room > LARGEST:
        raise errors.NotALedger(
            f"it has {room >> 20} MB, more than the {LARGEST >> 20} that are taken",
            path,
            hint="Take its export: `gemsearch export`, then `gemsearch import --judge`.",
        )
    return room


def _take(path: str, name: str) -> None:
    """Copy file and log, as they are at one moment."""
    for _ in range(_TRIES):
        before = _seen(path), _seen(f"{path}-wal")
        backup.remove(name)
        for suffix in ("", "-wal"):
            _copy(f"{path}{suffix}", f"{name}{suffix}")
        if (_seen(path), _seen(f"{path}-wal")) == before:
            return
    raise errors.LedgerBusy(
        "others keep writing to it",
        path,
        hint=f"Take a copy: `gemsearch backup COPY.db --db {path}`.",
    )


def _copy(source: str, target: str) -> None:
    try:
        descriptor = _descriptor(source)
    except errors.LedgerMissing:
        if source.endswith("-wal"):
            return
        raise
    left = LARGEST
    with open(descriptor, "rb") as file, open(target, "wb") as copy:
        while chunk := file.read(min(1 << 20, left)):
            copy.write(chunk)
            left -= len(chunk)


def _descriptor(path: str) -> int:
    """An open file that is regular and no link. Opening never waits, for a pipe's writer say."""
    if stat.S_ISLNK(_mode(path)):
        raise errors.NotALedger(
            "a symbolic link", path, hint="Name the file it leads to, if you trust it."
        )
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise errors.NotALedger("not a regular file", path, hint=_OURS)
    return descriptor


def _mode(path: str) -> int:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        raise errors.LedgerMissing("there is no such file", path, hint=_OURS) from None
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        # Not even opened: a device may do something.
        raise errors.NotALedger("not a regular file", path, hint=_OURS)
    return mode


def _seen(path: str) -> _Seen | None:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return _Seen(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _size(path: str) -> int:
    seen = _seen(path)
    return seen.size if seen else 0


def _refuse_other_files(name: str, path: str) -> None:
    """By the header alone, before SQLite looks at it."""
    with open(name, "rb") as file:
        header = file.read(100)
    if not header:
        raise errors.LedgerEmpty("it is empty", path, hint=_OURS)
    application = int.from_bytes(header[68:72], "big")
    if not header.startswith(MAGIC) or application != migrations.APPLICATION_ID:
        raise errors.NotALedger("not a gemsearch ledger", path, hint=_OURS)


def _guard(other: sqlite3.Connection, size: int) -> None:
    for limit, most in _LIMITS.items():
        other.setlimit(limit, most)
    for pragma in _PRAGMAS:
        other.execute(f"PRAGMA {pragma}")
    _set_patience(other, size)


def _set_patience(other: sqlite3.Connection, size: int) -> None:
    """Give up what takes far more work than a file of this size needs."""
    left = (_STEPS_AT_LEAST + _STEPS_A_BYTE * size) // _STEPS_AT_ONCE

    def out_of_patience() -> int:
        nonlocal left
        left -= 1
        return int(left < 0)

    other.set_progress_handler(out_of_patience, _STEPS_AT_ONCE)


def _refuse_other_shapes(other: sqlite3.Connection, path: str) -> None:
    version = other.execute("PRAGMA user_version").fetchone()[0]
    if version > migrations.VERSION:
        raise errors.LedgerNewer(
            f"it has version {version}, this gemsearch reads {migrations.VERSION}",
            path,
            hint="Update gemsearch.",
        )
    tables = {
        name
        for name, sql in other.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        if isinstance(sql, str) and sql.upper().startswith("CREATE TABLE")
    }
    for table in TABLES:
        if table not in tables:
            raise errors.NotALedger(f"{table} is no table in it", path, hint=_OURS)
        found = {column[1]: column[6] for column in other.execute(f"PRAGMA table_xinfo({table})")}
        # A hidden column is computed by the file's own expression.
        if any(found.values()) or not shape.tables()[table].keys() <= found.keys():
            raise errors.NotALedger(f"its table {table} has other columns", path, hint=_OURS)
        said = other.execute(f"PRAGMA quick_check({table})").fetchone()[0]
        if said != "ok":
            raise errors.LedgerDamaged(f"its table {table} is damaged", path, hint=_SALVAGE)


@cache
def _readable() -> dict[str, frozenset[str]]:
    """The columns that may be read, by table."""
    known = {table: frozenset(shape.tables()[table]) for table in TABLES}
    return known | {"sqlite_sequence": frozenset(("name", "seq"))}


def _authorise(
    action: int, first: str | None, second: str | None, _: str | None, __: str | None
) -> int:
    if action in _PLAIN:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ and first in _readable():
        # Without a column only rows are counted.
        return sqlite3.SQLITE_OK if second in {"", *_readable()[first]} else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    """Turns what goes wrong into errors that name the file and blame it."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise errors.LedgerFull(
                "there is no room for a copy of it", path, hint=_ROOM
            ) from error
        raise errors.LedgerReadOnly(
            f"it can't be read ({error.strerror})", path, hint="Check its permissions."
        ) from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            raise errors.NotALedger(
                "reading it takes far longer than its size", path, hint=_OURS
            ) from error
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _FULL:
            raise errors.LedgerFull("there is no room to sort it", path, hint=_ROOM) from error
        raise errors.LedgerDamaged(f"it can't be read ({error})", path, hint=_SALVAGE) from error
