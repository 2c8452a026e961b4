"""Every column of the ledger has a decision, and no private one can be read while publishing."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from gemsearch.editions import policy
from gemsearch.ledger.connection import open_for_reading


def test_every_column_of_the_ledger_has_a_decision(ledger):
    assert policy.undecided(ledger.connection) == []


def test_every_decision_is_about_a_column_that_exists_and_is_made_once(ledger):
    for table, decision in policy.POLICY.items():
        columns = [row[1] for row in ledger.connection.execute(f"PRAGMA table_xinfo([{table}])")]
        decided = f"{decision.public} {decision.derived} {decision.private}".split()
        assert sorted(decided) == sorted(set(decided)), table
        assert set(decided) <= set(columns), table


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("ALTER TABLE gems ADD COLUMN mood TEXT", "gems.mood"),
        ("CREATE TABLE notes (id INTEGER PRIMARY KEY)", "notes.id"),
        ("CREATE VIRTUAL TABLE gems_trigram USING fts5(topic)", "gems_trigram.topic"),
    ],
)
def test_a_new_column_or_table_stops_every_edition(ledger, publish, tmp_path, sql, named):
    ledger.gem("chezmoi encryption")
    ledger.connection.execute(sql)
    with pytest.raises(policy.Undecided, match=named):
        publish()
    assert not (tmp_path / "edition").exists()


def test_private_columns_cannot_even_be_read(ledger):
    ledger.gem("chezmoi encryption")
    with closing(open_for_reading(ledger.path)) as reader:
        policy.guard(reader)
        assert reader.execute("SELECT topic, visibility FROM gems").fetchall()
        for sql in (
            "SELECT session FROM gems",
            "SELECT key FROM urls",
            "SELECT evidence FROM rejections",
            "SELECT count(*) FROM sqlite_master",
            "SELECT refused_topic FROM duplicates",
            "ATTACH 'elsewhere.db' AS elsewhere",
        ):
            with pytest.raises(sqlite3.DatabaseError, match=r"prohibited|not authorized"):
                reader.execute(sql)
        policy.unguard(reader)
        assert reader.execute("SELECT session FROM gems").fetchall()


def test_a_ledger_of_a_newer_version_is_published_if_its_columns_are_known(ledger, publish):
    ledger.gem("chezmoi encryption")
    ledger.connection.execute("PRAGMA user_version = 99")
    assert publish().report.published["gems"] == 1
