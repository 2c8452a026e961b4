"""backup: a consistent, checked copy under load; and back into the ledger's place without harm."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from gemsearch import errors
from gemsearch.care import copying, health, replacing
from gemsearch.care.backup import back_up
from gemsearch.care.copying import unheard
from gemsearch.ledger.connection import open_for_reading, open_for_writing, write_transaction
from tests.care.conftest import beside, change, content, digest, flip_in, write_at, zero_leaf
from tests.conftest import START, Loop

STAMP = "20260511T090000"


def test_a_backup_is_whole_private_and_needs_no_other_file(path, tmp_path):
    target = str(tmp_path / "copy.db")
    writer = open_for_writing(path)
    with write_transaction(writer):
        writer.execute("UPDATE gems SET reason = 'fresh in the log' WHERE id = 1")
    assert back_up(path, target, unheard) == 2
    writer.close()
    assert os.stat(target).st_mode & 0o077 == 0
    with closing(sqlite3.connect(f"file:{target}?mode=ro&immutable=1", uri=True)) as copy:
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert copy.execute("SELECT reason FROM gems WHERE id = 1").fetchone() == (
            "fresh in the log",
        )
    assert [name for name in beside(path) if "copy" in name] == ["copy.db"]
    assert content(target) == content(path)


WRITER = """
import os, sys
from tests.conftest import Loop
folder, name = sys.argv[1:]
loop = Loop(os.path.join(folder, "gems.db"))
number = 0
print("ready", flush=True)
while not os.path.exists(os.path.join(folder, "stop")):
    number += 1
    loop.record(f"{name}{number} {name[::-1]}{number}", f"https://{name}.example/{number}")
