"""The ledger file: made whole, shared by many, never mistaken, never overwritten."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time

import pytest

from gemsearch import errors
from gemsearch import open as gemsearch_open
from gemsearch.ledger import migrations
from gemsearch.ledger.connection import (
    open_for_reading,
    open_for_writing,
    read_snapshot,
    write_transaction,
)
from tests.conftest import Loop

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def path(tmp_path):
    """A ledger with one gem."""
    name = str(tmp_path / "gems.db")
    loop = Loop(name)
    loop.search("gitleaks hook")
    loop.connection.close()
    return name


def topics(path):
    connection = open_for_reading(path)
    found = [topic for (topic,) in connection.execute("SELECT topic FROM gems")]
    connection.close()
    return found


# Making it


def test_a_new_ledger_is_private_and_stamped_and_leaves_nothing_else_behind(tmp_path):
    path = str(tmp_path / "deep" / "er" / "gems.db")
    connection = open_for_writing(path)
    assert connection.execute("PRAGMA application_id").fetchone()[0] == migrations.APPLICATION_ID
    assert connection.execute("PRAGMA user_version").fetchone()[0] == migrations.VERSION
    connection.close()
    assert os.listdir(os.path.dirname(path)) == ["gems.db"]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


def test_the_log_files_beside_an_open_ledger_are_private_too(path):
    connection = open_for_writing(path)
    with write_transaction(connection):
        connection.execute("UPDATE gems SET reason = 'x'")
    for end in ("-wal", "-shm"):
        assert stat.S_IMODE(os.stat(path + end).st_mode) == 0o600
    connection.close()


def test_every_connection_has_the_promised_pragmas(path):
    connection = open_for_writing(path)
    wanted = {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "busy_timeout": 5000}
    found = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted}
    connection.close()
    assert found == wanted
    reader = open_for_reading(path)
    assert reader.execute("PRAGMA trusted_schema").fetchone()[0] == 0
    assert reader.execute("PRAGMA query_only").fetchone()[0] == 1
    reader.close()


def test_a_ledger_set_to_full_is_written_that_safely_from_then_on(gemsearch):
    gemsearch("config", "set", "synchronous", "full")
    for value, kept in (("full", 2), ("normal", 1)):
        gemsearch("config", "set", "synchronous", value)
        connection = open_for_writing(gemsearch.ledger)
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == kept
        connection.close()


FIRST_OPEN = """
import sys
sys.path[:0] = {path!r}
from gemsearch.ledger.connection import open_for_writing, write_transaction
while not __import__("os").path.exists({start!r}):
    pass
connection = open_for_writing({ledger!r})
with write_transaction(connection):
    connection.execute("INSERT INTO settings VALUES (?, '')", ("raced " + sys.argv[1],))
