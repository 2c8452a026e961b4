"""P6, two versions of gemsearch on one ledger: the older reads, refuses to write, and says so."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gemsearch import errors, novelty
from gemsearch.core.model import Result
from gemsearch.ledger import migrations
from gemsearch.ledger.connection import open_for_writing, write_transaction
from gemsearch.providers.base import Page
from tests.conftest import Loop
from tests.faults import next_version
from tests.faults.scenarios import hook

COVERED, NEW = "diet of the otter", "puffin colonies"
NAMED = f"the ledger has version {next_version.VERSION}, this gemsearch writes {migrations.VERSION}"
READS = {
    ("--version",): 0,
    ("--help",): 0,
    ("check", COVERED): 2,
    ("check", NEW): 0,
    ("explain", COVERED): 0,
    ("explain", "--rejection", "1"): 0,
    ("gems",): 0,
    ("rejections",): 0,
    ("show", "1"): 0,
    ("stats",): 0,
    ("path",): 0,
    ("config", "list"): 0,
    ("export", "export.jsonl"): 0,
    ("backup", "copy.db"): 0,
}
WRITES = [
    ("search", NEW),
    ("record", NEW, "--url", "https://example.org/p"),
    ("import", "--judge", "lines.jsonl"),
    ("mark", "1", "--wrong"),
    ("forget", "1", "--yes"),
    ("config", "set", "gate.profile", "strict"),
    ("doctor", "--fix"),
    ("mine", "--into-ledger", "--source", "jsonl", "--path", "lines.jsonl"),
]


@pytest.fixture
def newer(place, driver):
    """A ledger that the next version has migrated and written in."""
    place.finds(NEW, "https://example.org/puffin")
    (place.home / "lines.jsonl").write_text(
        '{"topic": "gannet dives", "results": [{"url": "https://example.org/g"}]}\n'
    )
    made = driver(
        place.request(
            *("record", "storm petrels", "--url", "https://example.org/petrel"),
            entry="tests.faults.next_version:main",
        )
    )
    assert made.code == 0, made
    return place


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.mark.parametrize(("arguments", "code"), READS.items(), ids=str)
def test_atuinsh_atuin_3524_3319_1708_every_command_that_reads_works_on_a_newer_ledger(
    arguments, code, newer, driver
):
    """The older program could not even say its version."""
    before = digest(newer.ledger)
    ended = driver(newer.request(*arguments))
    assert ended.code == code, ended
    assert "Traceback" not in ended.err
    assert digest(newer.ledger) == before


@pytest.mark.parametrize("arguments", WRITES, ids=lambda arguments: arguments[0])
def test_every_command_that_writes_refuses_a_newer_ledger_and_names_the_versions(
    arguments, newer, driver
):
    before = digest(newer.ledger)
    ended = driver(newer.request(*arguments))
    assert (ended.code, ended.out) == (5, ""), ended
    assert NAMED in ended.err
    assert "Update gemsearch" in ended.err
    assert digest(newer.ledger) == before


def test_a_refusal_by_an_older_version_stands_and_is_not_stored(newer, driver):
    ended = driver(newer.request("search", COVERED))
    assert ended.code == 2
    assert f"the refusal was not stored: {NAMED}" in ended.err


def test_a_column_that_the_older_version_does_not_know_is_not_published(newer, driver):
    ended = driver(newer.request("publish", "edition/public.db", "--yes"))
    assert (ended.code, ended.out) == (5, ""), ended
    assert "language" in ended.err
    assert not (newer.home / "edition").exists()


def test_doctor_says_that_the_ledger_is_newer(newer, driver):
    ended = driver(newer.request("doctor"))
    assert "newer" in ended.out


def test_an_older_hook_refuses_what_is_covered_and_lets_the_rest_pass(newer, driver):
    denied = driver(hook(newer, "PreToolUse", COVERED))
    assert json.loads(denied.out)["hookSpecificOutput"]["permissionDecision"] == "deny"
    before = digest(newer.ledger)
    for name, urls in (("PreToolUse", ()), ("PostToolUse", ["https://example.org/p"])):
        passed = driver(hook(newer, name, NEW, *urls))
        assert (passed.code, passed.out) == (0, "")
    assert "LedgerNewer" in Path(f"{newer.ledger}.hook.log").read_text()
    assert digest(newer.ledger) == before


def test_a_ledger_with_rules_that_this_version_does_not_know_is_no_answer(newer, driver):
    with closing(sqlite3.connect(newer.ledger)) as connection:
        connection.execute("UPDATE settings SET value = 'semantic' WHERE name = 'gate.profile'")
        connection.commit()
    for command in ("check", "search", "explain"):
        ended = driver(newer.request(command, NEW))
        assert (ended.code, ended.out) == (5, ""), ended
        assert "semantic" in ended.err
        assert "Traceback" not in ended.err
    passed = driver(hook(newer, "PreToolUse", NEW))
    assert (passed.code, passed.out) == (0, "")


# While it is open


def migrate(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", next_version.MIGRATIONS)
        patch.setattr(migrations, "VERSION", next_version.VERSION)
        open_for_writing(path).close()


def test_a_ledger_that_is_migrated_while_it_is_open_is_written_no_more(place, monkeypatch):
    with closing(open_for_writing(place.ledger)) as older:
        migrate(place.ledger, monkeypatch)
        with pytest.raises(errors.LedgerNewer, match=NAMED), write_transaction(older):
            older.execute("DELETE FROM gems")
        assert older.in_transaction is False
        assert older.execute("SELECT count(*) FROM gems").fetchone()[0] > 0


def test_a_migration_that_comes_after_a_newer_one_does_not_take_it_back(place, monkeypatch):
    with closing(open_for_writing(place.ledger)) as older:
        migrate(place.ledger, monkeypatch)
        migrations.migrate(older)
        assert older.execute("PRAGMA user_version").fetchone()[0] == next_version.VERSION


def test_a_search_under_way_while_the_ledger_is_migrated_writes_nothing_of_the_old_kind(
    place, monkeypatch
):
    loop = Loop(place.ledger)

    class Migrating:
        name = "migrating"

        def search(self, *_):
            migrate(place.ledger, monkeypatch)
            return Page((Result("https://example.org/p"),))

    with pytest.raises(errors.LedgerNewer):
        novelty.search(loop.connection, loop.proposal(NEW), Migrating, loop.clock)
    assert loop.rows("SELECT state FROM searches WHERE topic = ?", NEW) == [("open",)]
    assert loop.rows("SELECT id FROM gems WHERE topic = ?", NEW) == []
    loop.connection.close()
