"""doctor, backup, forget: what is derived is mended, what is kept is kept, what is gone is gone."""

from __future__ import annotations

import os
import sqlite3

import pytest

from gemsearch import errors
from gemsearch.ledger import forgetting, health, repair
from gemsearch.ledger.backup import back_up
from gemsearch.ledger.connection import open_for_reading, open_for_writing, write_transaction
from tests.conftest import START, Loop

PAGES = [f"https://example.org/{n}" for n in range(4)]


def quietly(_):
    """Hear of progress and say nothing."""


@pytest.fixture
def path(tmp_path):
    """A ledger with two gems that share three sources, and a refusal."""
    name = str(tmp_path / "gems.db")
    loop = Loop(name)
    loop.finds("gitleaks hook", *PAGES)
    loop.finds("zanzibar nightjar", PAGES[0], "https://example.net/nightjar")
    loop.finds("secret scanning", *PAGES)
    for topic in ("gitleaks hook", "zanzibar nightjar", "secret scanning"):
        loop.search(topic)
    loop.connection.close()
    return name


def change(path, *statements):
    connection = open_for_writing(path)
    for sql in statements:
        connection.execute(sql)
    connection.close()


def about(path):
    return {(finding.severity, finding.about) for finding in health.examine(path, START)}


# doctor


def test_a_sound_ledger_has_no_findings(path):
    assert health.examine(path, START) == []
    assert repair.mend(path, START) == []


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("UPDATE urls SET gem_count = 99 WHERE id = 1", "counts"),
        ("DELETE FROM gems_fts_docsize WHERE id = 1", "full-text"),
        ("UPDATE settings SET value = '0' WHERE name = 'signature.version'", "signature.version"),
        ("UPDATE settings SET value = '0' WHERE name = 'canon.version'", "canon.version"),
    ],
)
def test_derived_state_is_found_wrong_and_mended_after_a_backup(path, damage, found):
    change(path, damage)
    assert about(path) == {("warning", found)}
    mended = repair.mend(path, START)
    assert len(mended) == 2
    assert about(path) == set()
    copies = [name for name in os.listdir(os.path.dirname(path)) if name.endswith(".backup")]
    assert len(copies) == 1


def test_signatures_of_older_rules_are_signed_anew(path):
    change(
        path,
        "UPDATE gems SET signature = 'old'",
        "UPDATE settings SET value = '0' WHERE name = 'signature.version'",
    )
    repair.mend(path, START)
    connection = open_for_reading(path)
    signatures = connection.execute("SELECT signature FROM gems ORDER BY id").fetchall()
    connection.close()
    assert signatures == [("gitleaks hook",), ("nightjar zanzibar",)]


def test_sources_keyed_by_older_rules_are_merged_and_split_and_counted(path):
    change(
        path,
        # As older rules would have left it: one source twice, and two sources under one key.
        "UPDATE urls SET key = 'older.example/' || id, host = 'older.example'",
        "UPDATE urls SET url = 'https://www.example.org/0/?utm_source=x' WHERE id = 2",
        "UPDATE settings SET value = '0' WHERE name = 'canon.version'",
    )
    repair.mend(path, START)
    connection = open_for_reading(path)
    sources = connection.execute("SELECT id, key, url, host, gem_count FROM urls").fetchall()
    counted = connection.execute(
        "SELECT gem_id, rank, url_id IS NOT NULL FROM results WHERE gem_id = 1"
    ).fetchall()
    refused = connection.execute("SELECT count(*), sum(shared) FROM rejection_urls").fetchone()
    connection.close()
    assert (1, "example.org/0", PAGES[0], "example.org", 2) in sources
    assert [row[0] for row in sources] == [1, 3, 4, 5]
    assert counted == [(1, 1, 1), (1, 2, 0), (1, 3, 1), (1, 4, 1)]
    assert refused == (3, 3)
    assert about(path) == set()


def test_what_others_can_read_is_a_finding(path):
    os.chmod(path, 0o644)
    assert about(path) == {("warning", "permissions")}


