"""Looks a ledger over. Changes nothing; what it finds says how bad it is and what mends it.

Looked at is a private copy: full-text indexes can only be checked by who may write, and nobody
waits for a look that takes long.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.care import copying, derived, salvage, surroundings
from gemsearch.care.finding import (
    ERROR,
    FIX,
    NOTE,
    RESTORE,
    SALVAGE,
    SEVERITIES,
    WARNING,
    Finding,
)
from gemsearch.care.forgetting import UNFINISHED
from gemsearch.errors import GemsearchError, LedgerDamaged, LedgerFull, LedgerMissing
from gemsearch.ledger import migrations, settings, words
from gemsearch.ledger.connection import open_for_reading, path_of, translating
from gemsearch.ledger.index import upkeep
from gemsearch.ledger.times import iso, later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

_MOST_COMPLAINTS = 20
LONGEST_LEASE = 3600.0  # seconds; a search's deadline is far below
_LONG_COOL_DOWN = 60.0
_NO_SENSE = (
    *(sqlite3.DatabaseError, GemsearchError),
    *(ValueError, TypeError, AttributeError, LookupError),
)
# What SQLite says of an index whose table is sound.
_OF_INDEXES = ("missing from index", "entries in index", "entry in index", "differ from index")


class Damage(NamedTuple):
    """SQLite's complaints: of indexes, which the tables can make anew, and of anything else."""

    indexes: tuple[str, ...]
    others: tuple[str, ...]


def examine(
    path: str, now: datetime, advance: Callable[[float], None] = copying.unheard
) -> list[Finding]:
    """Everything that is wrong with the ledger at `path` and around it, worst first.

    `advance` is told the part done, from 0 to 1.
    """
    try:
        with closing(open_for_reading(path)) as ledger, translating(path):
            found = [*surroundings.findings(os.path.abspath(path))]
            with _looked_at(ledger, lambda done: advance(done / 5)) as (copy, complaints):
                found += complaints
                found += _of_contents(copy, now, lambda done: advance((1 + 4 * done) / 5))
    except LedgerMissing as error:
        return [Finding(NOTE, "ledger", error.message, error.hint)]
    except LedgerDamaged as error:
        return [Finding(ERROR, "ledger", error.message, RESTORE)]
    except GemsearchError as error:
        return [Finding(ERROR, "ledger", error.message, error.hint)]
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def damage(connection: sqlite3.Connection) -> Damage:
    """What SQLite itself complains of, full-text indexes left out."""
    try:
        rows = connection.execute(f"PRAGMA integrity_check({_MOST_COMPLAINTS})").fetchall()
    except sqlite3.DatabaseError as error:
        return Damage((), (str(error),))
    # Newer SQLite checks full text here as well; we do it ourselves.
    said = [str(text) for (text,) in rows if text != "ok" and "fts5" not in str(text).lower()]
    indexes = tuple(text for text in said if any(part in text for part in _OF_INDEXES))
    return Damage(indexes, tuple(text for text in said if text not in indexes))


@contextmanager
def _looked_at(
    ledger: sqlite3.Connection, advance: Callable[[float], None]
) -> Iterator[tuple[sqlite3.Connection, list[Finding]]]:
    """A copy to look at, or where there is no room for one the ledger itself, with less to see."""
    with ExitStack() as stack:
        looked_at, missing = ledger, list[Finding]()
        try:
            with translating(path_of(ledger)):
                looked_at = stack.enter_context(copying.scratch_copy(ledger, advance))
        except LedgerFull as error:
            said = f"{error.message}; full-text indexes were compared by their number of rows only"
            missing.append(Finding(NOTE, "full-text", said, error.hint))
        yield looked_at, missing


def _of_contents(
    ledger: sqlite3.Connection, now: datetime, advance: Callable[[float], None]
) -> Iterator[Finding]:
    version = ledger.execute("PRAGMA user_version").fetchone()[0]
    found = damage(ledger)
    yield from _of_damage(ledger, found)
    if version > migrations.VERSION:
        newer = f"a newer gemsearch made it (version {version}): it is read, never written"
        yield Finding(WARNING, "version", newer, "update gemsearch")
        return
    checks = (
        _of_schema,
        _of_kinds,
        _of_references,
        _of_settings,
        _of_full_text,
        _of_derived,
        _of_candidate_indexes,
        lambda copy: _of_leases(copy, now),
        lambda copy: _of_providers(copy, now),
        _of_what_is_left,
    )
    for done, check in enumerate(checks):
        advance(done / len(checks))
        try:
            yield from check(ledger)
        except _NO_SENSE as error:
            if not any(found):
                yield Finding(ERROR, "contents", f"they make no sense ({error})", RESTORE)
    advance(1)


def _of_damage(ledger: sqlite3.Connection, found: Damage) -> Iterator[Finding]:
    lost = salvage.unreadable(ledger) if found.others else []
    for complaint in found.indexes:
        yield Finding(ERROR, "index", complaint, FIX)
    for complaint in found.others:
        yield Finding(ERROR, "integrity", complaint, RESTORE if lost else FIX)
    if lost:
        yield Finding(
            ERROR,
            "integrity",
            f"rows can't be read in: {', '.join(lost)}. Restore a backup, or salvage the others",
            SALVAGE,
        )


