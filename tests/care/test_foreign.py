"""A stranger's database is read safely or refused; the ledger stays as it was, to the byte."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
from contextlib import closing

import pytest

from gemsearch import errors
from gemsearch.care import foreign, merging, shape, transfer
from gemsearch.ledger.connection import open_for_reading, open_for_writing
from tests.care.conftest import beside, content, digest, flip_in, write_at, zero_leaf
from tests.conftest import START, Loop

SCHEMA = {
    "a view in the place of a table": (
        "ALTER TABLE gems RENAME TO other",
        "CREATE VIEW gems AS SELECT * FROM other",
    ),
    "a virtual table in the place of one": (
        "DROP TABLE history_files",
        "CREATE VIRTUAL TABLE history_files USING fts5(path, position, fingerprint, read_at)",
    ),
    "a computed column": (
        "DROP TABLE history_files",
        "CREATE TABLE history_files (position, fingerprint, read_at, path AS (hex(position)))",
    ),
    "one computed column more": ("ALTER TABLE gems ADD COLUMN more AS (hex(topic))",),
    "a column that is missing": ("ALTER TABLE history_files DROP COLUMN read_at",),
    "a table that is missing": ("DROP TABLE history_files",),
    "another version": ("PRAGMA user_version = 99",),
    "another program's number": ("PRAGMA application_id = 7",),
    "no name of its own": ("DELETE FROM settings WHERE name = 'ledger.uuid'",),
    "a name that is none": ("UPDATE settings SET value = '../../x' WHERE name = 'ledger.uuid'",),
}
ROWS = {
    "bytes for a topic": "UPDATE gems SET topic = x'ff00' WHERE id = 1",
    "bytes for a title": "UPDATE results SET title = x'00' WHERE id = 1",
    "text for a number": "UPDATE rejections SET shared = 'three'",
    "text that is no UTF-8": "UPDATE gems SET agent = CAST(x'fffe41' AS TEXT) WHERE id = 1",
    "a time that is none": "UPDATE gems SET created = 'zzz' WHERE id = 1",
    "a topic of a million letters": "UPDATE gems SET topic = hex(zeroblob(500000)) WHERE id = 1",
    "a text beyond all limits": "UPDATE results SET snippet = hex(zeroblob(2500000)) WHERE id = 1",
    "an empty topic": "UPDATE gems SET topic = '' WHERE id = 1",
    "a hundred and one results": (
        "INSERT INTO results (gem_id, rank, url, title, snippet)"
        " WITH n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 110)"
        " SELECT 1, i, 'https://a.example/' || i, '', '' FROM n"
    ),
    "a time of another kind in evidence": "UPDATE wordings SET expires = x'00'",
}


@pytest.fixture
def other(path, tmp_path):
    """A stranger's ledger in a folder of its own."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    return shutil.copy(path, folder / "other.db") and str(folder / "other.db")