def test_a_foreign_trigger_is_named(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER evil AFTER INSERT ON gems BEGIN SELECT 1; END")
    connection.close()
    findings = health.examine(path, START)
    assert [f.severity for f in findings] == ["error"]
    assert "evil" in findings[0].message


def test_a_flipped_bit_in_an_index_is_found(path):
    connection = sqlite3.connect(path)
    page, size = connection.execute(
        "SELECT rootpage, (SELECT page_size FROM pragma_page_size)"
        " FROM sqlite_master WHERE name = 'gems_signature'"
    ).fetchone()
    connection.close()
    with open(path, "r+b") as file:
        file.seek((page - 1) * size)
        content = bytearray(file.read(size))
        at = content.index(b"nightjar zanzibar")
        content[at] ^= 1
        file.seek((page - 1) * size)
        file.write(content)
    assert ("error", "integrity") in about(path)


def test_doctor_exits_5_when_a_person_must_act_and_0_else(gemsearch):
    gemsearch("record", "topic", "--url", PAGES[0])
    assert gemsearch("doctor").out == "Nothing to mend.\n"
    assert gemsearch("doctor", "--json").json == []
    with open(gemsearch.ledger, "r+b") as file:
        file.truncate(8192)
    ran = gemsearch("doctor")
    assert ran.code == 5
    assert "damaged" in ran.out


# backup


def test_a_backup_is_whole_private_and_needs_no_other_file(path, tmp_path):
    target = str(tmp_path / "copy.db")
    writer = open_for_writing(path)
    with write_transaction(writer):
        writer.execute("UPDATE gems SET reason = 'fresh in the log' WHERE id = 1")
    assert back_up(path, target, quietly) == 2
    writer.close()
    assert os.stat(target).st_mode & 0o077 == 0
    copy = sqlite3.connect(f"file:{target}?mode=ro&immutable=1", uri=True)
    assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert copy.execute("SELECT reason FROM gems WHERE id = 1").fetchone() == ("fresh in the log",)
    copy.close()
    assert sorted(n for n in os.listdir(tmp_path) if "copy" in n) == ["copy.db"]
    restored = open_for_writing(target)
    restored.close()


def test_a_backup_never_replaces_a_file(path, tmp_path):
    target = tmp_path / "copy.db"
    target.write_text("precious")
    with pytest.raises(errors.WrongCall, match="a file already"):
        back_up(path, str(target), quietly)
    assert target.read_text() == "precious"
    with pytest.raises(errors.WrongCall, match="can't be written"):
        back_up(path, "/nowhere/at/all.db", quietly)


# forget


def words_left(path):
    """Every word of the full-text indexes, and the bytes of every file of the ledger."""
    connection = open_for_writing(path)
    words = set()
    for table in ("gems", "results", "rejections"):
        connection.execute(
            f"CREATE VIRTUAL TABLE temp.words_{table} USING fts5vocab(main, {table}_fts, row)"
        )
        words |= {word for (word,) in connection.execute(f"SELECT term FROM words_{table}")}
    connection.close()
    folder = os.path.dirname(path)
    files = [os.path.join(folder, name) for name in os.listdir(folder)]
    content = b""
    for name in files:
        with open(name, "rb") as file:
            content += file.read()
    return words, content


def test_a_forgotten_gem_leaves_no_trace_in_tables_indexes_or_bytes(path):
    words, content = words_left(path)
    assert "nightjar" in words
    assert b"nightjar" in content
    connection = open_for_writing(path)
    forgetting.forget(connection, forgetting.choose(connection, gem_id=2))
    assert connection.execute("SELECT gem_count FROM urls WHERE id = 1").fetchone() == (1,)
    connection.close()
    words, content = words_left(path)
    assert "nightjar" not in words
    assert b"nightjar" not in content
    assert about(path) == set()


def test_forgetting_a_gem_keeps_the_refusals_it_caused_without_its_words(path):
    connection = open_for_writing(path)
    forgetting.forget(connection, forgetting.choose(connection, gem_id=1))
    kept = connection.execute("SELECT topic, gem_id, evidence FROM rejections").fetchall()
    connection.close()
    assert kept == [("secret scanning", None, "{}")]
    assert b"gitleaks" not in words_left(path)[1]


def test_a_refusal_or_all_of_a_topic_can_be_forgotten(path):
    connection = open_for_writing(path)
    chosen = forgetting.choose(connection, topic="zanzibar  nightjar")
    assert ([gem.id for gem in chosen.gems], chosen.rejections) == ([2], ())
    forgetting.forget(connection, forgetting.choose(connection, rejection_id=1))
    assert connection.execute("SELECT count(*) FROM rejections").fetchone() == (0,)
    assert connection.execute("SELECT count(*) FROM wordings").fetchone() == (0,)
    with pytest.raises(errors.NotFound):
        forgetting.choose(connection, topic="secret scanning")
    connection.close()
    assert b"secret scanning" not in words_left(path)[1]


def test_forget_says_when_a_reader_still_holds_the_old_pages(path):
    reader = open_for_reading(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM gems").fetchone()
    connection = open_for_writing(path, busy=0.1)
    with pytest.raises(errors.LedgerBusy, match="another process is reading"):
        forgetting.forget(connection, forgetting.choose(connection, gem_id=2))
    reader.close()
    connection.close()


def test_forget_asks_before_it_deletes(gemsearch):
    gemsearch("record", "topic", "--url", PAGES[0])
    assert gemsearch("forget", "1", stdin="n\n").code == 130
    assert len(gemsearch("gems", "--json").json) == 1
    ran = gemsearch("forget", "1", "--yes")
    assert "gem #1 topic" in ran.out
    assert gemsearch("gems", "--json").json == []
