"""Ledgers to look after, and what shows whether one is the same as before."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from gemsearch.care import health
from gemsearch.ledger.connection import open_for_reading, open_for_writing
from gemsearch.ledger.index import upkeep
from tests.conftest import START, Loop

PAGES = [f"https://example.org/{n}" for n in range(4)]
TABLES = (
    *("settings", "gems", "urls", "results", "rejections", "rejection_urls", "wordings"),
    *("words", "exceptions", "searches", "history_files"),
)


@pytest.fixture
def path(tmp_path):
    """A ledger with two gems that share a source, and a refusal."""
    name = str(tmp_path / "gems.db")
    loop = Loop(name)
    loop.finds("gitleaks hook", *PAGES)
    loop.finds("zanzibar nightjar", PAGES[0], "https://example.net/nightjar")
    loop.finds("secret scanning", *PAGES)
    for topic in ("gitleaks hook", "zanzibar nightjar", "secret scanning"):
        loop.search(topic)
    loop.connection.close()
    return name


@pytest.fixture
def small_steps(monkeypatch):
    """Limits so low that a small ledger has candidate indexes."""
    lower_limits(monkeypatch)


def lower_limits(patch):
    patch.setattr(upkeep, "PLAIN_SCAN_LIMIT", 100)
    patch.setattr(upkeep, "SEALED_AT", 16)
    patch.setattr(upkeep, "_TIERS", (64, 128))


@pytest.fixture(scope="session")
def large_one(tmp_path_factory):
    name = str(tmp_path_factory.mktemp("large") / "gems.db")
    with pytest.MonkeyPatch.context() as patch, closing(open_for_writing(name)) as connection:
        lower_limits(patch)
        fill(connection, 150)
        upkeep.bring_up_to_date(connection)
    return name


@pytest.fixture
def large(large_one, tmp_path, small_steps):
    """A ledger whose tables have many pages, with candidate indexes."""
    return shutil.copy(large_one, tmp_path / "gems.db") and str(tmp_path / "gems.db")


def fill(connection, gems, first=0, word="quokka"):
    """So many gems with words and sources of their own."""
    loop = Loop.__new__(Loop)
    loop.connection = connection
    loop.clock = lambda: START
    for number in range(first, first + gems):
        about = f"{word}{number} {word[::-1]}{number * 7}"
        loop.record(about, *[f"https://{word}{number}.example/{page}" for page in range(4)])


def change(path, *statements):
    connection = open_for_writing(path)
    for sql in statements:
        connection.execute(sql)
    connection.close()


def about(path):
    return {(finding.severity, finding.about) for finding in health.examine(path, START)}


def content(path):
    """All rows of all tables that are not indexes."""
    with closing(open_for_reading(path)) as connection:
        return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def pages_of(path, name):
    """The page numbers of a table or an index, and the size of a page."""
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)
        ).fetchone()
    with open(path, "rb") as file:
        return [*_tree(file.read(), size, root)], size


def _tree(data, size, page):
    """The pages of a b-tree, as SQLite's file format lays them out."""
    yield page
    start = (page - 1) * size
    header = start + (100 if page == 1 else 0)
    if data[header] not in {2, 5}:
        return
    cells = int.from_bytes(data[header + 3 : header + 5], "big")
    for number in range(cells):
        at = header + 12 + 2 * number
        cell = start + int.from_bytes(data[at : at + 2], "big")
        yield from _tree(data, size, int.from_bytes(data[cell : cell + 4], "big"))
    yield from _tree(data, size, int.from_bytes(data[header + 8 : header + 12], "big"))


def write_at(path, offset, data):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def flip(path, offset, bit=0):
    with open(path, "rb") as file:
        file.seek(offset)
        byte = file.read(1)[0]
    write_at(path, offset, bytes([byte ^ 1 << bit]))


def flip_in(path, name, text):
    """Flip a bit of the first place where `text` stands in a page of a table or an index."""
    pages, size = pages_of(path, name)
    with open(path, "rb") as file:
        data = file.read()
    for page in pages:
        at = data.find(text, (page - 1) * size, page * size)
        if at >= 0:
            return flip(path, at)
    raise AssertionError(f"{text!r} is nowhere in {name}")


def zero_leaf(path, name):
    """Zero a leaf in the middle of a table or an index."""
    pages, size = pages_of(path, name)
    write_at(path, (pages[len(pages) // 2] - 1) * size, bytes(size))


def beside(path):
    """The names of all files in the folder."""
    return sorted(os.listdir(os.path.dirname(path)))


def digest(path):
    """Of every file in the folder, by name; without what SQLite keeps beside an open ledger."""
    folder = os.path.dirname(path)
    found = {}
    for name in sorted(os.listdir(folder)):
        file = os.path.join(folder, name)
        empty_log = name.endswith("-wal") and os.path.getsize(file) == 0
        if os.path.isfile(file) and not name.endswith("-shm") and not empty_log:
            with open(file, "rb") as opened:
                found[name] = hashlib.sha256(opened.read()).hexdigest()
    return found
