"""Opens the ledger file: creates it whole, checks that it is ours, and names what is wrong with it.

A new ledger is built beside its place and then linked into it, so that no process ever sees half
a ledger, however many start at once. A file that exists and is empty is therefore never new.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from gemsearch import errors
from gemsearch.ledger import migrations
from gemsearch.ledger.failures import ledger_error, system_error

if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY_SECONDS = 5.0
_LONG_LOG = 16 << 20  # bytes
_MOMENT = 100  # milliseconds
_TABLES = (
    "'gems', 'urls', 'results', 'rejections', 'rejection_urls', 'wordings', 'words', 'exceptions',"
    " 'searches', 'settings', 'providers_state', 'history_files', 'gems_fts', 'results_fts',"
    " 'rejections_fts'"
)
_READ_ONLY_DIRECTORY = "SQLITE_READONLY_DIRECTORY"


def open_for_writing(path: str, *, busy: float = BUSY_SECONDS) -> sqlite3.Connection:
    """The ledger at `path`, made if it is missing. Waits up to `busy` seconds for other writers."""
    path = os.path.abspath(path)
    with _opening(path):
        if is_missing(path):
            _create(path)
        _refuse_what_is_no_file(path)
        connection = _connect(f"file:{_quoted(path)}?mode=rw", busy)
        try:
            _make_writable(connection, path, busy)
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(path: str, *, busy: float = BUSY_SECONDS) -> sqlite3.Connection:
    """The ledger at `path`, never written to, from read-only media too. It must exist."""
    path = os.path.abspath(path)
    if is_missing(path):
        raise errors.LedgerMissing(
            "there is no ledger yet", path, hint="The first `gemsearch search` makes it."
        )
    with _opening(path):
        _refuse_what_is_no_file(path)
        connection = _connect_read_only(path, busy)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            _refuse_what_is_not_ours(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def open_nothing() -> sqlite3.Connection:
    """An empty ledger in memory, for a question asked before there is a file."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrations.migrate(connection)
    return connection


def is_missing(path: str) -> bool:
    """Whether nothing is there. Raises LedgerReadOnly where one may not even look."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError as error:
        raise system_error(error, path) from error
    return False


def path_of(connection: sqlite3.Connection) -> str:
    """The file behind a connection, for messages."""
    return str(connection.execute("PRAGMA database_list").fetchone()[2] or ":memory:")


def inserted(cursor: sqlite3.Cursor) -> int:
    """The number of the row that an INSERT made."""
    assert cursor.lastrowid is not None  # noqa: S101 - an INSERT has one
    return cursor.lastrowid


@contextmanager
def read_snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """One snapshot for several statements."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if _in_transaction(connection):  # an I/O error may have ended it
            connection.execute("COMMIT")


@contextmanager
def write_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, holding the write lock from the start.

    A deferred BEGIN that reads and then writes fails at once under load: SQLite cannot make a
    stale reader wait. Another gemsearch may have migrated the ledger since it was opened.
    """
    path = path_of(connection)
    with translating(path):
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            refuse_newer(connection, path)
            raise
        try:
            refuse_newer(connection, path)
            yield
            connection.execute("COMMIT")
        except BaseException:
            roll_back(connection)
            raise
        _keep_log_short(connection, path)


def _keep_log_short(connection: sqlite3.Connection, path: str) -> None:
    """Write a long log back and begin it anew.

    SQLite does so when nobody reads. Where many processes take turns somebody always does, and the
    log would grow by all that is written. Tried at one write in 16, and for a moment only: a reader
    that takes longer (a backup, say) must not hold up every writer.
    """
    try:
        size = os.stat(f"{path}-wal").st_size
    except OSError:
        return
    if size < _LONG_LOG or size // 4096 % 16:
        return
    with suppress(sqlite3.Error):
        patience = connection.execute("PRAGMA busy_timeout").fetchone()[0]
        connection.execute(f"PRAGMA busy_timeout = {min(patience, _MOMENT)}")
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.execute(f"PRAGMA busy_timeout = {patience}")


def roll_back(connection: sqlite3.Connection) -> None:
    """Undo an open transaction, if there is one."""
    if _in_transaction(connection):
        connection.execute("ROLLBACK")


def _in_transaction(connection: sqlite3.Connection) -> bool:
    try:
        return connection.in_transaction
    except sqlite3.ProgrammingError:
        return False  # closed, by whoever was interrupted before the transaction's first statement


@contextmanager
def translating(path: str) -> Iterator[None]:
    """Turns SQLite's errors into ours, with the path and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise ledger_error(error, path) from error
    except OverflowError as error:
        raise _not_storable("a number beyond 64 bits") from error
    except UnicodeEncodeError as error:
        if error.encoding != "utf-8":
            raise  # from a print, not from SQLite
        raise _not_storable("half a character") from error


@contextmanager
def _opening(path: str) -> Iterator[None]:
    """The same for the system's errors too, while the file is looked for and opened."""
    try:
        with translating(path):
            yield
    except OSError as error:
        raise system_error(error, path) from error


