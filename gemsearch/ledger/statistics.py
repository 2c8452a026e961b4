"""Counts of what the ledger holds, and its topics judged again under other rules."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.profiles import PROFILES
from gemsearch.ledger.memory import Memory

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from gemsearch.core.profiles import Profile

LAST_TOPICS = 2000
TOKENS_PER_SEARCH = 2000  # ten results with titles and snippets, and the call around them

_COUNTS = {
    "gems": "SELECT count(*) FROM gems",
    "results": "SELECT count(*) FROM results",
    "sources": "SELECT count(*) FROM urls",
    "recurring sources": "SELECT count(*) FROM urls WHERE gem_count > 1",
    "rejections": "SELECT count(*) FROM rejections",
    "wordings learned": "SELECT count(*) FROM wordings",
    "overruled": "SELECT count(*) FROM exceptions",
}
_GROUPS = {
    "rejections by signal": "SELECT signal, count(*) FROM rejections GROUP BY 1 ORDER BY 2 DESC",
    "rejections marked": (
        "SELECT marked, count(*) FROM rejections WHERE marked IS NOT NULL GROUP BY 1 ORDER BY 1"
    ),
    "attempts by outcome": "SELECT state, count(*) FROM searches GROUP BY 1 ORDER BY 2 DESC",
    "gems by provider": (
        "SELECT coalesce(provider, 'none'), count(*) FROM gems GROUP BY 1 ORDER BY 2 DESC"
    ),
    "gems by agent": (
        "SELECT coalesce(agent, 'none'), count(*) FROM gems GROUP BY 1 ORDER BY 2 DESC"
    ),
}


class Refusals(NamedTuple):
    """What one profile refuses of a row of topics, by signal."""

    profile: str
    proposed: int
    refused: int
    by_signal: dict[str, int]


def counts(connection: sqlite3.Connection) -> dict[str, int | dict[str, int]]:
    single = {name: connection.execute(sql).fetchone()[0] for name, sql in _COUNTS.items()}
    return single | {name: dict(connection.execute(sql)) for name, sql in _GROUPS.items()}


def proposed_topics(connection: sqlite3.Connection, last: int = LAST_TOPICS) -> list[str]:
    """The topics of gems and refusals in the order in which they were proposed."""
    rows = connection.execute(
        "SELECT topic FROM (SELECT created, 0 AS kind, id, topic FROM gems UNION ALL"
        # A warning left a gem as well; what was found in the history or merged did not.
        " SELECT created, 1, id, topic FROM rejections"
        " WHERE (enforced OR origin IN ('history', 'import')) AND forced_gem_id IS NULL"
        " ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT ?) ORDER BY created, kind, id",
        (last,),
    )
    return [topic for (topic,) in rows]


def under_each_profile(topics: Sequence[str], advance: Callable[[float], None]) -> list[Refusals]:
    """Judge the topics in order under every profile; `advance` hears the part done, 0 to 1."""
    steps = max(1, len(topics) * len(PROFILES))
    refusals = []
    for number, profile in enumerate(PROFILES.values()):
        before = number * len(topics)
        refusals.append(
            _under(profile, topics, lambda done, before=before: advance((before + done) / steps))  # type: ignore[misc]
        )
    return refusals


def _under(profile: Profile, topics: Sequence[str], advance: Callable[[int], None]) -> Refusals:
    memory = Memory(profile)
    by_signal: Counter[str] = Counter()
    for done, text in enumerate(topics):
        match = next(memory.covering(text), None)
        if match:
            by_signal[match.signal] += 1
        else:
            memory.add(memory.size + 1, text)
        advance(done)
    return Refusals(profile.name, len(topics), by_signal.total(), dict(by_signal))
