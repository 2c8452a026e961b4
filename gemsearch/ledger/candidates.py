"""Finds the stored topics that the query gate has to look at, by a plain scan.

Each query lets through every row on which its signal may fire; the gate itself decides. The scan
serves until it costs more than the gate may (about 10,000 gems); a larger ledger puts an index
behind the same interface.
"""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

from gemsearch.core.model import Stored
from gemsearch.core.signature import sign
from gemsearch.core.similarity import Likeness, length_window

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from gemsearch.core.profiles import Profile
    from gemsearch.core.query_gate import Candidates
    from gemsearch.core.signature import Topic

_GEMS = "SELECT id, topic, signature, created FROM gems"
_WORDINGS = (
    "SELECT gems.id, gems.topic, wordings.signature, gems.created, wordings.rejection_id"
    " FROM wordings JOIN gems ON gems.id = wordings.gem_id WHERE wordings.expires > ?"
)


class PlainScan:
    """Candidates straight from the tables, whose signatures are in the profile's form.

    Gems and the wordings of gems from before `since` (ISO 8601) are too old to refuse.
    """

    def __init__(self, connection: sqlite3.Connection, now: str, since: str = "") -> None:
        self._connection = connection
        self._now = now
        self._since = since

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        if signal == "identical":
            return self._gems("signature = ?", proposed.signature)
        if signal == "wording":
            sql = f"{_WORDINGS} AND wordings.signature = ?"
            return self._stored(sql, self._now, proposed.signature)
        if signal == "subset":
            return self._nested(proposed) if profile.subset else ()
        return self._alike(proposed, profile)

    def sharing_a_word(self, words: Iterable[str]) -> Iterator[Stored]:
        """Gems that have one of these words in their signature."""
        padded = [f" {word} " for word in sorted(words)]
        any_of = " OR ".join(["instr(' ' || signature || ' ', ?)"] * len(padded))
        return self._gems(any_of, *padded)

    def _nested(self, proposed: Topic) -> Iterator[Stored]:
        # Signatures are sorted words: one that lies within ours starts with one of our words.
        words = sorted(proposed.words)
        starts = " OR ".join(["signature = ? OR signature > ? AND signature < ?"] * len(words))
        holds = " AND ".join(["instr(' ' || signature || ' ', ?)"] * len(words))
        return self._gems(
            f"{starts} OR {holds}",
            *(word + end for word in words for end in ("", " ", "!")),
            *(f" {word} " for word in words),
        )

    def _alike(self, proposed: Topic, profile: Profile) -> Iterator[Stored]:
        shortest, longest = length_window(len(proposed.signature), profile.sequence)
        likeness = Likeness(proposed.signature, profile.sequence)
        rows = self._connection.execute(
            "SELECT id, signature FROM gems INDEXED BY gems_signature"
            " WHERE length(signature) BETWEEN ? AND ?",
            (shortest, longest),
        )
        for gem_id in [gem_id for gem_id, stored in rows if likeness.could_match(stored)]:
            yield from self._gems("id = ?", gem_id)

    def _gems(self, where: str, *values: object) -> Iterator[Stored]:
        return self._stored(f"{_GEMS} WHERE {where}", *values)

    def _stored(self, sql: str, *values: object) -> Iterator[Stored]:
        for stored in starmap(Stored, self._connection.execute(sql, values)):
            if stored.created >= self._since:
                yield stored


class Listed:
    """Candidates from lists in memory."""

    def __init__(self, gems: Sequence[Stored], wordings: Sequence[Stored] = ()) -> None:
        self._gems = gems
        self._wordings = wordings

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        if signal == "wording":
            return self._wordings
        if signal != "sequence":
            return self._gems
        likeness = Likeness(proposed.signature, profile.sequence)
        return [stored for stored in self._gems if likeness.could_match(stored.signature)]


def in_ledger(
    connection: sqlite3.Connection, profile: Profile, stored_form: str, now: str, since: str
) -> Candidates:
    """All gems and wordings; signed anew on the way when the ledger keeps another form."""
    if profile.form == stored_form:
        return PlainScan(connection, now, since)
    gems = _signed(connection.execute(f"{_GEMS} WHERE created >= ?", (since,)), profile.form)
    return Listed(gems, _wordings_signed_anew(connection, profile.form, now, since))


def newer_than(connection: sqlite3.Connection, gem_id: int, profile: Profile) -> Candidates:
    """The few gems recorded after a snapshot whose last gem was `gem_id`."""
    return Listed(_signed(connection.execute(f"{_GEMS} WHERE id > ?", (gem_id,)), profile.form))


def being_searched(
    connection: sqlite3.Connection, profile: Profile, now: str, session: str | None
) -> Candidates:
    """Topics under a live lease of other sessions.

    A lease from the future is not live: it was taken before the clock went back.
    """
    rows = connection.execute(
        "SELECT 0, topic, signature, created FROM searches"
        " WHERE state IN ('open', 'answered') AND lease_until > ? AND created <= ?"
        " AND (session IS NULL OR session IS NOT ?)",
        (now, now, session),
    )
    return Listed(_signed(rows, profile.form))


def _wordings_signed_anew(
    connection: sqlite3.Connection, form: str, now: str, since: str
) -> list[Stored]:
    rows = connection.execute(
        "SELECT wordings.gem_id, gems.topic, rejections.topic, gems.created, rejections.id"
        " FROM wordings JOIN gems ON gems.id = wordings.gem_id"
        " JOIN rejections ON rejections.id = wordings.rejection_id"
        " WHERE wordings.expires > ? AND gems.created >= ?",
        (now, since),
    )
    return [
        Stored(gem_id, topic, sign(refused, form).signature, created, rejection_id)
        for gem_id, topic, refused, created, rejection_id in rows
    ]


def _signed(rows: Iterable[tuple[int, str, str, str]], form: str) -> list[Stored]:
    return [
        Stored(gem_id, topic, sign(topic, form).signature, created)
        for gem_id, topic, _, created in rows
    ]