def _of_schema(ledger: sqlite3.Connection) -> Iterator[Finding]:
    for complaint in derived.changed_schema(ledger):
        yield Finding(ERROR, "schema", complaint, SALVAGE)
    missing = len(derived.missing_indexes(ledger))
    if missing:
        yield Finding(ERROR, "index", f"{missing} indexes are missing", FIX)


def _of_references(ledger: sqlite3.Connection) -> Iterator[Finding]:
    broken = len(ledger.execute("PRAGMA foreign_key_check").fetchall())
    if broken:
        yield Finding(ERROR, "references", f"{broken} rows refer to rows that are gone", RESTORE)


def _of_kinds(ledger: sqlite3.Connection) -> Iterator[Finding]:
    for column in derived.wrong_kinds(ledger):
        yield Finding(ERROR, "contents", f"{column} holds what makes no sense there", RESTORE)


def _of_settings(ledger: sqlite3.Connection) -> Iterator[Finding]:
    for name, value in settings.everything(ledger).items():
        if name not in settings.CHANGEABLE:
            continue
        try:
            settings.check(name, value)
        except GemsearchError as error:
            yield Finding(ERROR, "settings", error.message, f"gemsearch config unset {name}")


def _of_full_text(ledger: sqlite3.Connection) -> Iterator[Finding]:
    writable = not ledger.execute("PRAGMA query_only").fetchone()[0]
    wrong = derived.wrong_full_text if writable else derived.uncounted_full_text
    for table in wrong(ledger):
        yield Finding(WARNING, "full-text", f"the index of {table} is not that of its rows", FIX)


def _of_derived(ledger: sqlite3.Connection) -> Iterator[Finding]:
    stale = derived.stale_versions(ledger)
    for name in stale:
        yield Finding(WARNING, name, "derived by older rules than this gemsearch's", FIX)
    counts = derived.wrong_counts(ledger)
    if counts:
        yield Finding(WARNING, "counts", f"{counts} rows have a wrong count or day", FIX)
    if words.are_wrong(ledger):
        yield Finding(WARNING, "words", "the counts of words are not those of the gems", FIX)
    if "signature.version" not in stale and (wrong := derived.wrong_signatures(ledger)):
        yield Finding(WARNING, "signatures", f"{wrong} are not those of their topics", FIX)
    if "canon.version" not in stale and (wrong := derived.wrong_keys(ledger)):
        yield Finding(WARNING, "sources", f"{wrong} keys are not those of their addresses", FIX)


def _of_candidate_indexes(ledger: sqlite3.Connection) -> Iterator[Finding]:
    for complaint in upkeep.verify(ledger):
        yield Finding(WARNING, "candidate index", complaint, FIX)


def _of_leases(ledger: sqlite3.Connection, now: datetime) -> Iterator[Finding]:
    moment = iso(now)
    live, early, long, cut_off, answered = ledger.execute(
        "SELECT count(*) FILTER (WHERE lease_until > :now AND created <= :now),"
        " count(*) FILTER (WHERE created > :now),"
        " count(*) FILTER (WHERE lease_until > :far AND created <= :now),"
        " count(*) FILTER (WHERE state = 'open' AND lease_until <= :now),"
        " count(*) FILTER (WHERE state = 'answered' AND lease_until <= :now)"
        " FROM searches WHERE state IN ('open', 'answered') AND lease_until IS NOT NULL",
        {"now": moment, "far": later(now, LONGEST_LEASE)},
    ).fetchone()
    if live:
        yield Finding(NOTE, "leases", f"{live} topics are being searched now")
    if long:
        yield Finding(WARNING, "leases", f"{long} hold their topic for over an hour", FIX)
    if early:
        yield Finding(
            NOTE, "leases", f"{early} are from the future: the clock went back; they hold nothing"
        )
    if cut_off:
        yield Finding(
            NOTE, "leases", f"{cut_off} ran out: their searches were cut off; they hold nothing"
        )
    if answered:
        yield Finding(
            NOTE,
            "leases",
            f"{answered} searches were cut off after their answer; the next try uses it",
        )


def _of_providers(ledger: sqlite3.Connection, now: datetime) -> Iterator[Finding]:
    for name, kind, until in ledger.execute(
        "SELECT provider, kind, cooldown_until FROM providers_state ORDER BY provider"
    ):
        left = until - now.timestamp()
        if left > _LONG_COOL_DOWN:
            yield Finding(
                NOTE, "providers", f"{name} is left alone for {left / 60:.0f} minutes ({kind})"
            )


def _of_what_is_left(ledger: sqlite3.Connection) -> Iterator[Finding]:
    if UNFINISHED in settings.everything(ledger):
        yield Finding(
            WARNING, "forgotten", "old pages of the file still hold what was forgotten", FIX
        )
    reserved = ledger.execute(
        "SELECT (SELECT count(*) FROM collections) + (SELECT count(*) FROM embeddings)"
    ).fetchone()[0]
    if reserved:
        yield Finding(NOTE, "embeddings", f"{reserved} rows that gemsearch did not write")