def _create(path: str) -> None:
    from gemsearch.ledger.drafts import draft_of  # start-up: needed once in the life of a ledger

    _refuse_log_without_ledger(path)
    directory = os.path.dirname(path)
    if not os.path.isdir(directory):
        os.makedirs(directory, mode=0o700, exist_ok=True)
    draft = draft_of(path)
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        connection = _connect(f"file:{_quoted(draft)}?mode=rw", BUSY_SECONDS)
        try:
            migrations.migrate(connection)
            # Last: what is in the file by then depends on no log, which may fail to be written back
            # when it is closed. And here nobody can be in the way of the switch, which won't wait.
            connection.execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()
        _put_in_place(draft, path)
    finally:
        for name in (draft, f"{draft}-wal", f"{draft}-shm", f"{draft}-journal"):
            with suppress(FileNotFoundError):
                os.unlink(name)


def _refuse_log_without_ledger(path: str) -> None:
    """SQLite would apply the log of a ledger that is gone to the new one of its name."""
    log = f"{path}-wal"
    left = os.path.exists(log) and os.path.getsize(log) > 0
    if left and not os.path.lexists(path):  # asked again: another process may have made it
        raise errors.LedgerDamaged(
            "a log of a ledger that is gone lies in the place of the new one",
            log,
            hint="Put its ledger back beside it, or delete the log.",
        )


def _put_in_place(draft: str, path: str) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return  # another process was first: its ledger serves
    except OSError:
        # A file system without links. The check and the move are two steps here.
        if not os.path.lexists(path):
            os.rename(draft, path)


def _make_writable(connection: sqlite3.Connection, path: str, busy: float) -> None:
    _refuse_what_is_not_ours(connection, path)
    version = refuse_newer(connection, path)
    connection.execute("PRAGMA foreign_keys = ON")
    if version < migrations.VERSION:
        migrations.migrate(connection)
        refuse_newer(connection, path)  # others may have been faster, and newer
    chosen = connection.execute("SELECT value FROM settings WHERE name = 'synchronous'").fetchone()
    connection.execute(f"PRAGMA synchronous = {'FULL' if chosen == ('full',) else 'NORMAL'}")
    connection.execute(f"PRAGMA journal_size_limit = {_LONG_LOG}")  # once it is begun anew
    _trust_own_triggers(connection, path)
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        _switch_to_wal(connection, busy)


def _switch_to_wal(connection: sqlite3.Connection, busy: float) -> None:
    """What a restored backup needs. SQLite's own patience does not reach this switch."""
    import time  # start-up: needed once in the life of a ledger

    end = time.monotonic() + busy
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _refuse_what_is_no_file(path: str) -> None:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise errors.NotALedger("not a regular file", path, hint="Name another with --db.")
    if found.st_size == 0:
        raise errors.LedgerEmpty(
            "the ledger is empty: it was cut off or never was one",
            path,
            hint="Restore a backup, or delete the file to start a new ledger.",
        )


def _connect(uri: str, busy: float) -> sqlite3.Connection:
    return sqlite3.connect(uri, timeout=busy, isolation_level=None, uri=True)


def _connect_read_only(path: str, busy: float) -> sqlite3.Connection:
    connection = _connect(f"file:{_quoted(path)}?mode=ro", busy)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if not _on_read_only_media(error, path):
            raise
        # Only safe when nothing waits in a write-ahead log that immutable=1 would not see.
        return _connect(f"file:{_quoted(path)}?mode=ro&immutable=1", busy)
    return connection


def _on_read_only_media(error: sqlite3.Error, path: str) -> bool:
    if error.sqlite_errorname not in {_READ_ONLY_DIRECTORY, "SQLITE_CANTOPEN"}:
        return False
    log = f"{path}-wal"
    return not os.path.exists(log) or os.path.getsize(log) == 0


def _quoted(path: str) -> str:
    # What SQLite's own URI parser needs; urllib would cost its import at every start.
    for character in "%?#":
        path = path.replace(character, f"%{ord(character):02x}")
    return path


def _refuse_what_is_not_ours(connection: sqlite3.Connection, path: str) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != migrations.APPLICATION_ID:
        raise errors.NotALedger(
            "a database, but not a gemsearch ledger", path, hint="Name another with --db."
        )
    # One made by a stranger may have no end, and whoever reads it would wait for one.
    view = connection.execute(
        f"SELECT name FROM sqlite_master WHERE type = 'view' AND name IN ({_TABLES})"
    ).fetchone()
    if view:
        raise errors.NotALedger(f"{view[0]} is no table in it", path, hint="Name another.")


def refuse_newer(connection: sqlite3.Connection, path: str) -> int:
    """The ledger's version, if this gemsearch may write it. Raises LedgerNewer."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > migrations.VERSION:
        raise errors.LedgerNewer(
            f"the ledger has version {version}, this gemsearch writes {migrations.VERSION}",
            path,
            hint="Update gemsearch. Until then the ledger can be read, not written.",
        )
    return version


def _trust_own_triggers(connection: sqlite3.Connection, path: str) -> None:
    """SQLite runs full-text triggers only under trusted_schema, so look at them first."""
    found = dict(
        connection.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')")
    )
    if found != migrations.triggers_and_views():
        raise errors.LedgerDamaged(
            "its triggers or views are not the ones gemsearch made",
            path,
            hint="Run `gemsearch doctor`; it shows which.",
        )
    connection.execute("PRAGMA trusted_schema = ON")


def _not_storable(what: str) -> errors.WrongCall:
    return errors.WrongCall(f"no ledger can hold {what}", hint="Correct it and try again.")
