"""A Datasette in this process, asked without a server; the same tests run on both its lines."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from datasette.app import Datasette
from datasette.plugins import pm

from gemsearch import datasette_plugin
from gemsearch.core.model import Caller, Match, Result, SharedSource
from gemsearch.core.profiles import DEFAULT, PROFILES
from gemsearch.core.results import sources_by_rank
from gemsearch.core.signature import sign
from gemsearch.ledger import searches, writing
from gemsearch.ledger.connection import open_for_writing, write_transaction

ROOT = Path(__file__).parents[2]
START = datetime(2026, 5, 11, 9, 0, tzinfo=UTC)

if not pm.is_registered(datasette_plugin):
    pm.register(datasette_plugin, "gemsearch")


class Visitor:
    """Asks a Datasette instance for pages, one after the other."""

    def __init__(self, *files, **settings):
        self.loop = asyncio.new_event_loop()
        self.site = Datasette([str(file) for file in files], **settings)
        try:
            self.run(self.site.invoke_startup())
        except BaseException:
            self.close()
            raise

    def run(self, awaitable):
        return self.loop.run_until_complete(awaitable)

    def get(self, path, **options):
        return self.run(self.site.client.get(path, **options))

    def page(self, path):
        answer = self.get(path, follow_redirects=True)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:400]}"
        return answer.text

    def rows(self, path):
        mark = "&" if "?" in path else "?"
        answer = self.get(f"{path}{mark}_shape=array", follow_redirects=True)
        assert answer.status_code == 200, f"{path}: {answer.text[:400]}"
        return answer.json()

    def close(self):
        if hasattr(self.site, "close"):
            self.site.close()
        else:
            _close_by_hand(self.site)
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()


def _close_by_hand(site):
    # Before 1.0 an instance is never closed; its threads would outlive the test.
    site.executor.shutdown(wait=True)
    for database in site.databases.values():
        database.close()


PAGES = [f"https://docs.example.org/gitleaks/{number}" for number in range(6)]
SOME = [f"https://b.example/{number}" for number in range(11)]
FORM = PROFILES[DEFAULT].form


class Writer:
    """Writes gems and refusals as they would be written, whatever the rules of the gates are."""

    def __init__(self, path):
        self.connection = open_for_writing(str(path))
        self.days = -1

    def caller(self):
        self.days += 1
        return Caller("record", "ant", f"s{self.days}", "atlas")

    def now(self):
        return START + timedelta(days=self.days)

    def gem(self, topic, urls):
        found = [Result(url, f"Title of {url}", "A snippet.") for url in urls]
        with write_transaction(self.connection):
            return writing.add_gem(
                self.connection,
                sign(topic, FORM),
                found,
                sources_by_rank(found),
                self.caller(),
                self.now(),
                provider="sample",
            )

    def refusal(self, topic, signal, gem, score=1.0, threshold=1.0, urls=(), why="", shared=0):
        sources = [source for source in sources_by_rank(map(Result, urls)) if source]
        both = tuple(SharedSource(source.key, source.url, True) for source in sources[:shared])
        match = Match(signal, gem, "", "", score, threshold, why, shared=both, smaller=len(sources))
        with write_transaction(self.connection):
            return writing.add_rejection(
                self.connection,
                sign(topic, FORM),
                match,
                self.caller(),
                PROFILES[DEFAULT],
                self.now(),
                sources=sources,
            )


def fill(path):
    """Gems that share sources, and a refusal by every signal."""
    ledger = Writer(path)
    gitleaks = ledger.gem("gitleaks pre-commit hook", PAGES)
    topic = "secret scanning at commit time"
    learned = ledger.refusal(topic, "sources", gitleaks, 1.0, 0.35, PAGES[:4], "4 recur", 4)
    with write_transaction(ledger.connection):
        writing.learn_wording(ledger.connection, learned, START + timedelta(days=30), 900)
    ledger.refusal(topic, "wording", gitleaks)
    ledger.refusal("hook gitleaks pre-commit", "identical", gitleaks, why="same words")
    wrong = ledger.refusal("gitleaks pre-commit hook setup", "subset", gitleaks)
    network = ledger.gem("io_uring zero-copy networking internals", [*SOME[:6], PAGES[5]])
    ledger.refusal("io_uring zero-copy networking internal", "sequence", network, 0.85, 0.82)
    ledger.gem("postgres connection pooling", [*SOME[5:11], PAGES[5]])
    with write_transaction(ledger.connection):
        writing.mark(ledger.connection, wrong, "wrong", "asked for another tool", START)
        search = searches.start(
            ledger.connection, sign("a search that finds nothing", FORM), ledger.caller(), START
        )
        searches.settle(ledger.connection, search, "empty", provider="sample")
    ledger.connection.close()
    return path


EDITION = """
CREATE TABLE gems (
  id INTEGER PRIMARY KEY, topic TEXT, signature TEXT, provider TEXT, day TEXT, result_count INTEGER
);
CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, host TEXT, gem_count INTEGER);
CREATE TABLE results (
  id INTEGER PRIMARY KEY, gem_id INTEGER REFERENCES gems (id), url_id INTEGER REFERENCES urls (id),
  rank INTEGER, title TEXT, published TEXT
);
CREATE TABLE rejections (
  id INTEGER PRIMARY KEY, topic TEXT, gate TEXT, signal TEXT, score REAL, threshold REAL,
  shared INTEGER, smaller INTEGER, day TEXT, gem_id INTEGER REFERENCES gems (id)
);
CREATE TABLE rejection_urls (
  rejection_id INTEGER, url_id INTEGER, shared INTEGER, counted INTEGER,
  PRIMARY KEY (rejection_id, url_id)
);
CREATE VIRTUAL TABLE [rejections_fts] USING FTS5 ([topic], content=[rejections]);
"""
