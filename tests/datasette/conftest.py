from __future__ import annotations

import sqlite3

import pytest

from tests.datasette.visiting import EDITION, Visitor, fill


@pytest.fixture(scope="session")
def ledger(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("ledger") / "gems.db")


@pytest.fixture(scope="session")
def visitor(ledger):
    made = Visitor(ledger)
    yield made
    made.close()


@pytest.fixture
def visit():
    """Makes visitors and closes them."""
    made = []

    def visiting(*files, **settings):
        made.append(Visitor(*files, **settings))
        return made[-1]

    yield visiting
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def edition(ledger, tmp_path_factory):
    """The public columns of the ledger, and no others."""
    path = tmp_path_factory.mktemp("edition") / "public.db"
    made = sqlite3.connect(path)
    made.executescript(EDITION)
    made.execute("ATTACH ? AS private", (str(ledger),))
    for table in ("gems", "urls", "results", "rejections", "rejection_urls"):
        columns = ", ".join(row[1] for row in made.execute(f"PRAGMA table_info({table})"))
        made.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM private.{table}")
    made.execute("INSERT INTO rejections_fts (rejections_fts) VALUES ('rebuild')")
    made.commit()
    made.close()
    return path
