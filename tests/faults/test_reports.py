"""What happened to others' databases, told in public, must not happen to a ledger.

Each test is named for the report. Reports on load and on damage have theirs beside the suites that
reach them: tests/load, test_first_open, test_versions, test_places, test_damage.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gemsearch import asking, errors
from gemsearch.cli import run
from gemsearch.ledger import migrations
from gemsearch.ledger.connection import open_for_reading, open_for_writing, write_transaction
from tests.faults import next_version
from tests.faults.driver import UNLOCKABLE, find_vfs
from tests.faults.scenarios import hook, hook_event
from tests.faults.sound import complaints, content
from tests.faults.test_places import COMMANDS

NEW = "puffin colonies"
TABLES = ("gems", "results", "rejections")


@pytest.fixture
def ready(place):
    place.finds(NEW, "https://example.org/puffin")
    (place.home / "lines.jsonl").write_text("")
    return place


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_ajeetdsouza_zoxide_98_68_73_an_empty_file_is_named_and_left_as_it_is(
    arguments, ready, driver
):
    """After a crash the database had no byte, and the error no path."""
    Path(ready.ledger).write_bytes(b"")
    ended = driver(ready.request(*arguments))
    assert ended.code == 5, ended
    assert f"empty: it was cut off or never was one: {ready.ledger}" in ended.out + ended.err
    assert "Restore a backup" in ended.out + ended.err
    assert os.path.getsize(ready.ledger) == 0
    assert not os.path.exists(f"{ready.ledger}-wal")


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_atuinsh_atuin_2929_a_file_that_is_no_database_is_named_and_left_as_it_is(
    arguments, ready, driver
):
    Path(ready.ledger).write_text("#!/bin/sh\necho precious\n" * 400)
    before = Path(ready.ledger).read_bytes()
    ended = driver(ready.request(*arguments))
    assert ended.code == 5, ended
    assert f"not a database: {ready.ledger}" in ended.out + ended.err
    assert "--db" in ended.out + ended.err
    assert Path(ready.ledger).read_bytes() == before


@pytest.mark.skipif(find_vfs() is None or sys.platform == "darwin", reason="SQLite out of reach")
def test_atuinsh_atuin_2125_975_without_locks_a_hook_answers_in_time_and_says_why(ready, driver):
    """A home on a network: "locked" for ever, then "malformed"."""
    before = content(ready.ledger)
    ended = driver(hook(ready, "PreToolUse", NEW)._replace(at=1, how=UNLOCKABLE))
    assert (ended.code, ended.out) == (0, "")
    assert "LedgerBusy" in Path(f"{ready.ledger}.hook.log").read_text()
    assert content(ready.ledger) == before
    assert complaints(ready.ledger) == []


def test_thedotmack_claude_mem_2821_and_openai_codex_31184_every_connection_waits(
    ready, monkeypatch
):
    """Without a wait, two dozen memories a day were dropped; an option for it was not passed on."""
    waits = []
    connect = sqlite3.connect

    def watched(name, *arguments, **options):
        connection = connect(name, *arguments, **options)
        if ready.ledger in str(name):
            waits.append(connection.execute("PRAGMA busy_timeout").fetchone()[0])
        return connection

    monkeypatch.setattr(sqlite3, "connect", watched)
    monkeypatch.chdir(ready.home)
    for name, value in ready.env.items():
        monkeypatch.setenv(name, value)
    for arguments in [*COMMANDS, ["rejections"], ["show", "1"], ["config", "list"]]:
        waits.clear()
        run(arguments)
        assert set(waits) == {5000}, (arguments, waits)


def test_thedotmack_claude_mem_2821_a_hook_waits_too_and_for_no_longer_than_an_agent_does(ready):
    with closing(open_for_writing(ready.ledger)) as holder, write_transaction(holder):
        done = subprocess.run(
            [sys.executable, "-m", "gemsearch.agents.hook", "claude-code"],
            input=hook_event("PreToolUse", NEW),
            capture_output=True, text=True, env=ready.env, timeout=20, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "LedgerBusy" in Path(f"{ready.ledger}.hook.log").read_text()


def test_simonw_sqlite_utils_149_full_text_has_a_row_for_each_row_whatever_was_changed(ready):
    """Replaced rows left thousands behind in the full-text tables."""
    for arguments in (
        ["search", NEW],
        ["search", "--force", "otter diet"],
        ["mark", "1", "--wrong"],
        ["mark", "1", "--right"],
        ["forget", "2", "--yes"],
        ["config", "set", "gate.profile", "published"],
        ["config", "set", "gate.profile", "guarded"],
    ):
        ready.finds("otter diet", "https://example.org/otter/new")
        assert ready(*arguments).code == 0, arguments
        with closing(open_for_reading(ready.ledger)) as ledger:
            for table in TABLES:
                rows, indexed = (
                    {row[0] for row in ledger.execute(f"SELECT id FROM {name}")}
                    for name in (table, f"{table}_fts_docsize")
                )
                assert rows == indexed, (arguments, table)
    assert complaints(ready.ledger) == []


def test_simonw_sqlite_utils_498_triggers_are_there_after_a_migration_and_full_text_follows(
    ready, driver
):
    made = driver(
        ready.request(
            *("record", "storm petrels", "--url", "https://example.org/petrel"),
            entry="tests.faults.next_version:main",
        )
    )
    assert made.code == 0, made
    with closing(sqlite3.connect(ready.ledger)) as ledger:
        assert ledger.execute("PRAGMA user_version").fetchone()[0] == next_version.VERSION
        sql = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')"
        assert dict(ledger.execute(sql)) == migrations.triggers_and_views()
        sql = "SELECT count(*) FROM gems_fts WHERE gems_fts MATCH 'petrels'"
        assert ledger.execute(sql).fetchone() == (1,)


def test_simonw_sqlite_utils_815_no_write_leaves_a_transaction_open_not_even_one_that_fails(loop):
    """Deletes were rolled back when the connection was closed."""
    loop.search("gitleaks hook")
    assert not loop.connection.in_transaction
    loop.search("hook gitleaks")
    assert not loop.connection.in_transaction
    loop.record("chezmoi", "https://example.org/c")
    assert not loop.connection.in_transaction
    loop.provider.pages["fails"] = errors.SearchFailed("timeout", "too slow")
    with pytest.raises(errors.SearchFailed):
        loop.search("fails")
    assert not loop.connection.in_transaction
    with pytest.raises(errors.WrongCall):
        loop.record("no results", 7)
    assert not loop.connection.in_transaction
    loop.search("gitleaks hook", on_match=asking.FORCE)
    assert not loop.connection.in_transaction
    with closing(open_for_reading(loop.path)) as other:
        assert other.execute("SELECT count(*) FROM gems").fetchone() == (3,)


def test_ajeetdsouza_zoxide_1219_what_was_accepted_is_there_for_everybody_at_once(ready):
    """A query and an add at the same time lost data, and both said that all was well."""
    recorders = [
        ready.start("record", "--json", f"gannet{n} dives{n}", "--url", f"https://example.org/{n}")
        for n in range(6)
    ]
    checks = [ready.start("check", f"gannet{n} dives{n}") for n in range(6)]
    told = {json.loads(each.communicate(timeout=60)[0])["gem_id"] for each in recorders}
    assert {each.wait(60) for each in checks} <= {0, 2}
    for check in checks:
        check.communicate()
    assert told <= {row[0] for row in content(ready.ledger)["gems"]}
    assert len(told) == 6
    assert all(ready("check", f"dives{n} gannet{n}").code == 2 for n in range(6))