def spoil(other, *statements):
    with closing(sqlite3.connect(other, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            connection.execute(statement)


def take(path, other):
    with closing(open_for_writing(path)) as ledger, foreign.opened(other) as found:
        return merging.merge(ledger, found, START)


def restore(path, other):
    with closing(open_for_writing(path)) as ledger, foreign.opened(other) as found:
        return transfer.restore_lines(ledger, foreign.lines(found))


def refused(path, other, kind=errors.LedgerError):
    before = digest(path), digest(other) if os.path.isfile(other) else None
    with pytest.raises(kind) as caught:
        take(path, other)
    assert str(other) in caught.value.message
    assert digest(path) == before[0]
    if before[1] is not None:
        assert digest(other) == before[1]
    return caught.value


@pytest.mark.parametrize("statements", SCHEMA.values(), ids=SCHEMA)
def test_a_database_of_another_shape_is_refused(path, other, statements):
    spoil(other, *statements)
    refused(path, other)


@pytest.mark.parametrize("statement", ROWS.values(), ids=ROWS)
def test_a_row_that_no_ledger_holds_is_refused(path, other, statement):
    spoil(other, statement)
    refused(path, other)
    empty = f"{path}.empty"
    open_for_writing(empty).close()
    before = content(empty)
    with pytest.raises(errors.GemsearchError):
        restore(empty, other)
    assert content(empty) == before


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket", "link", "device", "missing"])
def test_what_is_no_plain_file_is_refused_at_once(path, tmp_path, kind):
    name = str(tmp_path / "thing")
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "folder":
        os.mkdir(name)
    elif kind == "socket":
        with closing(socket.socket(socket.AF_UNIX)) as listening:
            listening.bind(name)
    elif kind == "link":
        os.symlink(path, name)
    elif kind == "device":
        name = "/dev/zero"
    error = refused(path, name)
    assert (error.message.startswith("a symbolic link"), kind) in {(True, "link"), (False, kind)}


@pytest.mark.parametrize("kind", ["empty", "text", "truncated", "zeroed", "flipped", "no log"])
def test_a_broken_file_is_refused(path, other, kind):
    if kind == "empty":
        os.truncate(other, 0)
    elif kind == "text":
        write_at(other, 0, b"a text that is no database at all")
    elif kind == "truncated":
        os.truncate(other, 20_000)
    elif kind == "zeroed":
        zero_leaf(other, "results")
    elif kind == "flipped":
        flip_in(other, "gems_signature", b"nightjar zanzibar")
    else:
        write_at(other, 0, bytes(16))
    if kind == "flipped":  # only an index: what is read is sound
        assert take(path, other)["gem", "already here"] == 2
    else:
        refused(path, other)


def test_a_file_over_the_limit_is_refused_before_it_is_read(path, other, monkeypatch):
    monkeypatch.setattr(foreign, "LARGEST", 100_000)
    assert "more than" in refused(path, other).message


def test_a_file_made_to_be_slow_is_given_up(path, other, monkeypatch):
    monkeypatch.setattr(foreign, "_STEPS_AT_LEAST", 100_000)
    monkeypatch.setattr(foreign, "_STEPS_AT_ONCE", 1_000)
    rows = "WITH n(i) AS (SELECT 5 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
    spoil(
        other,
        "DROP TABLE results",
        "CREATE TABLE results (id, gem_id, url_id, rank, url, title, snippet, published)",
        f"INSERT INTO results {rows} SELECT i, i, NULL, 1, '', '', '', '' FROM n",
        f"INSERT INTO gems {rows} SELECT i, 'a' || i, 'a' || i, '', '', '', '', 'search',"
        " '2026-01-01T00:00:00.000Z', '2026-01-01', 1, NULL, 'open' FROM n",
    )
    assert "far longer" in refused(path, other).message


def test_nothing_of_the_file_is_run_and_odd_texts_come_in_clean(path, other, tmp_path):
    spoil(
        other,
        "CREATE TRIGGER evil AFTER INSERT ON gems BEGIN DELETE FROM gems; END",
        "CREATE VIEW evil_view AS SELECT load_extension('evil')",
        "CREATE TABLE lure (a CHECK (load_extension('evil')))",
        "UPDATE gems SET id = 7, created = '2026-05-11T08:00:00.000Z',"
        " topic = 'kea' || char(0) || ' ' || char(27) || '[31m kakapo', agent = char(8238) || 'a'"
        " WHERE id = 2",
        "UPDATE results SET gem_id = 7, url_id = NULL, url = 'https://kea.example/' || rank,"
        " title = char(27) || ']0;evil' WHERE gem_id = 2",
    )
    assert take(path, other)["gem", "novel"] == 1
    with closing(open_for_reading(path)) as ledger:
        row = ledger.execute("SELECT topic, agent FROM gems WHERE id = 3").fetchone()
        title = ledger.execute("SELECT title FROM results WHERE gem_id = 3").fetchone()
    assert row == ("kea kakapo", "a")
    assert "\x1b" not in title[0]


def test_only_named_columns_of_named_tables_can_be_read(other):
    spoil(other, "CREATE TABLE private (a)", "ALTER TABLE gems ADD COLUMN more")
    with foreign.opened(other) as found:
        for sql in (
            "SELECT * FROM private",
            "SELECT more FROM gems",
            "SELECT sql FROM sqlite_master",
            "SELECT id FROM gems_fts",
            "SELECT hex(topic) FROM gems",
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
            "ATTACH ':memory:' AS more",
            "PRAGMA query_only = OFF",
            "DELETE FROM gems",
        ):
            with pytest.raises(sqlite3.DatabaseError):
                found.connection.execute(sql).fetchone()
        assert found.connection.execute("SELECT count(*) FROM gems").fetchone() == (2,)


def test_every_table_that_is_read_is_one_of_ours():
    assert set(foreign.TABLES) <= set(shape.tables())


def test_reading_a_ledger_in_use_sees_its_log_and_leaves_nothing_beside_it(path, other):
    stranger = Loop(other)
    stranger.clock.advance(minutes=5)
    stranger.record("only in the log so far", "https://log.example/")
    before = digest(other), beside(other)
    assert take(path, other)["gem", "novel"] == 1
    assert (digest(other), beside(other)) == before
    stranger.connection.close()
    assert beside(other) == ["other.db"]
    take(path, other)
    assert beside(other) == ["other.db"]


def test_the_log_of_a_stranger_must_be_a_plain_file_too(path, other):
    os.symlink("/etc/passwd", f"{other}-wal")
    refused(path, other)


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(gemsearch, tmp_path, monkeypatch):
    from gemsearch.cli import importing, run

    monkeypatch.setattr(importing, "_SECONDS_FOR_A_PIPE", 0.05)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    assert run(["import", "pipe", "--db", "gems.db"]) == 1
    assert run(["import", ".", "--db", "gems.db"]) == 1
    assert not os.path.exists("gems.db")


def test_a_stranger_is_refused_by_the_commands_with_what_to_do(gemsearch, other, tmp_path):
    os.symlink(other, tmp_path / "link.db")
    before = digest(gemsearch.ledger)
    for command in ("merge", "import"):
        ran = gemsearch(command, str(tmp_path / "link.db"))
        assert (ran.code, "symbolic link" in ran.err, ran.out) == (5, True, "")
    assert digest(gemsearch.ledger) == before
