"""Datasette on a large ledger: first pages, facets, canned queries and our pages, time by time.

python -m bench.datasette [--gems 1000000] [--ledger FILE]     FILE is made if it is missing

As a module: started as a script, this file would stand in for Datasette itself.
Every page is asked for once and then five times, under Datasette's default limits; a facet or a
query that ran out of its time is marked. The overview is to answer within a second.
"""

import argparse
import asyncio
import random
import re
import sqlite3
import statistics
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

from datasette.app import Datasette
from datasette.plugins import pm
from datasette.version import __version__

from gemsearch import datasette_plugin
from gemsearch.datasette_plugin.queries import QUERIES
from gemsearch.ledger import migrations
from gemsearch.ledger.connection import open_for_writing

RESULTS = 8
REFUSALS = 0.3  # for each gem
TIMES = 5
FIRST = date(2026, 1, 1)
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
SIGNALS = ("identical", "subset", "sequence", "wording", "sources")

PAGES = [
    "/",
    "/{db}",
    "/{db}/gems",
    "/{db}/results",
    "/{db}/urls",
    "/{db}/rejections",
    "/{db}/duplicates",
    "/{db}/recurring_sources",
    "/{db}/gems?_search={word}",
    "/{db}/rejections?_search={word}",
    "/{db}/gems/{gem}",
    "/{db}/-/gemsearch",
    "/{db}/-/gemsearch/gem/{gem}",
    "/{db}/-/gemsearch/gem/1",
    "/{db}/-/gemsearch/rejection/{gem}",
    *("/{db}/" + query.name for query in QUERIES),
    "/{db}/why_refused?topic={word}",
]


def word(chance):
    return "".join(chance.choices(SYLLABLES, k=3))


def build(path, gems):
    """Write rows and nothing else, then the full-text indexes in one go."""
    connection = open_for_writing(str(path))
    connection.execute("PRAGMA synchronous = OFF")
    made = migrations.triggers_and_views()
    triggers = [name for name, sql in made.items() if "CREATE TRIGGER" in sql]
    for name in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("BEGIN")
    _write(connection, gems)
    for table in ("gems", "results", "rejections"):
        connection.execute(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('rebuild')")
    for name in triggers:
        connection.execute(made[name])
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


class Rows:
    """Rows for each table, drawn at random from one seed."""

    def __init__(self, gems):
        self.chance = random.Random(11)
        self.gems = gems
        self.counts = [0] * (2 * gems + 1)
        self.vocabulary = [word(self.chance) for _ in range(30_000)]

    def topic(self):
        return " ".join(self.chance.choices(self.vocabulary, k=4))

    def caller(self, number, whole):
        day = (FIRST + timedelta(days=300 * number // whole)).isoformat()
        provider = self.chance.choice(("tavily", "brave", "sample"))
        agent = self.chance.choice(("claude", "codex", "ant"))
        project = f"project {number % 40}"
        return provider, agent, f"s{number // 9}", project, "search", f"{day}T09:00:00.000Z", day

    def of_gems(self):
        for number in range(1, self.gems + 1):
            text = self.topic()
            caller = self.caller(number, self.gems)
            yield number, text, " ".join(sorted(text.split())), *caller, RESULTS

    def of_results(self):
        for number in range(1, self.gems + 1):
            # Log-uniform: the first sources are in very many gems, most in one or two.
            chosen = {int(2 * self.gems ** self.chance.random()) for _ in range(RESULTS)}
            for rank, source in enumerate(chosen, 1):
                self.counts[source] += 1
                yield number, source, rank, f"{self.chance.choice(self.vocabulary)} page {source}"

    def of_urls(self):
        for number, count in enumerate(self.counts):
            if count:
                key = f"h{number % 50_000}.example/{number}"
                yield number, key, f"https://{key}", key.partition("/")[0], count

    def of_rejections(self):
        whole = int(self.gems * REFUSALS)
        for number in range(1, whole + 1):
            text, signal = self.topic(), self.chance.choice(SIGNALS)
            gate = "source" if signal == "sources" else "query"
            score = 0.82 + self.chance.random() * 0.18
            gem = int(self.gems ** self.chance.random())
            compared = (gate, signal, score, 0.82, '{"why": "bench"}', gem)
            yield number, text, text, *compared, *self.caller(number, whole), "guarded"


COLUMNS = {
    "gems": "id, topic, signature, provider, agent, session, project, origin, created, day,"
    " result_count",
    "results": "gem_id, url_id, rank, title",
    "urls": "id, key, url, host, gem_count",
    "rejections": "id, topic, signature, gate, signal, score, threshold, evidence, gem_id,"
    " provider, agent, session, project, origin, created, day, profile",
}


def _write(connection, gems):
    rows = Rows(gems)
    connection.execute("PRAGMA defer_foreign_keys = ON")
    for table, columns in COLUMNS.items():
        fixed = ", snippet" if table == "results" else ""
        marks = ", ".join("?" * len(columns.split(","))) + (", 'text'" if fixed else "")
        insert = f"INSERT INTO {table} ({columns}{fixed}) VALUES ({marks})"
        connection.executemany(insert, getattr(rows, f"of_{table}")())


async def measure(path, gems):
    site = Datasette([str(path)])
    await site.invoke_startup()
    known = word(random.Random(11))
    print(f"Datasette {__version__}, {gems:,} gems, {path.stat().st_size / 1e9:.1f} GB")
    print(f"{'page':46} {'first':>8} {'median':>8}   out of time")
    for pattern in PAGES:
        address = pattern.format(db=path.stem, word=known, gem=gems // 5)
        times = []
        for _ in range(TIMES + 1):
            start = time.perf_counter()
            answer = await site.client.get(address, follow_redirects=True)
            times.append(time.perf_counter() - start)
        late = re.findall(r"facets timed out: ([^<]*)", answer.text)
        if answer.status_code != 200:
            late.append(f"status {answer.status_code}")
        if "gs-unknown" in answer.text or ">many<" in answer.text:
            late.append("a count")
        print(
            f"{address:46} {times[0] * 1000:6.0f}ms {statistics.median(times[1:]) * 1000:6.0f}ms"
            f"   {'; '.join(late)}"
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gems", type=int, default=1_000_000)
    parser.add_argument("--ledger", type=Path)
    given = parser.parse_args()
    if not pm.is_registered(datasette_plugin):
        pm.register(datasette_plugin, "gemsearch")
    with tempfile.TemporaryDirectory() as folder:
        path = given.ledger or Path(folder, "gems.db")
        if not path.exists():
            start = time.perf_counter()
            build(path, given.gems)
            print(f"built in {time.perf_counter() - start:.0f} s")
        with sqlite3.connect(path) as connection:
            (gems,) = connection.execute("SELECT max(id) FROM gems").fetchone()
        asyncio.run(measure(path, gems))


if __name__ == "__main__":
    main()
