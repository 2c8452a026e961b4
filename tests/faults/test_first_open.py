"""The first open, by many at once, and after some were killed at it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from gemsearch.care import health
from gemsearch.care.backup import back_up
from gemsearch.ledger.connection import open_for_reading, open_for_writing
from gemsearch.ledger.drafts import draft_of, maker_of
from gemsearch.ledger.fulltext import quoted
from tests.faults import next_version
from tests.faults.conftest import ROOT, TOPICS
from tests.faults.sound import complaints, content
from tests.faults.stress import STRESS, has_long_form

RACERS = Path(__file__).with_name("racers.py")
PROCESSES = 32
ROUNDS = {"short": 1, "middle": 5, "long": 50}[STRESS]


def race(path, *options):
    done = subprocess.run(
        [sys.executable, str(RACERS), path, str(PROCESSES), *options],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def topics(path):
    return sorted(row[1] for row in content(path)["gems"])


RACED = sorted(f"racer{number} number{number}" for number in range(PROCESSES))


@has_long_form
def test_atuin_2082_llm_789_810_hermes_agent_106311_32_processes_make_one_ledger_and_record_in_it(
    tmp_path,
):
    """Databases opened by many at first: locked, "table already exists", full text that lacks."""
    for number in range(ROUNDS):
        path = str(tmp_path / f"{number}.db")
        race(path)
        assert topics(path) == RACED
        assert complaints(path) == []
        with closing(open_for_reading(path)) as ledger:
            for topic in RACED:
                sql = "SELECT topic FROM gems_fts WHERE gems_fts MATCH ?"
                assert ledger.execute(sql, (quoted(topic),)).fetchall() == [(topic,)]
    assert [name for name in os.listdir(tmp_path) if ".new" in name] == []


@has_long_form
def test_32_processes_that_open_a_restored_backup_at_once_all_record_in_it(base, tmp_path):
    """It is in no write-ahead mode: the first to open it switches, for which SQLite won't wait."""
    for number in range(ROUNDS):
        path = str(tmp_path / f"{number}.db")
        back_up(str(base), path, lambda _: None)
        race(path)
        assert set(topics(path)) == {*RACED, *TOPICS, "burrows of the otter"}
        assert complaints(path) == []


@has_long_form
def test_32_processes_that_find_a_ledger_of_an_older_version_migrate_it_once(places):
    for number in range(ROUNDS):
        place = places(f"{number}")
        race(place.ledger, "next version")
        assert set(topics(place.ledger)) >= set(RACED)
        with closing(sqlite3.connect(place.ledger)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone()[0] == next_version.VERSION
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_what_killed_processes_left_is_in_nobodys_way_and_is_told(tmp_path, monkeypatch):
    """Numbers of processes recur, in containers at once."""
    path, copy = str(tmp_path / "gems.db"), str(tmp_path / "copy.db")
    dead = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, text=True, check=True)
    monkeypatch.setattr(os, "urandom", lambda size: b"\1" * size)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: int(dead.stdout))
        left = [draft_of(name) for name in (path, copy)]
    for name in left:
        for end in ("", "-wal", "-shm", "-journal"):
            Path(f"{name}{end}").write_bytes(b"half a ledger")
    monkeypatch.undo()
    monkeypatch.setattr(os, "getpid", lambda: int(dead.stdout))
    open_for_writing(path).close()
    assert back_up(path, copy, lambda _: None) == 0
    assert complaints(path) == []
    found = [
        finding for finding in health.examine(path, datetime.now(UTC)) if left[0] in finding.message
    ]
    assert [finding.about for finding in found] == ["left over"]
    for ours in (copy, path):
        assert maker_of(f"{ours}.backup", ours) is None
