"""A ledger whose rows a test writes itself, and the edition that comes of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib.resources import files
from typing import NamedTuple

import pytest

from gemsearch.editions import build, saving
from gemsearch.editions.model import Choice, Front
from gemsearch.ledger.connection import open_for_reading, open_for_writing

DAY = "2026-05-11"
# Only large ledgers have them; here every ledger does, so that none of their columns is forgotten.
INDEXES = files("gemsearch.ledger.index").joinpath("tables.sql").read_text(encoding="utf-8")
FRONT = Front("What we searched", made=DAY)


class Ledger:
    """Writes rows as they come, hostile ones too: no gate, no cleaning."""

    def __init__(self, path):
        self.path = path
        self.connection = open_for_writing(path)
        self.connection.executescript(INDEXES)

    def insert(self, table, **values):
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"
        return self.connection.execute(sql, tuple(values.values())).lastrowid

    def gem(self, topic, *urls, **values):
        row = {
            "topic": topic,
            "signature": " ".join(sorted(str(topic).lower().split())),
            "provider": "searxng",
            "origin": "search",
            "created": f"{values.get('day', DAY)}T09:00:00.000Z",
            "day": DAY,
            "result_count": len(urls),
        }
        number = self.insert("gems", **(row | values))
        for rank, url in enumerate(urls, start=1):
            self.result(number, rank, url)
        return number

    def result(self, gem, rank, url, *, title=None, counted=True, **values):
        url_id = self.source(url) if counted else None
        row = {
            "gem_id": gem,
            "rank": rank,
            "url_id": url_id,
            "url": None if counted else url,
            "title": f"Title of {url}" if title is None else title,
            "snippet": "A snippet.",
        }
        return self.insert("results", **(row | values))

    def source(self, url):
        key = url.partition("://")[2]
        found = self.connection.execute("SELECT id FROM urls WHERE key = ?", (key,)).fetchone()
        return found[0] if found else self.insert("urls", key=key, url=url, host=key.split("/")[0])

    def rejection(self, topic, gem, *urls, **values):
        row = {
            "topic": topic,
            "signature": " ".join(sorted(topic.lower().split())),
            "gate": "source",
            "signal": "sources",
            "score": 3.0,
            "threshold": 3.0,
            "evidence": "{}",
            "gem_id": gem,
            "profile": "guarded",
            "origin": "search",
            "created": f"{DAY}T09:00:00.000Z",
            "day": DAY,
        }
        number = self.insert("rejections", **(row | values))
        for url in urls:
            values = {"rejection_id": number, "url_id": self.source(url)}
            self.insert("rejection_urls", shared=1, counted=1, **values)
        return number


class Edition(NamedTuple):
    path: str
    report: build.Report

    def rows(self, sql, *values):
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(sql, values).fetchall()

    def column(self, sql, *values):
        return [row[0] for row in self.rows(sql, *values)]

    @property
    def withheld(self):
        return self.report.withheld


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(str(tmp_path / "ledger.db"))
    yield made
    made.connection.close()


@pytest.fixture
def publish(ledger, tmp_path):
    """Builds, checks and saves an edition of the ledger."""

    def publish(name="gems.db", front=FRONT, advance=lambda _: None, **choice):
        chosen = Choice(**choice)
        place = saving.find_place(str(tmp_path / "edition" / name))
        with (
            closing(build.new_edition()) as edition,
            closing(open_for_reading(ledger.path)) as reader,
        ):
            report = build.build(reader, edition, chosen, front, advance)
            saving.save(edition, place, report, chosen, front)
        return Edition(place.path, report)

    return publish
