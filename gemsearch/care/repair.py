"""Mends what is derived from the rest of the ledger, after a copy beside it.

Mending is tried on another copy first where the file itself is damaged: the ledger is touched only
by what is known to make it sound.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.care import backup, copying, derived, finding, forgetting, health, replacing, salvage
from gemsearch.care.surroundings import LARGE_LOG
from gemsearch.errors import LedgerDamaged
from gemsearch.ledger import settings, signing, words
from gemsearch.ledger.connection import (
    open_for_reading,
    open_for_writing,
    translating,
    write_transaction,
)
from gemsearch.ledger.drafts import draft_of
from gemsearch.ledger.index import upkeep
from gemsearch.ledger.times import iso, later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    Repair = Callable[[sqlite3.Connection], object]


class Due(NamedTuple):
    what: str
    repair: Repair


def stamp(now: datetime) -> str:
    """What tells copies that are kept beside the ledger apart."""
    return f"{now:%Y%m%dT%H%M%S}"


def mend(path: str, now: datetime) -> list[str]:
    """Mend all derived state of the ledger at `path`; says what was mended, if anything.

    Raises LedgerDamaged where rows themselves can't be read: that no rule can make anew.
    """
    mended: list[str] = []
    with closing(open_for_writing(path)) as ledger, translating(path):
        with copying.scratch_copy(ledger) as copy:
            due = _due(copy, now)
        if due is None:
            return _made_anew(path, now)
        if due:
            mended = _mended(ledger, path, due, now)
        mended += _finished(ledger, path)
    return mended


def _due(copy: sqlite3.Connection, now: datetime) -> list[Due] | None:
    """What is wrong and what mends it, tried out on the copy; None where only all anew will do."""
    damage = health.damage(copy)
    if damage.others:
        return None
    due: list[Due] = []
    if damage.indexes or derived.missing_indexes(copy):
        due.append(Due("indexes", _index_anew))
        try:
            _index_anew(copy)
        except sqlite3.DatabaseError:
            return None
        if any(health.damage(copy)):
            return None
    try:
        for each in _wrong(copy, now):
            each.repair(copy)  # what follows is judged as it will be then
            due.append(each)
    except (sqlite3.DatabaseError, TypeError, ValueError, AttributeError):
        return None  # rows that make no sense
    return due


def _wrong(copy: sqlite3.Connection, now: datetime) -> Iterator[Due]:
    """Whatever else depends on what is made anew is made anew with it."""
    stale = derived.stale_versions(copy)
    if "signature.version" in stale:
        yield Due("signatures of older rules", signing.sign_anew)
    elif derived.wrong_signatures(copy):
        yield Due("signatures", signing.sign_anew)
    if "canon.version" in stale:
        yield Due("canonical keys of older rules", _key_anew)
    elif derived.wrong_keys(copy):
        yield Due("canonical keys", _key_anew)
    for table in derived.wrong_full_text(copy):
        yield Due(f"the full-text index of {table}", partial(_rebuild_full_text, table))
    if derived.wrong_counts(copy):
        yield Due("counts", derived.count_anew)
    if words.are_wrong(copy):
        yield Due("the counts of words", words.count_anew)
    if upkeep.verify(copy):
        yield Due("candidate indexes", upkeep.discard)
    far = later(now, health.LONGEST_LEASE)
    if copy.execute(f"SELECT 1 FROM searches WHERE {_TOO_LONG}", (far,)).fetchone():
        yield Due("leases that held their topic too long", partial(_end_leases, now))


def _mended(ledger: sqlite3.Connection, path: str, due: list[Due], now: datetime) -> list[str]:
    kept = backup.free_name(f"{path}.{stamp(now)}.backup")
    if any(each.repair is _index_anew for each in due):
        backup.keep_as_it_is(ledger, kept)  # no copy of it can be sound
    else:
        backup.back_up(path, kept, copying.unheard)
    with write_transaction(ledger):
        for each in due:
            each.repair(ledger)
    upkeep.bring_up_to_date(ledger)
    return [f"kept the ledger as it was in {kept}", *(each.what for each in due)]


def _made_anew(path: str, now: datetime) -> list[str]:
    """A new file from the rows, in the ledger's place; the earlier one is kept."""
    draft = draft_of(os.path.abspath(path))

    def make(ledger: sqlite3.Connection) -> str:
        backup.remove(draft)
        found = salvage.salvage(ledger, draft)
        lost = [each.table for each in found if each.lost]
        if lost:
            raise LedgerDamaged(
                f"rows can't be read in: {', '.join(lost)}. Nothing was changed",
                path,
                hint=f"{finding.RESTORE} puts a backup in its place.\n"
                f"{finding.SALVAGE} makes a ledger of what can be read.",
            )
        return draft

    try:
        kept = replacing.into_place(path, make, stamp(now))
    finally:
        backup.remove(draft)
    with closing(open_for_reading(path)) as ledger, copying.scratch_copy(ledger) as copy:
        if any(health.damage(copy)):
            raise LedgerDamaged("it is still damaged", path, hint=f"It was kept in {kept}.")
    return [f"kept the ledger as it was in {kept}", "the whole file, from its rows"]


def _finished(ledger: sqlite3.Connection, path: str) -> list[str]:
    """What a forget that was cut off, or a large log, still wants."""
    mended: list[str] = []
    if forgetting.UNFINISHED in settings.everything(ledger):
        forgetting.rewrite(ledger)
        mended.append("old pages that held what was forgotten")
    if os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal") > LARGE_LOG:
        busy = ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if not busy:
            mended.append("the log, which was large")
    return mended


_TOO_LONG = "state IN ('open', 'answered') AND lease_until > ?"


def _end_leases(now: datetime, ledger: sqlite3.Connection) -> None:
    ledger.execute(
        f"UPDATE searches SET lease_until = ? WHERE {_TOO_LONG}",
        (iso(now), later(now, health.LONGEST_LEASE)),
    )


def _index_anew(ledger: sqlite3.Connection) -> None:
    for statement in derived.missing_indexes(ledger):
        ledger.execute(statement)
    ledger.execute("REINDEX")


def _key_anew(ledger: sqlite3.Connection) -> None:
    derived.key_anew(ledger)
    upkeep.discard(ledger)


def _rebuild_full_text(table: str, ledger: sqlite3.Connection) -> None:
    ledger.execute(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('rebuild')")
