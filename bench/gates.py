"""Times both gates, and compares their decisions with brute force.

    python bench/gates.py --sizes 2000,10000,100000,1000000
    python bench/gates.py --verify --sizes 2000,20000,100000

Ledgers are made once and kept in --directory. A million gems take some ten minutes to make and
3 GB. Times are of the processor, in milliseconds, median and 99th percentile; a lock is held by
the clock on the wall. rapidfuzz, datasketch and rensa are measured where they are installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from bench import corpus, rivals
from gemsearch import asking, novelty
from gemsearch.core import query_gate, source_gate
from gemsearch.core.model import Overlap, Result, Source, Stored
from gemsearch.core.profiles import PROFILES
from gemsearch.core.signature import Topic, sign
from gemsearch.core.text import clean_topic
from gemsearch.ledger import candidates, sources, words
from gemsearch.ledger.connection import open_for_reading, open_for_writing
from gemsearch.ledger.index import segments, upkeep
from gemsearch.ledger.index.building import build
from gemsearch.providers.base import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gemsearch.core.profiles import Profile
    from gemsearch.core.weights import Weights

NOW = "2026-06-01T00:00:00.000Z"
_GATE_INDEXES = ("gems_signature", "results_url", *segments.TABLES)


class Everything:
    """Brute force: every gem is a candidate."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute("SELECT id, topic, signature, created FROM gems")
        self.gems = [Stored(*row) for row in rows]

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        del proposed, profile
        return () if signal == "wording" else self.gems


class Found(NamedTuple):
    milliseconds: float
    refused: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="2000,10000,100000")
    parser.add_argument("--questions", type=int, default=300, help="asked at each size")
    parser.add_argument("--verify", action="store_true", help="compare with brute force")
    parser.add_argument(
        "--directory", default=os.path.join(tempfile.gettempdir(), "gemsearch-bench")
    )
    parser.add_argument("--no-rivals", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.directory, exist_ok=True)
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.verify:
        sys.exit(int(sum(verify(options.directory, size) for size in sizes) > 0))
    for size in sizes:
        path = prepared(options.directory, size)
        print(f"\n{size:,} gems")
        with closing(open_for_reading(path)) as connection:
            report_gates(connection, size, options.questions)
            if not options.no_rivals:
                rivals.report(connection, fresh_topics(size, 20))
        report_lock(path, size, options.questions)
        report_size(path, size)