"""


def test_16_processes_that_open_a_new_ledger_at_once_all_get_the_same_one(tmp_path):
    ledger, start = str(tmp_path / "gems.db"), str(tmp_path / "start")
    script = FIRST_OPEN.format(path=sys.path, start=start, ledger=ledger)
    racers = [
        subprocess.Popen([sys.executable, "-c", script, str(n)], stderr=subprocess.PIPE)
        for n in range(16)
    ]
    time.sleep(0.5)
    open(start, "w").close()
    said = [racer.communicate(timeout=60)[1].decode() for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * 16, said
    connection = open_for_reading(ledger)
    raced = connection.execute("SELECT count(*) FROM settings WHERE name LIKE 'raced %'")
    assert raced.fetchone()[0] == 16
    connection.close()
    assert [name for name in os.listdir(tmp_path) if name.endswith(".new")] == []


@pytest.mark.parametrize("name", ["a?b.db", "a#b.db", "a b.db", "a\nb.db", "100%25.db", ":memory:"])
def test_a_path_with_odd_characters_is_just_a_path(tmp_path, name):
    path = str(tmp_path / name)
    loop = Loop(path)
    loop.search("gitleaks hook")
    loop.connection.close()
    assert os.path.exists(path)
    assert topics(path) == ["gitleaks hook"]


# The schema


def test_triggers_and_views_are_compared_before_the_ledger_is_trusted(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER evil AFTER INSERT ON gems BEGIN DELETE FROM rejections; END")
    connection.commit()
    connection.close()
    with pytest.raises(errors.LedgerDamaged, match="triggers or views"):
        open_for_writing(path)
    assert topics(path) == ["gitleaks hook"]


def test_sqlite_utils_finds_the_full_text_tables_and_their_triggers(path):
    import sqlite_utils

    database = sqlite_utils.Database(path)
    for table in ("gems", "results", "rejections"):
        assert database[table].detect_fts() == f"{table}_fts"
        assert {f"{table}_{end}" for end in ("ai", "ad", "au")} <= {
            trigger.name for trigger in database[table].triggers
        }
    database.close()


def test_full_text_search_follows_inserts_updates_and_deletes(loop):
    loop.finds("chezmoi encryption", "https://example.org/a")
    loop.search("chezmoi encryption")

    def found(table, word):
        sql = f"SELECT count(*) FROM {table}_fts WHERE {table}_fts MATCH ?"
        return loop.value(sql, word)

    assert (found("gems", "encrypt"), found("results", "snippet")) == (1, 1)
    loop.connection.execute("UPDATE gems SET topic = 'yadm'")
    assert (found("gems", "chezmoi"), found("gems", "yadm")) == (0, 1)
    loop.connection.execute("DELETE FROM gems")
    assert (found("gems", "yadm"), found("results", "snippet")) == (0, 0)
    for table in ("gems", "results", "rejections"):
        loop.connection.execute(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('integrity-check')")


def test_every_table_and_column_is_described_in_the_schema(path):
    schema = migrations.schema()
    connection = open_for_reading(path)
    tables = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%_fts%'"
        " AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    assert len(tables) >= 13
    for name, sql in tables:
        before = schema[: schema.index(f"CREATE TABLE {name} (")].splitlines()
        assert before[-1].startswith("-- "), name
        for line in sql.splitlines()[1:-1]:
            keyed = line.strip().startswith(("UNIQUE", "PRIMARY", "id INTEGER PRIMARY KEY,"))
            assert "-- " in line or keyed, f"{name}: {line}"
    connection.close()


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(path, monkeypatch):
    def breaks(connection):
        connection.execute("DELETE FROM gems")
        raise RuntimeError

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, breaks))
    monkeypatch.setattr(migrations, "VERSION", migrations.VERSION + 1)
    with pytest.raises(RuntimeError):
        open_for_writing(path)
    assert topics(path) == ["gitleaks hook"]


def test_a_due_migration_runs_once_however_many_open_the_ledger(path, monkeypatch):
    ran = []
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, ran.append))
    monkeypatch.setattr(migrations, "VERSION", migrations.VERSION + 1)
    for _ in range(3):
        open_for_writing(path).close()
    assert len(ran) == 1


# What is not a ledger


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


@pytest.mark.parametrize(
    ("content", "error"),
    [(b"", errors.LedgerEmpty), (b"just a text file\n" * 100, errors.NotALedger)],
    ids=["empty", "text"],
)
@pytest.mark.parametrize("opens", [open_for_reading, open_for_writing])
def test_a_file_that_is_no_ledger_is_refused_and_left_as_it_is(tmp_path, content, error, opens):
    path = str(tmp_path / "gems.db")
    with open(path, "wb") as file:
        file.write(content)
    with pytest.raises(error) as caught:
        opens(path)
    assert path in str(caught.value)
    assert caught.value.hint
    assert bytes_of(path) == content


@pytest.mark.parametrize("opens", [open_for_reading, open_for_writing])
def test_a_database_of_another_application_is_refused_unchanged(tmp_path, opens):
    path = str(tmp_path / "other.db")
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE gems (id)")
    other.commit()
    other.close()
    before = bytes_of(path)
    with pytest.raises(errors.NotALedger, match="not a gemsearch ledger"):
        opens(path)
    assert bytes_of(path) == before


@pytest.mark.parametrize("make", ["fifo", "directory"])
def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path, make):
    path = str(tmp_path / "gems.db")
    os.mkfifo(path) if make == "fifo" else os.mkdir(path)
    for opens in (open_for_reading, open_for_writing):
        with pytest.raises(errors.NotALedger, match="not a regular file"):
            opens(path)


def test_a_truncated_ledger_is_damaged_and_never_an_answer(path, gemsearch):
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.truncate(size // 2)
    assert gemsearch.ledger == path
    for command in ("check", "search"):
        ran = gemsearch(command, "gitleaks hook")
        assert ran.code == 5
        assert "damaged" in ran.err
        assert gemsearch.ledger in ran.err
        assert ran.err.endswith("Not covered: the same topic may be searched again.\n")
    assert os.path.getsize(path) == size // 2


def test_a_zeroed_page_of_the_signature_index_is_an_error_never_novel(path):
    connection = sqlite3.connect(path)
    page = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'gems_signature'"
    ).fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    with open(path, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\0" * size)
    with gemsearch_open(path) as ledger, pytest.raises(errors.LedgerDamaged):
        ledger.check("gitleaks hook")


def test_a_newer_ledger_is_read_and_never_written(path, gemsearch):
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {migrations.VERSION + 1}")
    connection.close()
    assert topics(path) == ["gitleaks hook"]
    with pytest.raises(errors.LedgerNewer, match=f"version {migrations.VERSION + 1}"):
        open_for_writing(path)
    gemsearch.env["GEMSEARCH_DB"] = path
    assert gemsearch("check", "gitleaks hook").code == 2
    refused = gemsearch("search", "hook gitleaks")
    assert refused.code == 2, "a refusal needs no writing"
    assert "the refusal was not stored" in refused.err
    novel = gemsearch("search", "another topic")
    assert novel.code == 5
    assert "newer" in novel.err or "version" in novel.err


# Places that can't be written


def test_a_ledger_on_read_only_media_is_read(path, tmp_path):
    folder = tmp_path / "media"
    folder.mkdir()
    shutil.copy(path, folder / "gems.db")
    before = sorted(os.listdir(folder))
    if AS_ROOT:
        run = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable]
    else:
        run = [sys.executable]
    os.chmod(folder, 0o555)
    os.chmod(folder / "gems.db", 0o444)
    for parent in folder.parents:
        if AS_ROOT and parent.stat().st_uid == 0 and "pytest" in str(parent):
            os.chmod(parent, 0o755)
    script = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from gemsearch.ledger.connection import open_for_reading, open_for_writing\n"
        "from gemsearch import errors\n"
        f"found = open_for_reading({str(folder / 'gems.db')!r}).execute('SELECT topic FROM gems')\n"
        "print(found.fetchall())\n"
        "try:\n"
        f"    connection = open_for_writing({str(folder / 'gems.db')!r})\n"
        "    connection.execute('BEGIN IMMEDIATE')\n"
        "except errors.LedgerReadOnly as error: print(type(error).__name__)\n"
        "except Exception as error: print('other', error)\n"
    )
    done = subprocess.run([*run, "-c", script], capture_output=True, text=True, check=False)
    os.chmod(folder, 0o755)
    if done.stderr and not done.stdout:  # another user may not even start this Python
        pytest.skip(f"no way to give up the rights of root here: {done.stderr[:200]}")
    assert done.stdout == "[('gitleaks hook',)]\nLedgerReadOnly\n", done.stderr
    assert sorted(os.listdir(folder)) == before


def test_a_busy_ledger_says_so_after_a_bounded_wait(path):
    holder = open_for_writing(path)
    holder.execute("BEGIN IMMEDIATE")
    waiting = open_for_writing(path, busy=0.05)
    with pytest.raises(errors.LedgerBusy) as caught, write_transaction(waiting):
        pass
    assert (caught.value.exit_code, path in str(caught.value)) == (4, True)
    holder.execute("ROLLBACK")
    holder.close()
    waiting.close()


def test_a_full_disk_is_named_and_loses_nothing(path):
    connection = open_for_writing(path)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(errors.LedgerFull) as caught, write_transaction(connection):
        connection.execute("UPDATE gems SET reason = ?", ("x" * 1_000_000,))
    assert path in str(caught.value)
    assert connection.in_transaction is False
    connection.close()
    assert topics(path) == ["gitleaks hook"]


def test_a_reader_keeps_its_snapshot_while_others_write(path):
    reader, writer = open_for_reading(path), open_for_writing(path)
    with read_snapshot(reader):
        before = reader.execute("SELECT count(*) FROM gems").fetchone()
        with write_transaction(writer):
            writer.execute("DELETE FROM gems")
        assert reader.execute("SELECT count(*) FROM gems").fetchone() == before
    reader.close()
    writer.close()


def test_without_a_home_directory_a_person_must_name_the_ledger(gemsearch):
    gemsearch.env.pop("GEMSEARCH_DB")
    ran = gemsearch("check", "topic", HOME="")
    assert ran.code == 5
    assert "no home directory" in ran.err
    assert "GEMSEARCH_DB" in ran.err


def test_no_table_can_be_a_view(tmp_path):
    """None of the schema, so that a new one is not forgotten; two are reserved and never read."""
    path = str(tmp_path / "ledger.db")
    open_for_writing(path).close()
    made = sqlite3.connect(path)
    tables = made.execute(
        "SELECT name FROM pragma_table_list"
        " WHERE schema = 'main' AND type IN ('table', 'virtual')"
        " AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    names = {name for (name,) in tables} - {"collections", "embeddings"}
    made.close()
    assert len(names) == 15
    for name in names:
        copy = str(tmp_path / f"without {name}.db")
        shutil.copy(path, copy)
        changed = sqlite3.connect(copy)
        changed.execute(f"DROP TABLE {name}")
        changed.execute(f"CREATE VIEW {name} AS SELECT 1 AS value")
        changed.commit()
        changed.close()
        with pytest.raises(errors.NotALedger, match=f"{name} is no table"):
            open_for_reading(copy)
