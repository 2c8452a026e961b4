"""Finds the stored topics that the query gate has to look at, by a plain scan.

Each query lets through every row on which its signal may fire; the gate itself decides. The scan
serves until it costs more than the gate may (about 5,000 gems); a larger ledger puts an index
behind the same interface.
"""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

from gemsearch.core.model import Stored
from gemsearch.core.signature import sign
from gemsearch.core.similarity import Likeness, length_window
from gemsearch.core.weights import OF_ENGLISH, could_share, rarest, stems

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from gemsearch.core.profiles import Profile
    from gemsearch.core.query_gate import Candidates
    from gemsearch.core.signature import Topic
    from gemsearch.core.weights import Weights
    from gemsearch.ledger.index.candidates import IndexedCandidates

_GEMS = "SELECT id, topic, signature, created FROM gems"
_SIGNATURES = "INDEXED BY gems_signature"
_ALL = (1, (1 << 63) - 1)
_WORDINGS = (
    "SELECT gems.id, gems.topic, wordings.signature, gems.created, wordings.rejection_id"
    " FROM wordings JOIN gems ON gems.id = wordings.gem_id"
    # One learned in the future was learned before the clock went back, and would refuse too long.
    " WHERE wordings.expires > ? AND wordings.created <= ?"
)


class PlainScan:
    """Candidates straight from the tables, whose signatures are in the profile's form.

    Gems and the wordings of gems from before `since` (ISO 8601) are too old to refuse. `span` is
    the first and the last number of the gems looked at, if not all are.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        now: str,
        since: str = "",
        weights: Weights = OF_ENGLISH,
        span: tuple[int, int] | None = None,
    ) -> None:
        self._connection = connection
        self._now = now
        self._since = since
        self._weights = weights
        self._span = span
        self._telling: dict[tuple[Topic, str], list[Stored]] = {}

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        if signal == "identical":
            return self._gems("signature = ?", proposed.signature)
        if signal == "wording":
            sql = f"{_WORDINGS} AND wordings.signature = ?"
            return self._stored(sql, self._now, self._now, proposed.signature)
        if profile.guards:
            return self._guarded(signal, proposed, profile)
        return self._nested(proposed) if signal == "subset" else self._alike(proposed, profile)

    def sharing_a_word(self, words: Iterable[str]) -> Iterator[Stored]:
        """Gems that have one of these words in their signature."""
        padded = [f" {word} " for word in sorted(words)]
        any_of = " OR ".join(["instr(' ' || signature || ' ', ?)"] * len(padded))
        return self._gems(any_of, *padded)

    def _guarded(self, signal: str, proposed: Topic, profile: Profile) -> list[Stored]:
        """Both signals need words in common: one scan, kept, serves them."""
        key = (proposed, profile.name)
        if key not in self._telling:
            self._telling[key] = list(self._sharing_enough(proposed, profile))
        if signal == "subset":
            return self._telling[key]
        return alike(self._telling[key], proposed, profile)

    def _sharing_enough(self, proposed: Topic, profile: Profile) -> Iterator[Stored]:
        words, share = stems(proposed.signature), profile.least_shared
        telling = rarest(words, share, self._weights)
        # A stem is the beginning of its words.
        any_of = " OR ".join(["instr(' ' || signature, ?)"] * len(telling))
        index, span = ("NOT INDEXED", self._span) if self._span else (_SIGNATURES, _ALL)
        rows = self._connection.execute(
            f"SELECT id, signature FROM gems {index} WHERE id BETWEEN ? AND ? AND ({any_of})",
            (*span, *(f" {stemmed}" for stemmed in telling)),
        ).fetchall()
        for gem_id, stored in rows:
            if could_share(stems(stored), words, share, self._weights):
                yield from self._gems("id = ?", gem_id)

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
        # The index holds all that is asked for, in fewer pages; a span is found without it.
        index, span = ("NOT INDEXED", self._span) if self._span else (_SIGNATURES, _ALL)
        rows = self._connection.execute(
            f"SELECT id, signature FROM gems {index} WHERE id BETWEEN ? AND ?"
            " AND length(signature) BETWEEN ? AND ?",
            (*span, shortest, longest),
        )
        for gem_id in [gem_id for gem_id, stored in rows if likeness.could_match(stored)]:
            yield from self._gems("id = ?", gem_id)

    def _gems(self, where: str, *values: object) -> Iterator[Stored]:
        if self._span:
            return self._stored(
                f"{_GEMS} NOT INDEXED WHERE ({where}) AND id BETWEEN ? AND ?", *values, *self._span
            )
        return self._stored(f"{_GEMS} WHERE {where}", *values)

    def _stored(self, sql: str, *values: object) -> Iterator[Stored]:
        for stored in starmap(Stored, self._connection.execute(sql, values)):
            if stored.created >= self._since:
                yield stored


class Listed:
    """Candidates from lists in memory; every signal looks at all of them."""

    def __init__(self, gems: Sequence[Stored], wordings: Sequence[Stored] = ()) -> None:
        self._gems = gems
        self._wordings = wordings

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        if signal == "wording":
            return self._wordings
        return alike(self._gems, proposed, profile) if signal == "sequence" else self._gems


def alike(gems: Iterable[Stored], proposed: Topic, profile: Profile) -> list[Stored]:
    """Those of the gems on which `sequence` may fire."""
    shortest, longest = length_window(len(proposed.signature), profile.sequence)
    found = [gem for gem in gems if shortest <= len(gem.signature) <= longest]
    if not found:
        return found
    likeness = Likeness(proposed.signature, profile.sequence)
    return [gem for gem in found if likeness.could_match(gem.signature)]


def in_ledger(
    connection: sqlite3.Connection,
    profile: Profile,
    stored_form: str,
    now: str,
    since: str,
    weights: Weights,
) -> Candidates:
    """All gems and wordings; signed anew on the way when the ledger keeps another form."""
    if profile.form == stored_form:
        return of_form(connection, now, since, weights)
    gems = _signed(connection.execute(f"{_GEMS} WHERE created >= ?", (since,)), profile.form)
    return Listed(gems, _wordings_signed_anew(connection, profile.form, now, since))


def wordings_in_ledger(
    connection: sqlite3.Connection, profile: Profile, stored_form: str, now: str, since: str
) -> Candidates:
    """Candidates for the signal `wording` alone."""
    if profile.form == stored_form:
        return PlainScan(connection, now, since)
    return Listed((), _wordings_signed_anew(connection, profile.form, now, since))


def of_form(
    connection: sqlite3.Connection, now: str, since: str = "", weights: Weights = OF_ENGLISH
) -> IndexedCandidates | PlainScan:
    """All gems, with signatures as the ledger keeps them; by the indexes once it has some."""
    if not has_indexes(connection):
        return PlainScan(connection, now, since, weights)
    from gemsearch.ledger.index.candidates import IndexedCandidates  # start-up: large ledgers only

    return IndexedCandidates(connection, now, since, weights)


def newer_than(connection: sqlite3.Connection, gem_id: int, profile: Profile) -> Candidates:
    """The few gems recorded after a snapshot whose last gem was `gem_id`."""
    return Listed(_signed(connection.execute(f"{_GEMS} WHERE id > ?", (gem_id,)), profile.form))


def being_searched(
    connection: sqlite3.Connection, profile: Profile, now: str, soon: str, session: str | None
) -> Candidates:
    """Topics under a live lease of other sessions.

    A lease from after `soon` is not live: it was taken before the clock went back. One from between
    was taken by a process that was faster, while we waited for the lock.
    """
    rows = connection.execute(
        "SELECT 0, topic, signature, created FROM searches"
        " WHERE state IN ('open', 'answered') AND lease_until > ? AND created <= ?"
        " AND (session IS NULL OR session IS NOT ?)",
        (now, soon, session),
    )
    return Listed(_signed(rows, profile.form))


def has_indexes(connection: sqlite3.Connection) -> bool:
    """Whether the ledger is, or was once, too large for the plain scan."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'index_segments'")
    return found.fetchone() is not None


def _wordings_signed_anew(
    connection: sqlite3.Connection, form: str, now: str, since: str
) -> list[Stored]:
    rows = connection.execute(
        "SELECT wordings.gem_id, gems.topic, rejections.topic, gems.created, rejections.id"
        " FROM wordings JOIN gems ON gems.id = wordings.gem_id"
        " JOIN rejections ON rejections.id = wordings.rejection_id"
        " WHERE wordings.expires > ? AND wordings.created <= ? AND gems.created >= ?",
        (now, now, since),
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