def prepared(directory: str, size: int) -> str:
    """A ledger of so many gems, with the indexes it would have."""
    path = os.path.join(directory, f"{size}.db")
    if not os.path.exists(path):
        started = time.time()
        corpus.write_ledger(f"{path}.part", size, profile="guarded")
        written = time.time()
        with closing(open_for_writing(f"{path}.part")) as connection:
            upkeep.bring_up_to_date(connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        print(f"{size:,} gems written in {written - started:.0f} s,", end=" ")
        print(f"indexed in {time.time() - written:.0f} s")
        os.rename(f"{path}.part", path)
    return path


def report_gates(connection: sqlite3.Connection, size: int, questions: int) -> None:
    weights = weights_in(connection)
    for profile in PROFILES.values():
        asked = [*fresh_topics(size, questions), *edited_topics(size, questions // 3)]
        found = [timed_query(connection, each, profile, weights) for each in asked]
        print_times(f"query gate, {profile.name}, novel", [f for f in found if not f.refused])
        print_times(f"query gate, {profile.name}, refused", [f for f in found if f.refused])
    for profile in PROFILES.values():
        found = [timed_sources(connection, size, number, profile) for number in range(questions)]
        print_times(f"source gate, {profile.name}", found)
    if size <= 10_000:
        brute = Everything(connection)
        for profile in PROFILES.values():
            found = [
                timed(partial(query_gate.judge, each, brute, profile, (), weights))
                for each in fresh_topics(size, 9)
            ]
            found = [each for each in found if not each.refused]
            print_times(f"brute force, {profile.name}, novel", found)


def weights_in(connection: sqlite3.Connection) -> Weights:
    return words.weights(connection, connection.execute("SELECT max(id) FROM gems").fetchone()[0])


def timed_query(
    connection: sqlite3.Connection, topic: Topic, profile: Profile, weights: Weights
) -> Found:
    def ask() -> object:
        found = candidates.of_form(connection, NOW, "", weights)
        return query_gate.judge(topic, found, profile, (), weights)

    return timed(ask)


def timed_sources(
    connection: sqlite3.Connection, size: int, number: int, profile: Profile
) -> Found:
    proposed = proposed_sources(size, number, 10)
    return timed(lambda: judged_sources(connection, proposed, profile, size))


def judged_sources(
    connection: sqlite3.Connection, proposed: Sequence[Source], profile: Profile, gems: int
) -> object:
    counted = sources.with_counts(connection, proposed)
    hubs = source_gate.hubs_among(counted, profile, gems)
    found = sources.overlaps(connection, counted, hubs=hubs, profile=profile)
    return source_gate.judge(counted, found, profile, hubs)


def timed(ask: Callable[[], object]) -> Found:
    start = time.process_time()
    answer = ask()
    return Found(1000 * (time.process_time() - start), answer is not None)


def fresh_topics(size: int, count: int) -> list[Topic]:
    made = corpus.Corpus(size)
    return [
        Topic(text, corpus.signature_of(text))
        for text in map(made.topic, range(corpus.NOVEL, corpus.NOVEL + count))
    ]


def edited_topics(size: int, count: int) -> list[Topic]:
    made = corpus.Corpus(size)
    texts = (made.edited(made.topic(1 + at * 7919 % size), at) for at in range(count))
    return [Topic(text, corpus.signature_of(text)) for text in map(clean_topic, texts)]


def proposed_sources(size: int, number: int, count: int) -> list[Source]:
    drawn = corpus.Corpus(size).sources(corpus.LISTS + number, count)
    return [Source(corpus.url_of(each), corpus.url_of(each), "") for each in drawn]


def report_lock(path: str, size: int, questions: int) -> None:
    """Propose topics to a copy as `search` does, and measure how long the lock is held."""
    copy = f"{path}.copy"
    shutil.copy(path, copy)
    held: list[Found] = []
    original = novelty.write_transaction

    @contextmanager
    def measured(connection: sqlite3.Connection) -> Iterator[None]:
        with original(connection):
            start = time.perf_counter()
            yield
        held.append(Found(1000 * (time.perf_counter() - start), refused=False))

    novelty.write_transaction = measured
    try:
        with closing(open_for_writing(copy)) as connection:
            for number, topic in enumerate(fresh_topics(size, questions)):
                provider = Made(proposed_sources(size, number, 8))
                proposal = asking.Proposal(topic.text)
                novelty.search(connection, proposal, lambda made=provider: made, utc_now)
                upkeep.after_writing(connection)
    finally:
        novelty.write_transaction = original
        remove(copy)
    print_times("write lock held by search", held)


class Made:
    """A provider that answers with made-up sources."""

    name = "made-up"

    def __init__(self, found: Sequence[Source]) -> None:
        self._page = Page(tuple(Result(source.url, "Title", "Snippet.") for source in found))

    def search(self, topic: str, pace: object, timeout: float) -> Page:
        del topic, pace, timeout
        return self._page


def report_size(path: str, size: int) -> None:
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.OperationalError):
        pages = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        pages["index_words"] = pages.get("index_words", 0)
        total = sum(pages.get(name, 0) for name in _GATE_INDEXES)
        print(f"  gate indexes {total / size:.0f} bytes a gem:", end=" ")
        print(", ".join(f"{name} {pages.get(name, 0) / size:.0f}" for name in _GATE_INDEXES))
    print(
        f"  whole ledger without titles and snippets {os.path.getsize(path) / size:.0f} bytes a gem"
    )
    if size <= 10_000:
        full = f"{path}.full"
        corpus.write_ledger(full, size, profile="guarded", snippets=True)
        print(f"  with titles and snippets {os.path.getsize(full) / size:.0f} bytes a gem")
        remove(full)


def print_times(what: str, found: Sequence[Found]) -> None:
    if found:
        times = sorted(each.milliseconds for each in found)
        marks = [times[min(len(times) - 1, int(len(times) * share))] for share in (0.5, 0.95, 0.99)]
        shown = "  ".join(f"{mark:9.2f}" for mark in marks)
        print(f"  {what:38} {shown}  ms p50/p95/p99  ({len(times)} asked)")


def verify(directory: str, size: int) -> int:
    """Decisions that differ from brute force, over every profile; 0 is what it must be."""
    differences = 0
    for profile in PROFILES.values():
        path = os.path.join(directory, f"verify-{size}-{profile.form}.db")
        if not os.path.exists(path):
            corpus.write_ledger(path, size, profile=profile.name, hostile_share=10)
            with closing(open_for_writing(path)) as connection:
                seal_unevenly(connection, size)
        with closing(open_for_reading(path)) as connection:
            asked, wrong = compared_queries(connection, profile, size)
            lists, wrong_lists = compared_sources(connection, profile, size)
        print(
            f"{size:,} gems, {profile.name}: {wrong} differences in {asked} topics,"
            f" {wrong_lists} in {lists} lists"
        )
        differences += wrong + wrong_lists
    return differences


def seal_unevenly(connection: sqlite3.Connection, size: int) -> None:
    """Segments of several sizes, a hole between them, and a tail without a segment."""
    upkeep.prepare(connection)
    for first, last in ((0.0, 0.5), (0.5, 0.8), (0.82, 0.95)):
        build(connection, 1 + int(first * size), int(last * size))


def compared_queries(
    connection: sqlite3.Connection, profile: Profile, size: int
) -> tuple[int, int]:
    weights = weights_in(connection)
    brute = Everything(connection)
    indexed = candidates.of_form(connection, NOW, "", weights)
    asked = list(topics_to_compare(brute.gems, profile, min(60, max(8, 600_000 // size))))
    wrong = 0
    for topic in asked:
        expected = list(query_gate.matches(topic, brute, profile, (), weights))
        if list(query_gate.matches(topic, indexed, profile, (), weights)) != expected:
            print(f"  differs: {topic}")
            wrong += 1
    return len(asked), wrong


def topics_to_compare(gems: Sequence[Stored], profile: Profile, count: int) -> Iterator[Topic]:
    made = corpus.Corpus(len(gems))
    for number in range(count):
        stored = gems[number * 7919 % len(gems) // 10 * 10 - (number % 2)]
        text = (
            corpus.changed(stored.topic, number)
            if number % 4
            else corpus.hostile(made, number // 4 + 10_000)
        )
        topic = sign(text, profile.form)
        if topic.signature:
            yield topic


def compared_sources(
    connection: sqlite3.Connection, profile: Profile, size: int
) -> tuple[int, int]:
    asked = min(60, max(20, 200_000 // size))
    wrong = 0
    for number in range(asked):
        proposed = proposed_sources(size, number, 2 + number % 9)
        indexed = judged_sources(connection, proposed, profile, size)
        if indexed != brute_sources(connection, proposed, profile, size):
            print(f"  differs: {proposed}")
            wrong += 1
    return asked, wrong


def brute_sources(
    connection: sqlite3.Connection, proposed: Sequence[Source], profile: Profile, gems: int
) -> object:
    counted = sources.with_counts(connection, proposed)
    keys = {source.key for source in proposed}
    shared: dict[int, set[str]] = {}
    for gem_id, key in connection.execute(
        "SELECT gem_id, key FROM results JOIN urls ON urls.id = url_id"
        f" WHERE key IN ({', '.join('?' * len(keys))})",
        tuple(keys),
    ):
        shared.setdefault(gem_id, set()).add(key)
    overlaps = [
        Overlap(
            gem_id,
            *connection.execute(
                "SELECT topic, created FROM gems WHERE id = ?", (gem_id,)
            ).fetchone(),
            frozenset(found),
            connection.execute(
                "SELECT count(url_id) FROM results WHERE gem_id = ?", (gem_id,)
            ).fetchone()[0],
        )
        for gem_id, found in shared.items()
        if len(found) > 1
    ]
    hubs = source_gate.hubs_among(counted, profile, gems)
    return source_gate.judge(counted, overlaps, profile, hubs)


def utc_now() -> datetime:
    return datetime.now(UTC)


def remove(path: str) -> None:
    for name in (path, f"{path}-wal", f"{path}-shm"):
        with suppress(FileNotFoundError):
            os.unlink(name)


if __name__ == "__main__":
    main()
