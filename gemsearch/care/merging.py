"""Makes one ledger of two: what another machine's holds is judged here, in the order of its time.

Gems of the other ledger get new numbers; the gates look at each as if it were proposed now, against
everything that is here. A repeat becomes a rejection that nobody was refused by. What a person
decided there holds here: a gem that was forced is forced, a refusal that was marked wrong refuses
no longer. Nothing that is here already is judged again.

A gem is known by its topic and time. So a merge that was cut off is simply begun again, and copies
of one ledger that went separate ways are joined like any others. Once all is taken, the other
ledger's name is kept with its highest numbers: what is forgotten here does not come back.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gemsearch import asking, batch
from gemsearch.care import copying, foreign, transfer
from gemsearch.core.signature import sign
from gemsearch.errors import BadTopic, NotALedger, SecretInTopic, WrongCall
from gemsearch.ledger import settings, writing
from gemsearch.ledger.connection import (
    open_for_reading,
    open_for_writing,
    open_nothing,
    path_of,
    write_transaction,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from gemsearch.care.foreign import Foreign
    from gemsearch.care.transfer import Line
    from gemsearch.core.model import Verdict

HERE, LEFT_OUT, SKIPPED, KEPT, MARKED = (
    "already here",
    "left out before",  # forgotten here since, or skipped then
    "skipped",
    "kept",
    "marked as there",
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Mark(NamedTuple):
    """What was taken of another ledger: its highest numbers, and the latest time among them.

    Numbers alone would not do: a ledger that was restored from a backup gives some out again.
    """

    gem: int = 0
    rejection: int = 0
    until: str = ""

    def covers(self, line: Line) -> bool:
        return bool(line["id"] <= getattr(self, line["type"]) and line["created"] <= self.until)

    def with_line(self, line: Line) -> Mark:
        kind = line["type"]
        return self._replace(
            **{kind: max(getattr(self, kind), line["id"])}, until=max(self.until, line["created"])
        )


class Here(NamedTuple):
    """The row of this ledger that an incoming line is."""

    gem_id: int | None
    rejection_id: int | None = None
    marked: str | None = None


def merge(
    ledger: sqlite3.Connection,
    other: Foreign,
    now: datetime,
    advance: Callable[[float], None] = copying.unheard,
) -> Counter[tuple[str, str]]:
    """Take in what the other ledger holds; gives the number of lines by kind and outcome.

    `advance` is told the part done, from 0 to 1. Each portion of lines is one transaction;
    a merge that is cut off is made whole by the next one.
    """
    lines = foreign.lines(other)
    uuid = _name_of(next(lines)[1], other)
    merging = _Merging(ledger, other, now, _mark(ledger, uuid))
    rows = (row for row in lines if row[1]["type"] in {"gem", "rejection"})
    done, total = 0, max(1, foreign.count(other))
    while portion := [*islice(rows, batch.TOGETHER)]:
        merging.take(portion)
        done += len(portion)
        advance(done / total)
    merging.take_late()
    with write_transaction(ledger):
        _put_mark(ledger, uuid, merging.mark)
    return merging.outcomes


def rehearse(
    path: str,
    other: Foreign,
    now: datetime,
    advance: Callable[[float], None] = copying.unheard,
) -> Counter[tuple[str, str]]:
    """What `merge` would give for the ledger at `path`, tried on a copy; nothing is changed."""
    if not os.path.lexists(path):
        with closing(open_nothing()) as nothing:
            return merge(nothing, other, now, advance)
    with (
        closing(open_for_reading(path)) as ledger,
        copying.scratch_copy(ledger) as copy,
        closing(open_for_writing(path_of(copy))) as rehearsal,
    ):
        return merge(rehearsal, other, now, advance)


class _Merging:
    """One merge under way: what was taken so far, and what became of it."""

    def __init__(
        self, ledger: sqlite3.Connection, other: Foreign, now: datetime, before: Mark
    ) -> None:
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.mark = before
        self._before = before
        self._ledger = ledger
        self._other = other
        self._now = now
        self._forced = foreign.forced_gems(other)
        self._number_of: dict[int, int] = {}  # the other ledger's gems, and ours that they became
        self._late: list[Line] = []
        self._known: batch.Known | None = None

    def take(self, portion: Iterable[tuple[int, Line]]) -> None:
        """Deal with lines, in one transaction."""
        ready = [(line, self._prepared(number, line)) for number, line in portion]
        with write_transaction(self._ledger):
            self._look_anew()
            for line, proposed in ready:
                self.mark = self.mark.with_line(line)
                if line["type"] == "gem":
                    self._count(line, self._gem(line, proposed))
                elif line["gem_id"] is None or line["gem_id"] in self._number_of:
                    self._count(line, self._rejection(line))
                else:
                    self._late.append(line)  # the clock went back there: its gem is yet to come

    def take_late(self) -> None:
        """Deal with refusals that came before their gem."""
        while self._late:
            portion, self._late = self._late[: batch.TOGETHER], self._late[batch.TOGETHER :]
            with write_transaction(self._ledger):
                for line in portion:
                    self._count(line, self._rejection(line))

    def _count(self, line: Line, outcome: str) -> None:
        self.outcomes[line["type"], outcome] += 1

    def _look_anew(self) -> None:
        known = self._known
        self._known = known.up_to_date() if known else batch.Known(self._ledger, self._now, None)

    def _prepared(self, number: int, line: Line) -> batch.Line | None:
        """A gem that is to be judged, with its sources keyed before any lock is taken."""
        if line["type"] != "gem" or self._find(line) or self._before.covers(line):
            return None
        try:
            return batch.prepared(number, line, self._now)
        except WrongCall as error:
            said = f"what it holds makes no sense ({error})"
            raise NotALedger(said, self._other.path, hint=error.hint) from error

    def _gem(self, line: Line, proposed: batch.Line | None) -> str:
        here = self._find(line)
        if here:
            if here.gem_id is not None:
                self._number_of[line["id"]] = here.gem_id
            return HERE
        if self._before.covers(line):
            return LEFT_OUT
        if proposed is None or proposed.proposal is None or self._known is None:
            return SKIPPED
        forced = line["id"] in self._forced
        proposal = proposed.proposal._replace(
            on_match=asking.FORCE if forced else asking.PAST, reason=line["reason"]
        )
        try:
            verdict = self._known.propose(proposal, proposed.found, proposed.now)
        except BadTopic:  # nothing is left of it in this ledger's form of signature
            return SKIPPED
        self._remember(line, verdict)
        return batch.in_words(verdict)

    def _remember(self, line: Line, verdict: Verdict) -> None:
        became = verdict.gem_id or (verdict.match.gem_id if verdict.match else 0)
        if became:
            self._number_of[line["id"]] = became
        repeats = verdict.match is not None and verdict.gem_id is None
        if repeats and verdict.rejection_id and verdict.match and verdict.match.gate == "source":
            # It was a gem there: proposed again, it is refused without a search.
            days = settings.read(self._ledger).wording_days
            writing.learn_wording(self._ledger, verdict.rejection_id, self._now, days)

    def _rejection(self, line: Line) -> str:
        # A gem that was forced stands beside its refusal; else one of the two is here.
        forced = line["forced_gem_id"] is not None
        here = self._find_rejection(line) if forced else self._find(line)
        if here:
            if here.rejection_id is None or line["marked"] is None or here.marked is not None:
                return HERE
            writing.mark(
                self._ledger, here.rejection_id, line["marked"], line["mark_reason"], self._now
            )
            return MARKED
        if self._before.covers(line):
            return LEFT_OUT
        gem_id = self._number_of.get(line["gem_id"])
        if gem_id is None or _is_unfit(line["topic"]):
            return SKIPPED
        evidence = {name: v for name, v in line["evidence"].items() if name != "learned_from"}
        changed = {
            "id": None,
            "gem_id": gem_id,
            "forced_gem_id": self._number_of.get(line["forced_gem_id"]),
            "evidence": evidence,
        }
        transfer.restore_rejection(self._ledger, line | changed)
        return KEPT

    def _find(self, line: Line) -> Here | None:
        """The gem that this one is, or the rejection that it became."""
        signature = sign(line["topic"], settings.read(self._ledger).profile.form).signature
        row = self._ledger.execute(
            "SELECT id FROM gems WHERE signature = ? AND created = ? AND topic = ?",
            (signature, line["created"], line["topic"]),
        ).fetchone()
        return Here(row[0]) if row else self._find_rejection(line)

    def _find_rejection(self, line: Line) -> Here | None:
        row = self._ledger.execute(
            "SELECT gem_id, id, marked FROM rejections WHERE day = ? AND created = ? AND topic = ?",
            (line["created"][:10], line["created"], line["topic"]),
        ).fetchone()
        return Here._make(row) if row else None


def _is_unfit(topic: str) -> bool:
    try:
        asking.accepted(topic)
    except (BadTopic, SecretInTopic):
        return True
    return False


def _name_of(first: Line, other: Foreign) -> str:
    uuid = first["settings"].get("ledger.uuid")
    if not isinstance(uuid, str) or not _UUID.fullmatch(uuid):
        raise NotALedger(
            "it has no name of its own (ledger.uuid)",
            other.path,
            hint="Take its export: `gemsearch export`, then `gemsearch import --judge`.",
        )
    return uuid


def _is_own(ledger: sqlite3.Connection, uuid: str) -> bool:
    """A copy of this ledger: others of the same name may come, with other gems."""
    return settings.everything(ledger).get("ledger.uuid") == uuid


def _mark(ledger: sqlite3.Connection, uuid: str) -> Mark:
    stored = settings.everything(ledger).get(f"merged.{uuid}")
    if stored is None or _is_own(ledger, uuid):
        return Mark()
    try:
        mark = Mark(**json.loads(stored))
        return Mark(int(mark.gem), int(mark.rejection), str(mark.until))
    except (ValueError, TypeError):
        return Mark()


def _put_mark(ledger: sqlite3.Connection, uuid: str, mark: Mark) -> None:
    if not _is_own(ledger, uuid):
        ledger.execute(
            "INSERT INTO settings (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (f"merged.{uuid}", json.dumps(mark._asdict())),
        )
