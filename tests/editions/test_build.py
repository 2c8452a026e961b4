"""An edition's own shape: its numbers, labels, words, and the snapshot it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from gemsearch.editions import build, schema
from gemsearch.editions.check import EditionUnfit, check
from gemsearch.ledger.connection import open_for_writing

HOSTILE = "\x1b]0;owned\x07A\u202e\u200btitle\nDUPLICATE \U000e0041<script>alert(1)</script>"


def test_numbers_are_new_and_have_no_gaps(ledger, publish):
    for number in (40, 42, 47):
        visibility = "private" if number == 42 else "open"
        ledger.gem(f"topic {number}", id=number, visibility=visibility)
    ledger.rejection("topic of 47", 47, id=17)
    edition = publish()
    assert edition.rows("SELECT id, topic FROM gems") == [(1, "topic 40"), (2, "topic 47")]
    assert edition.rows("SELECT id, gem_id FROM rejections") == [(1, 2)]


def test_the_order_is_the_ledgers(ledger, publish):
    for day in ("2026-05-12", "2026-05-10", "2026-05-11"):
        ledger.gem(f"topic of {day}", day=day)
    assert publish().column("SELECT day FROM gems ORDER BY id") == [
        "2026-05-12",
        "2026-05-10",
        "2026-05-11",
    ]


def test_gem_counts_are_those_of_the_edition(ledger, publish):
    for topic, visibility in (("one", "open"), ("two", "open"), ("three", "private")):
        ledger.gem(topic, "https://one.example.org/a", visibility=visibility)
    ledger.connection.execute("UPDATE urls SET gem_count = 99")
    assert publish().column("SELECT gem_count FROM urls") == [2]


def test_foreign_keys_lead_to_published_rows_only(ledger, publish):
    gem = ledger.gem("chezmoi encryption", "https://one.example.org/a")
    ledger.rejection("encryption chezmoi", gem, "https://one.example.org/a")
    edition = publish()
    assert edition.rows("PRAGMA foreign_key_check") == []
    assert edition.rows(
        "SELECT rejections.topic, gems.topic, urls.url FROM rejections"
        " JOIN gems ON gems.id = gem_id"
        " JOIN rejection_urls ON rejection_id = rejections.id JOIN urls ON urls.id = url_id"
    ) == [("encryption chezmoi", "chezmoi encryption", "https://one.example.org/a")]


def test_it_has_full_text_search_and_neither_triggers_nor_views(ledger, publish):
    ledger.gem("chezmoi encryption")
    edition = publish()
    assert edition.column("SELECT rowid FROM gems_fts WHERE gems_fts MATCH 'encrypted'") == [1]
    kinds = set(edition.column("SELECT type FROM sqlite_master"))
    assert kinds == {"table", "index"}
    assert edition.column("PRAGMA journal_mode") == ["delete"]
    assert edition.column("PRAGMA freelist_count") == [0]


def test_hostile_text_is_cleaned(ledger, publish):
    gem = ledger.gem(HOSTILE, provider=HOSTILE, signature=HOSTILE)
    ledger.result(gem, 1, "https://one.example.org/a", title=HOSTILE, published=HOSTILE)
    ledger.result(gem, 2, 'https://one.example.org/"><script>', title="x" * 10_000)
    edition = publish()
    cleaned = "Atitle DUPLICATE <script>alert(1)</script>"
    assert edition.rows("SELECT topic, signature, provider FROM gems") == [(cleaned,) * 3]
    assert edition.rows("SELECT title, published FROM results")[0] == (cleaned, cleaned)
    assert edition.column("SELECT url FROM urls")[1] == "https://one.example.org/%22%3E%3Cscript%3E"


def test_others_write_while_an_edition_is_built_and_are_not_in_it(ledger, publish):
    for number in range(300):
        ledger.gem(f"topic {number}", f"https://example.org/{number}")
    written = []

    def write(_done):
        with closing(open_for_writing(ledger.path, busy=0.0)) as other:
            other.execute("UPDATE gems SET topic = 'changed' WHERE id = 299")
            other.execute("DELETE FROM gems WHERE id = 300")
        written.append(1)

    edition = publish(advance=write)
    assert written
    topics = edition.column("SELECT topic FROM gems")
    assert topics == [f"topic {number}" for number in range(300)]
    assert edition.report.published["results"] == 300


def test_a_ledger_being_written_is_published_as_it_was_last_committed(ledger, publish):
    ledger.gem("chezmoi encryption")
    ledger.connection.execute("BEGIN IMMEDIATE")
    ledger.gem("not yet committed")
    assert publish().column("SELECT topic FROM gems") == ["chezmoi encryption"]
    ledger.connection.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("CREATE VIEW sneaky AS SELECT 1", "should not have"),
        ("CREATE TABLE extra (x)", "should not have"),
        ("ALTER TABLE gems ADD COLUMN mood TEXT", "should not have"),
        ("CREATE TRIGGER t AFTER INSERT ON gems BEGIN SELECT 1; END", "should not have"),
        ("DELETE FROM urls", "foreign_key_check"),
        ("DELETE FROM gems_fts_docsize", "gems_fts does not have"),
        ("UPDATE gems SET topic = x'00'", "gems.topic holds bytes"),
        ("UPDATE gems SET topic = 'a' || char(8238)", "gems.topic holds hidden"),
        ("UPDATE urls SET url = 'javascript:1'", "urls.url contains an address"),
        ("UPDATE gems SET provider = 'jo' || '@' || 'mailbox.org'", "gems.provider contains"),
        ("UPDATE gems SET result_count = 7", "result counts"),
        ("INSERT INTO edition VALUES ('x', '/home/' || 'jodoe')", "edition.value contains"),
        ("PRAGMA application_id = 1", "application_id"),
        ("PRAGMA journal_mode = WAL", "journal_mode"),
    ],
)
def test_the_check_finds_what_the_builder_would_have_missed(ledger, publish, damage, said):
    ledger.gem("chezmoi encryption", "https://one.example.org/a")
    edition = publish()
    check(edition.path, edition.report.published, snippets=False)
    with closing(sqlite3.connect(edition.path)) as connection:
        connection.execute(damage)
        connection.commit()
    with pytest.raises(EditionUnfit, match=said):
        check(edition.path, edition.report.published, snippets=False)


def test_the_check_looks_through_the_words_of_the_full_text_tables(ledger, publish):
    """A word that is in no row any more: the rows look clean, the index remembers."""
    ledger.gem("chezmoi encryption")
    edition = publish()
    key = "AK" + "IA" + "Q3EGRT7YBN4MKW2P"
    with closing(sqlite3.connect(edition.path)) as connection:
        connection.execute("UPDATE gems SET topic = ?", (key,))
        connection.execute("INSERT INTO gems_fts (gems_fts) VALUES ('rebuild')")
        connection.execute("UPDATE gems SET topic = 'chezmoi encryption'")
        connection.commit()
        connection.execute("VACUUM")
    with pytest.raises(EditionUnfit, match="gems_fts contains an AWS access key id"):
        check(edition.path, edition.report.published, snippets=False)


def test_every_table_and_column_of_an_edition_is_described():
    with closing(build.new_edition()) as edition:
        schema.create(edition, snippets=True)
        described = schema.descriptions(snippets=True)
        for table in (*schema.TABLES, schema.SETTINGS):
            columns = [row[1] for row in edition.execute(f"PRAGMA table_info({table})")]
            assert list(described[table].columns) == columns
            assert described[table].table.endswith(".")


def test_an_edition_has_no_column_that_the_policy_does_not_publish():
    for table, found in schema.descriptions(snippets=True).items():
        if table == schema.SETTINGS:
            continue
        decision = build.policy.POLICY[table]
        known = {*decision.public.split(), *decision.derived.split()} | {"id"}
        assert set(found.columns) <= known, table
