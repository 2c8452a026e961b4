"""The same questions to other programs: what they cost, and what they miss.

rapidfuzz compares with every signature in memory. datasketch and rensa answer from hashes of the
words, so they miss topics that the ratio finds; "found" counts the duplicates by the published
ratio among 200 edited topics.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench import corpus
from gemsearch.core.similarity import ratio

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from gemsearch.core.signature import Topic

THRESHOLD = 0.82
_PERMUTATIONS = 128
_MOST_HASHED = 20_000  # datasketch takes a millisecond a gem to fill


def report(connection: sqlite3.Connection, topics: Sequence[Topic]) -> None:
    """Print one line for each of them that is installed."""
    stored = [signature for (signature,) in connection.execute("SELECT signature FROM gems")]
    edited = _edited(stored)
    for name, prepare in (
        ("rapidfuzz", _rapidfuzz),
        ("datasketch", _datasketch),
        ("rensa", _rensa),
    ):
        if name != "rapidfuzz" and len(stored) > _MOST_HASHED:
            continue
        try:
            start = time.process_time()
            ask = prepare(stored)
        except ImportError:
            print(f"  {name} is not installed")
            continue
        filled = time.process_time() - start
        times = sorted(_time(ask, topic.signature) for topic in topics)
        found = sum(ask(signature) for signature in edited)
        print(
            f"  {name:38} {times[len(times) // 2]:9.2f}  {times[-1]:9.2f}  ms p50/max,"
            f" filled in {filled:.1f} s, found {found} of {len(edited)}"
        )


def _edited(stored: Sequence[str]) -> list[str]:
    made = corpus.Corpus(len(stored))
    pairs = [(text, made.edited(text, at)) for at, text in enumerate(stored[:200])]
    return [edited for text, edited in pairs if ratio(text, edited) >= THRESHOLD]


def _time(ask: Callable[[str], bool], signature: str) -> float:
    start = time.process_time()
    ask(signature)
    return 1000 * (time.process_time() - start)


def _rapidfuzz(stored: Sequence[str]) -> Callable[[str], bool]:
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    def ask(signature: str) -> bool:
        found = process.extractOne(
            signature, stored, scorer=Indel.normalized_similarity, score_cutoff=THRESHOLD
        )
        return found is not None

    return ask


def _datasketch(stored: Sequence[str]) -> Callable[[str], bool]:
    from datasketch import MinHash, MinHashLSH

    def hashed(signature: str) -> MinHash:
        made = MinHash(num_perm=_PERMUTATIONS)
        made.update_batch([word.encode() for word in signature.split(" ")])
        return made

    index = MinHashLSH(threshold=0.5, num_perm=_PERMUTATIONS)
    for number, signature in enumerate(stored):
        index.insert(number, hashed(signature))
    return lambda signature: bool(index.query(hashed(signature)))


def _rensa(stored: Sequence[str]) -> Callable[[str], bool]:
    from rensa import RMinHash, RMinHashLSH

    def hashed(signature: str) -> RMinHash:
        made = RMinHash(num_perm=_PERMUTATIONS, seed=1)
        made.update(signature.split(" "))
        return made

    index = RMinHashLSH(threshold=0.5, num_perm=_PERMUTATIONS, num_bands=32)
    for number, signature in enumerate(stored):
        index.insert(number, hashed(signature))
    return lambda signature: bool(index.query(hashed(signature)))
