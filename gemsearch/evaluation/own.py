"""Measures the gates on a ledger's own rejections that a person marked right or wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core import query_gate, source_gate
from gemsearch.core.model import Source, Stored
from gemsearch.core.signature import sign
from gemsearch.ledger import candidates, sources, words

if TYPE_CHECKING:
    import sqlite3

    from gemsearch.core.profiles import Profile

_MARKED = (
    "SELECT rejections.id, rejections.topic, signal, marked = 'right', gems.id, gems.topic"
    " FROM rejections JOIN gems ON gems.id = rejections.gem_id"
    " WHERE marked IS NOT NULL AND signal != 'wording' ORDER BY rejections.id"
)


class Labels(NamedTuple):
    """Marked rejections by the signal that fired then, and what the profile says of them now."""

    signal: str
    right: int
    right_still_refused: int
    wrong: int
    wrong_still_refused: int


def measure_marks(connection: sqlite3.Connection, profile: Profile) -> list[Labels]:
    counts: dict[str, list[int]] = {}
    for row in connection.execute(_MARKED).fetchall():
        rejection_id, topic, signal, right, gem_id, stored = row
        still = (
            _recurs(connection, profile, rejection_id, gem_id)
            if signal == source_gate.SIGNAL
            else _covers(connection, profile, topic, Stored(gem_id, stored, "", ""))
        )
        count = counts.setdefault(signal, [0, 0, 0, 0])
        first = 0 if right else 2
        count[first] += 1
        count[first + 1] += still
    return [Labels(signal, *count) for signal, count in sorted(counts.items())]


def _covers(connection: sqlite3.Connection, profile: Profile, topic: str, stored: Stored) -> bool:
    gem = stored._replace(signature=sign(stored.topic, profile.form).signature)
    proposed = sign(topic, profile.form)
    listed = candidates.Listed([gem])
    weights = words.weights(connection, _size(connection))
    return query_gate.judge(proposed, listed, profile, weights=weights) is not None


def _recurs(
    connection: sqlite3.Connection, profile: Profile, rejection_id: int, gem_id: int
) -> bool:
    rows = connection.execute(
        "SELECT key, url, host FROM rejection_urls JOIN urls ON urls.id = url_id"
        " WHERE rejection_id = ? ORDER BY url_id",
        (rejection_id,),
    )
    found = sources.with_counts(connection, [Source(*row) for row in rows.fetchall()])
    hubs = source_gate.hubs_among(found, profile, _size(connection))
    overlaps = sources.overlaps(connection, found, hubs=hubs)
    return any(
        match.gem_id == gem_id for match in source_gate.matches(found, overlaps, profile, hubs)
    )


def _size(connection: sqlite3.Connection) -> int:
    newest = connection.execute("SELECT max(id) FROM gems").fetchone()[0]
    return int(newest or 0)
