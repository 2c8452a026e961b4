"""How many gems have each word: what the weights of words are made of.

A word is counted once a gem and without its ending, whatever form of signature the ledger keeps.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gemsearch.core.signature import EXACT, signature
from gemsearch.core.weights import Weights, stems

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable


def weights(connection: sqlite3.Connection, gems: int) -> Weights:
    """The weights in a ledger of so many gems; a count is read when a word first needs it."""
    return Weights(gems, _Counts(connection))


def add(connection: sqlite3.Connection, topic: str) -> None:
    """Count the words of a new gem. The caller holds the write lock."""
    connection.executemany(
        "INSERT INTO words (word, gems) VALUES (?, 1)"
        " ON CONFLICT (word) DO UPDATE SET gems = gems + 1",
        [(word,) for word in _words(topic)],
    )


def remove(connection: sqlite3.Connection, topic: str) -> None:
    """Take back what `add` counted, and words that no gem has any more."""
    words = [(word,) for word in _words(topic)]
    connection.executemany("UPDATE words SET gems = gems - 1 WHERE word = ?", words)
    connection.executemany("DELETE FROM words WHERE word = ? AND gems < 1", words)


def are_wrong(connection: sqlite3.Connection) -> bool:
    """Whether the counts are not those of the gems."""
    return dict(connection.execute("SELECT word, gems FROM words")) != _counted(connection)


def count_anew(connection: sqlite3.Connection) -> None:
    """All counts, from the gems. The caller holds the write lock."""
    connection.execute("DELETE FROM words")
    connection.executemany(
        "INSERT INTO words (word, gems) VALUES (?, ?)", _counted(connection).items()
    )


class _Counts(dict[str, int]):
    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def get(self, word: str, default: int = 0) -> int:  # type: ignore[override]
        if word not in self:
            found = self._connection.execute("SELECT gems FROM words WHERE word = ?", (word,))
            self[word] = (found.fetchone() or (default,))[0]
        return self[word]


def _counted(connection: sqlite3.Connection) -> Counter[str]:
    topics: Iterable[tuple[str]] = connection.execute("SELECT topic FROM gems")
    return Counter(word for (topic,) in topics for word in _words(topic))


def _words(topic: str) -> list[str]:
    return sorted(stems(signature(topic, EXACT)))
