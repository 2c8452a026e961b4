"""SQLite's errors and the system's, as errors that say what, where and what to do now."""

from __future__ import annotations

import errno
import sqlite3

from gemsearch import errors

_NOT_TEXT = "Could not decode to UTF-8"  # Python's own complaint, which has no code

_BY_CODE = {
    sqlite3.SQLITE_BUSY: (
        errors.LedgerBusy,
        "another process is writing to the ledger",
        "Try again in a moment.",
    ),
    sqlite3.SQLITE_LOCKED: (
        errors.LedgerBusy,
        "the ledger is locked",
        "Try again in a moment.",
    ),
    # SQLite gave up after many others were faster; nothing is wrong with the file.
    sqlite3.SQLITE_PROTOCOL: (
        errors.LedgerBusy,
        "too many processes use the ledger at once",
        "Try again in a moment.",
    ),
    sqlite3.SQLITE_NOTADB: (
        errors.NotALedger,
        "not a database",
        "Name another with --db, or restore a backup. The file was left as it is.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        errors.LedgerDamaged,
        "the ledger is damaged",
        "Keep the file, run `gemsearch doctor`, restore a backup. Nothing was changed.",
    ),
    sqlite3.SQLITE_FULL: (errors.LedgerFull, "the disk is full", "Free some space."),
    sqlite3.SQLITE_IOERR: (
        errors.LedgerFull,
        "the disk is full or failing",
        "Free some space or check the disk.",
    ),
    sqlite3.SQLITE_READONLY: (
        errors.LedgerReadOnly,
        "the ledger can't be written here",
        "`gemsearch check` still works; name a writable ledger with --db to record.",
    ),
    sqlite3.SQLITE_PERM: (
        errors.LedgerReadOnly,
        "the ledger can't be opened",
        "Check the permissions of the file and its folder, or name another with --db.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        errors.LedgerReadOnly,
        "the ledger can't be opened",
        "Check the permissions of the file and its folder, or name another with --db.",
    ),
}


def ledger_error(error: sqlite3.Error, path: str) -> errors.LedgerError:
    """The same error with the path and what to do; a mistake of ours is raised as it is."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None and _NOT_TEXT in str(error):
        code = sqlite3.SQLITE_CORRUPT
    if code is None:
        raise error  # a mistake of ours, not of the file's
    known = _BY_CODE.get(code & 0xFF)
    if known is None:
        return errors.LedgerDamaged(
            f"the ledger can't be used ({error})", path, hint="Run `gemsearch doctor`."
        )
    kind, message, hint = known
    return kind(message, path, hint=hint)


def is_want_of_space(error: OSError) -> bool:
    """Whether the disk, a quota or a limit of the process leaves no room."""
    return error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def system_error(error: OSError, path: str) -> errors.LedgerError:
    """What the system said when the file was looked for, opened or made."""
    reason = error.strerror or type(error).__name__
    if is_want_of_space(error):
        return errors.LedgerFull(f"the disk is full ({reason})", path, hint="Free some space.")
    return errors.LedgerReadOnly(
        f"the ledger can't be opened ({reason})",
        path,
        hint="Check the permissions of its folder, or name another with --db.",
    )
