"""A consistent, checked copy of the ledger, made while others read and write it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from gemsearch.errors import LedgerDamaged, WrongCall
from gemsearch.ledger.connection import open_for_reading, translating

if TYPE_CHECKING:
    from collections.abc import Callable

_PAGES = 256  # a megabyte a step: writers get their turn in between


def back_up(path: str, target: str, advance: Callable[[float], None]) -> int:
    """Copy the ledger at `path` to the new file `target`; gives the number of gems in the copy.

    `advance` is told the part done, from 0 to 1. The copy appears under its name only when it is
    complete and sound, and needs no other file beside it.
    """
    target = os.path.abspath(target)
    if os.path.lexists(target):
        raise WrongCall(f"there is a file already: {target}", hint="Name another file.")
    draft = f"{target}.{os.getpid()}.new"
    try:
        _create_private(draft)
        with closing(open_for_reading(path)) as ledger, translating(draft):
            gems = _copy(ledger, draft, advance)
        os.link(draft, target)
    except FileExistsError:
        raise WrongCall(f"there is a file already: {target}", hint="Name another file.") from None
    except OSError as error:
        raise WrongCall(
            f"the copy can't be written ({error.strerror}): {target}", hint="Name another folder."
        ) from error
    finally:
        with suppress(OSError):
            os.unlink(draft)
    return gems


def _create_private(draft: str) -> None:
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _copy(ledger: sqlite3.Connection, draft: str, advance: Callable[[float], None]) -> int:
    with closing(sqlite3.connect(draft, isolation_level=None)) as copy:
        ledger.backup(
            copy,
            pages=_PAGES,
            progress=lambda _, left, total: advance(1 - left / max(total, 1)),
        )
        copy.execute("PRAGMA journal_mode = DELETE")
        if copy.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            raise LedgerDamaged(
                "the copy is not sound, so the ledger is not either",
                draft,
                hint="Run `gemsearch doctor`. No copy was kept.",
            )
        return int(copy.execute("SELECT count(*) FROM gems").fetchone()[0])
