"""A consistent, checked copy of the ledger, made while others read and write it."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.care import copying
from gemsearch.errors import LedgerDamaged, WrongCall
from gemsearch.ledger.connection import open_for_reading, path_of, translating
from gemsearch.ledger.drafts import draft_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OF_THE_TARGET = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
BESIDE = ("", "-wal", "-shm", "-journal")  # the files of one ledger


class Counted(NamedTuple):
    """What tells whether a copy is whole."""

    uuid: str | None
    gems: int
    results: int
    rejections: int
    searches: int


def back_up(
    path: str, target: str, advance: Callable[[float], None], *, replace: bool = False
) -> int:
    """Copy the ledger at `path` to the file `target`; gives the number of gems in the copy.

    `advance` is told the part done, from 0 to 1. The copy appears under its name only when it is
    complete and sound, and needs no other file beside it. A file that is there already stays,
    unless `replace` says otherwise.
    """
    target = os.path.abspath(target)
    _refuse_target(path, target, replace=replace)
    draft = draft_of(target)
    try:
        copying.create_private(draft)
        with closing(open_for_reading(path)) as ledger, _naming(path, target):
            gems = _checked_copy(ledger, draft, advance)
        put_under_name(draft, target, replace=replace)
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise WrongCall(
            f"the copy can't be written ({error.strerror}): {target}", hint="Name another folder."
        ) from error
    finally:
        remove(draft)
    return gems


def counted(connection: sqlite3.Connection) -> Counted:
    """What a copy of this ledger must have too."""
    uuid = connection.execute("SELECT value FROM settings WHERE name = 'ledger.uuid'").fetchone()
    tables = ("gems", "results", "rejections", "searches")
    counts = [connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables]
    return Counted(uuid[0] if uuid else None, *counts)


def put_under_name(draft: str, target: str, *, replace: bool = False) -> None:
    """Give a finished file its name, at once and so that a power cut does not take it back."""
    if replace:
        os.replace(draft, target)
    else:
        _move_to_new(draft, target)
    folder = os.open(os.path.dirname(target), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def keep_as_it_is(ledger: sqlite3.Connection, target: str) -> None:
    """Copy every page to the new file `target`, damaged ones too. Raises FileExistsError."""
    copying.create_private(target)
    try:
        with (
            closing(sqlite3.connect(target, isolation_level=None)) as copy,
            copying.fixed_snapshot(ledger),
        ):
            copying.copy_pages(ledger, copy, copying.unheard)
    except BaseException:
        remove(target)
        raise


def free_name(wanted: str) -> str:
    """This name, or with a number where there is such a file already."""
    name, number = wanted, 1
    while os.path.lexists(name):
        number += 1
        name = f"{wanted}{number}"
    return name


def remove(draft: str) -> None:
    """Remove a file that got its name, or never will, and what SQLite kept beside it."""
    for suffix in BESIDE:
        with suppress(OSError):
            os.unlink(f"{draft}{suffix}")


def _checked_copy(ledger: sqlite3.Connection, draft: str, advance: Callable[[float], None]) -> int:
    with closing(sqlite3.connect(draft, isolation_level=None)) as copy:
        with copying.fixed_snapshot(ledger):
            expected = counted(ledger)
            copying.copy_pages(ledger, copy, advance)
        if copy.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            raise LedgerDamaged(
                "the copy is not sound, so the ledger is not either",
                path_of(ledger),
                hint="Run `gemsearch doctor`. No copy was kept.",
            )
        if counted(copy) != expected:
            raise LedgerDamaged(
                "the copy has other rows than the ledger", path_of(ledger), hint="Try again."
            )
        return expected.gems


def _move_to_new(draft: str, target: str) -> None:
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links, such as a memory stick's: the check and the move are two.
        if os.path.lexists(target):
            raise
        os.rename(draft, target)


@contextmanager
def _naming(path: str, target: str) -> Iterator[None]:
    """Turns SQLite's errors into ours, with the file that each is about."""
    try:
        yield
    except sqlite3.Error as error:
        about_target = getattr(error, "sqlite_errorcode", 0) & 0xFF in _OF_THE_TARGET
        with translating(target if about_target else path):
            raise


def _refuse_target(path: str, target: str, *, replace: bool) -> None:
    own = {os.path.realpath(path) + suffix for suffix in BESIDE}
    if os.path.realpath(target) in own or is_same_file(path, target):
        raise WrongCall(f"that is the ledger itself: {target}", hint="Name another file.")
    if not os.path.lexists(target):
        return
    if not replace:
        raise _exists(target)
    if not stat.S_ISREG(os.lstat(target).st_mode):
        raise WrongCall(f"not a regular file: {target}", hint="Name another file.")
    if os.path.lexists(f"{target}-wal"):
        # Its log would be taken for the copy's.
        raise WrongCall(f"a ledger in use, with a log: {target}", hint="Name another file.")


def is_same_file(path: str, target: str) -> bool:
    """Whether two names, links included, lead to one file."""
    try:
        return os.path.samefile(path, target)
    except OSError:
        return False


def _exists(target: str) -> WrongCall:
    return WrongCall(
        f"there is a file already: {target}", hint="Name another file, or replace it by --force."
    )
