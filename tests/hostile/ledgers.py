"""Ledgers full of hostile texts: written past every gate, and proposed through the front door."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing

from gemsearch.ledger.connection import open_for_writing
from tests.hostile.corpus import storable

# Columns that have a few values only, and those that must fit to others.
FIXED = {
    "origin": "record",
    "visibility": "open",
    "gate": "query",
    "signal": "identical",
    "state": "recorded",
    "enforced": 1,
    "shared": 1,
    "counted": 1,
    "lease_until": None,
    "marked": "wrong",
}
NUMBERED = ("gem_id", "rejection_id", "url_id", "forced_gem_id")
WIDE = {"title", "snippet", "answer"}  # the columns that get the large ones whole
NOT_SPOILED = "_fts|sqlite_|VIRTUAL|embeddings|collections|words|index_|settings"


def spoil(path):
    """Every storable input in every text column of every table, uncleaned; the number of cells."""
    open_for_writing(str(path)).close()
    cells = 0
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for table, columns in _tables(connection).items():
            for number, text in enumerate(storable().values(), start=1):
                row = {name: _value(name, kind, number, text) for name, kind in columns}
                marks = ", ".join("?" * len(row))
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", [*row.values()]
                )
                cells += sum(isinstance(cell, str) for cell in row.values())
        connection.commit()
    return cells


def _tables(connection):
    listed = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    names = [name for name, sql in listed if not re.search(NOT_SPOILED, f"{name} {sql}")]
    return {
        name: [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({name})")]
        for name in names
    }


def _value(name, kind, number, text):
    if name in FIXED:
        return FIXED[name]
    if kind != "TEXT":
        return number
    if name == "key":
        return f"{text[:300]}{number}"
    return text if name in WIDE else text[:2000]


def respoil(path):
    """Topics as an older or foreign program might have left them, under signatures that fit."""
    with closing(sqlite3.connect(path)) as connection:
        texts = dict(enumerate(storable().values(), start=1))
        for number, topic in connection.execute("SELECT id, topic FROM gems").fetchall():
            hostile = texts[int(topic.split()[1])]
            connection.execute("UPDATE gems SET topic = ? WHERE id = ?", (hostile[:2000], number))
        connection.commit()


def texts_of(path):
    """(table and column, text) of every text cell of a ledger."""
    with closing(sqlite3.connect(path)) as connection:
        for table, columns in _tables(connection).items():
            for name, kind in columns:
                if kind == "TEXT":
                    rows = connection.execute(
                        f"SELECT {name} FROM {table} WHERE {name} IS NOT NULL"
                    )
                    yield from ((f"{table}.{name}", text) for (text,) in rows)


def proposals():
    """A proposal for every storable input, with that input in each of its fields."""
    for number, text in enumerate(storable().values(), start=1):
        row = {"url": text[:3000], "title": text, "snippet": text, "published": text[:500]}
        found = {"url": f"https://a.example/{number}", "title": text[:100_000]}
        yield {
            "topic": " ".join(f"canary {number} {text[:300]}".split()[:30]),
            "agent": text[:500],
            "session": text[:500],
            "project": text[:500],
            "provider": text[:500],
            "results": [row, found],
        }


def proposal_lines():
    return "".join(json.dumps(line) + "\n" for line in proposals())