loop.connection.close()
print(number, flush=True)
"""


def test_backup_and_doctor_end_while_others_record_and_nobody_loses_a_gem(large, monkeypatch):
    monkeypatch.setattr(copying, "PAGES", 4)  # others write between any two of many steps
    folder = os.path.dirname(large)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, folder, name],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("heron", "ibis", "jackdaw", "kestrel")
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    copies = [os.path.join(folder, f"copy{number}.db") for number in range(2)]
    counts = [back_up(large, copy, unheard) for copy in copies]
    findings = health.examine(large, START)
    with open(os.path.join(folder, "stop"), "w", encoding="utf-8"):
        pass
    recorded = sum(int(writer.communicate(timeout=60)[0]) for writer in writers)
    # A writer that had waited for over five seconds would have failed.
    assert [writer.returncode for writer in writers] == [0, 0, 0, 0]
    assert [f for f in findings if f.severity in {"error", "warning"}] == []
    everything = {gem[:2] for gem in content(large)["gems"]}
    assert len(everything) == 150 + recorded
    for copy, count in zip(copies, counts, strict=True):
        gems = {gem[:2] for gem in content(copy)["gems"]}
        assert len(gems) == count >= 150
        assert gems <= everything
        assert health.examine(copy, START) == []


def test_a_backup_never_replaces_a_file_unless_told_to(path, tmp_path):
    target = tmp_path / "copy.db"
    target.write_text("precious")
    with pytest.raises(errors.WrongCall, match="a file already"):
        back_up(path, str(target), unheard)
    assert target.read_text() == "precious"
    assert back_up(path, str(target), unheard, replace=True) == 2
    assert content(str(target)) == content(path)
    with pytest.raises(errors.WrongCall, match="can't be written"):
        back_up(path, "/nowhere/at/all.db", unheard)


@pytest.mark.parametrize("made", ["itself", "its log", "a link", "a hard link", "another name"])
def test_a_backup_never_goes_onto_the_ledger_itself(path, tmp_path, made, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.symlink("gems.db", "link.db")
    os.link("gems.db", "hard.db")
    os.mkdir("folder")
    before = digest(path)
    targets = {
        "itself": path,
        "its log": f"{path}-wal",
        "a link": "link.db",
        "a hard link": "hard.db",
        "another name": "folder/../gems.db",
    }
    with pytest.raises(errors.WrongCall, match="the ledger itself"):
        back_up(path, targets[made], unheard, replace=True)
    assert digest(path) == before


def test_a_backup_never_goes_onto_another_ledger_in_use_nor_onto_a_folder(path, tmp_path):
    other = str(tmp_path / "other.db")
    user = open_for_writing(other)
    with pytest.raises(errors.WrongCall, match="in use"):
        back_up(path, other, unheard, replace=True)
    user.close()
    with pytest.raises(errors.WrongCall, match="not a regular file"):
        back_up(path, str(tmp_path), unheard, replace=True)


def test_of_a_damaged_ledger_no_backup_is_kept(path, tmp_path):
    flip_in(path, "gems_signature", b"nightjar zanzibar")
    with pytest.raises(errors.LedgerDamaged, match="not sound"):
        back_up(path, str(tmp_path / "copy.db"), unheard)
    assert not [name for name in beside(path) if name.startswith("copy")]


# restore


@pytest.fixture
def copy(path, tmp_path):
    """A backup from before the ledger changed."""
    name = str(tmp_path / "copy.db")
    back_up(path, name, unheard)
    change(path, "UPDATE gems SET reason = 'later' WHERE id = 1")
    return name


def test_a_restored_backup_is_the_ledger_and_the_earlier_one_is_kept(path, copy):
    later, earlier = content(path), content(copy)
    restored = replacing.restore(path, copy, STAMP, unheard)
    assert restored == (2, f"{path}.{STAMP}.replaced")
    assert content(path) == earlier
    assert content(restored.kept) == later
    assert content(copy) == earlier
    assert health.examine(path, START) == []
    assert not [name for name in beside(path) if name.endswith(".new")]


def test_who_has_the_ledger_open_sees_the_restored_one_and_writes_to_it(path, copy):
    reader, writer = open_for_reading(path), Loop(path)
    writer.record("still in the log only", "https://log.example/")
    assert reader.execute("SELECT count(*) FROM gems").fetchone() == (3,)
    replacing.restore(path, copy, STAMP, unheard)
    assert reader.execute("SELECT count(*) FROM gems").fetchone() == (2,)
    writer.record("after it all", "https://after.example/")
    assert reader.execute("SELECT max(topic) FROM gems").fetchone() == ("zanzibar nightjar",)
    assert reader.execute("SELECT count(*) FROM gems").fetchone() == (3,)
    reader.close()
    writer.connection.close()
    assert health.examine(path, START) == []


def test_what_others_record_while_a_ledger_is_replaced_is_kept(path, copy):
    shutil.copy(copy, f"{copy}.draft")
    times = []

    def make(_):
        times.append(len(times))
        if len(times) == 1:
            loop = Loop(path)
            loop.record("in the last moment", "https://moment.example/")
            loop.connection.close()
        return f"{copy}.draft"

    kept = replacing.into_place(path, make, STAMP)
    assert times == [0, 1]
    assert "in the last moment" in [gem[1] for gem in content(kept)["gems"]]
    assert [name for name in beside(path) if "replaced" in name] == [os.path.basename(kept)]


def test_a_ledger_that_cannot_be_opened_is_moved_away_with_its_log(path, copy):
    user = open_for_writing(path)
    user.execute("UPDATE gems SET reason = 'in the log'")
    write_at(path, 0, b"rubbish" * 600)
    with open(path, "rb") as file:
        damaged = file.read()
    kept = replacing.restore(path, copy, STAMP, unheard).kept
    user.close()
    with open(kept, "rb") as file:
        assert file.read() == damaged
    assert os.path.exists(f"{kept}-wal")
    assert content(path) == content(copy)
    assert health.examine(path, START) == []


@pytest.mark.parametrize("state", ["damaged", "empty", "gone", "gone, its log not"])
def test_a_backup_is_restored_whatever_is_in_its_place(path, copy, state):
    if state == "damaged":
        zero_leaf(path, "gems")
    elif state == "empty":
        os.truncate(path, 0)
    else:
        os.unlink(path)
    if state == "gone, its log not":
        shutil.copy(copy, f"{path}-wal")
    restored = replacing.restore(path, copy, STAMP, unheard)
    assert bool(restored.kept) == (not state.startswith("gone"))
    assert content(path) == content(copy)
    assert health.examine(path, START) == []


def test_a_backup_is_restored_on_a_new_machine(copy, tmp_path):
    new = str(tmp_path / "share" / "gemsearch" / "gems.db")
    assert replacing.restore(new, copy, STAMP, unheard) == (2, "")
    assert content(new) == content(copy)
    assert health.examine(new, START) == []


def test_a_log_whose_ledger_is_gone_is_never_applied_to_a_new_one(path, tmp_path):
    writer = open_for_writing(path)
    writer.execute("UPDATE gems SET reason = 'in the log'")
    shutil.copy(f"{path}-wal", tmp_path / "new.db-wal")
    writer.close()
    with pytest.raises(errors.LedgerDamaged, match="a log of a ledger that is gone"):
        open_for_writing(str(tmp_path / "new.db"))
    os.truncate(tmp_path / "new.db-wal", 0)
    open_for_writing(str(tmp_path / "new.db")).close()


@pytest.mark.parametrize("fault", ["damaged", "text", "newer", "trigger", "missing", "itself"])
def test_what_is_no_sound_backup_takes_no_ledgers_place(path, copy, fault):
    if fault == "damaged":
        flip_in(copy, "gems_signature", b"nightjar zanzibar")
    elif fault == "text":
        write_at(copy, 0, b"not a database, not at all")
    elif fault == "missing":
        os.unlink(copy)
    elif fault != "itself":
        statement = {
            "newer": "PRAGMA user_version = 99",
            "trigger": "CREATE TRIGGER evil AFTER INSERT ON gems BEGIN SELECT 1; END",
        }[fault]
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute(statement)
    before = digest(path)
    with pytest.raises(errors.GemsearchError):
        replacing.restore(path, path if fault == "itself" else copy, STAMP, unheard)
    assert digest(path) == before


def test_a_newer_ledger_is_not_replaced_by_an_older_one(path, copy):
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(errors.LedgerNewer):
        replacing.restore(path, copy, STAMP, unheard)


def test_another_programs_database_is_never_replaced(path, copy, tmp_path):
    other = str(tmp_path / "other.db")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE precious (id)")
    with pytest.raises(errors.NotALedger):
        replacing.restore(other, copy, STAMP, unheard)


def test_a_restore_waits_for_a_writer_and_then_gives_up_with_everything_as_it_was(
    path, copy, monkeypatch
):
    monkeypatch.setattr(replacing, "BUSY_SECONDS", 0.05)
    writer = open_for_writing(path)
    writer.execute("BEGIN IMMEDIATE")
    before = content(path)
    with pytest.raises(errors.LedgerBusy):
        replacing.restore(path, copy, STAMP, unheard)
    writer.execute("ROLLBACK")
    writer.close()
    assert content(path) == before
    assert not [name for name in beside(path) if "replaced" in name or "new" in name]


def test_backup_and_restore_work_through_the_command(gemsearch, tmp_path):
    gemsearch("record", "zanzibar nightjar", "--url", "https://example.org/")
    copy = str(tmp_path / "copy.db")
    assert gemsearch("backup", copy).out == "1 gems copied and checked.\n"
    assert gemsearch("backup", copy).code == 1
    assert gemsearch("backup", copy, "--force").code == 0
    gemsearch("record", "gitleaks hook", "--url", "https://example.org/2")
    assert gemsearch("backup", "--restore", copy, stdin="n\n").code == 130
    assert len(gemsearch("gems", "--json").json) == 2
    ran = gemsearch("backup", "--restore", copy, "--yes")
    assert (ran.code, ran.out, ".replaced" in ran.err) == (0, "1 gems restored.\n", True)
    assert len(gemsearch("gems", "--json").json) == 1
