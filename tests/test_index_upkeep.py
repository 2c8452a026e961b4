"""Indexes are sealed, merged, dropped and made anew without a decision ever changing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing

import pytest

from bench import corpus, gates
from gemsearch.core import query_gate
from gemsearch.core.model import Caller
from gemsearch.core.profiles import PROFILES
from gemsearch.core.signature import sign
from gemsearch.ledger.candidates import has_indexes
from gemsearch.ledger.connection import open_for_writing, read_snapshot, write_transaction
from gemsearch.ledger.index import building, segments, upkeep
from gemsearch.ledger.index.candidates import IndexedCandidates
from gemsearch.ledger.writing import add_gem

PUBLISHED = PROFILES["published"]
GEMS = 300


@pytest.fixture
def small_steps(monkeypatch):
    """Limits so low that a few hundred gems reach them all."""
    monkeypatch.setattr(upkeep, "PLAIN_SCAN_LIMIT", 100)
    monkeypatch.setattr(upkeep, "SEALED_AT", 16)
    monkeypatch.setattr(upkeep, "_TIERS", (64, 128))
    monkeypatch.setattr(upkeep, "_AFTER_WRITING", 64)


@pytest.fixture
def ledger(tmp_path, small_steps):
    path = str(tmp_path / "ledger.db")
    corpus.write_ledger(path, GEMS, profile="published")
    with closing(open_for_writing(path)) as connection:
        yield connection


def test_a_small_ledger_has_no_index_tables(tmp_path):
    with closing(open_for_writing(str(tmp_path / "ledger.db"))) as connection:
        add(connection, "wal mode")
        upkeep.after_writing(connection)
        upkeep.bring_up_to_date(connection)
        assert not has_indexes(connection)


def test_writers_seal_and_merge_bit_by_bit(ledger):
    for _ in range(12):
        upkeep.after_writing(ledger)
    sealed = segments.ready(ledger)
    assert sealed[0].first == 1
    assert GEMS - sealed[-1].last < upkeep.SEALED_AT
    for number in range(70):
        add(ledger, f"topic{number} number{number}")
        upkeep.after_writing(ledger)
    assert min(s.gems for s in segments.ready(ledger)) >= 16
    assert finds_every_gem(ledger)
    assert upkeep.verify(ledger) == []


def test_bring_up_to_date_leaves_nothing_to_seal(ledger):
    done = []
    upkeep.bring_up_to_date(ledger, done.append)
    assert sum(done) >= GEMS - upkeep.SEALED_AT
    assert finds_every_gem(ledger)
    assert upkeep.verify(ledger) == []


def test_a_gem_sealed_between_snapshot_and_lock_is_still_found(ledger):
    upkeep.bring_up_to_date(ledger)
    with read_snapshot(ledger):
        before = IndexedCandidates(ledger, gates.NOW)
        assert query_gate.judge(sign("zebra crossings", "published"), before, PUBLISHED) is None
    add(ledger, "zebra crossings")
    last = ledger.execute("SELECT max(id) FROM gems").fetchone()[0]
    building.build(ledger, last, last)
    after = IndexedCandidates(ledger, gates.NOW)
    found = query_gate.judge(sign("crossings zebra", "published"), after, PUBLISHED)
    assert found.gem_id == last


def test_forgotten_gems_leave_no_trace_and_the_others_stay(ledger):
    add(ledger, "unmistakable secretword")
    gem = ledger.execute("SELECT max(id) FROM gems").fetchone()[0]
    building.build(*(prepared(ledger), 1, gem))
    with write_transaction(ledger):
        ledger.execute("DELETE FROM gems WHERE id = ?", (gem,))
        upkeep.forget(ledger, [gem])
    assert not ledger.execute("SELECT 1 FROM index_words WHERE word = 'secretword'").fetchone()
    assert finds_every_gem(ledger)
    upkeep.bring_up_to_date(ledger)
    assert not ledger.execute("SELECT 1 FROM index_words WHERE word = 'secretword'").fetchone()
    assert upkeep.verify(ledger) == []


def test_whoever_builds_gives_up_when_a_gem_is_forgotten_meanwhile(ledger, monkeypatch):
    prepared(ledger)
    original = building.made_from_gems

    def interrupted(connection, number, first, last):
        made = original(connection, number, first, last)
        connection.execute("COMMIT")
        with write_transaction(connection):
            upkeep.forget(connection, [5])
        connection.execute("BEGIN")
        return made

    monkeypatch.setattr(building, "made_from_gems", interrupted)
    with pytest.raises(building.Abandoned):
        building.build(ledger, 1, 50)
    for table in segments.TABLES:
        assert ledger.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0


def test_discarded_indexes_are_made_anew(ledger):
    upkeep.bring_up_to_date(ledger)
    with write_transaction(ledger):
        upkeep.discard(ledger)
    assert segments.ready(ledger) == []
    assert finds_every_gem(ledger)
    upkeep.bring_up_to_date(ledger)
    assert segments.ready(ledger)
    assert upkeep.verify(ledger) == []


def test_verify_tells_what_differs(ledger):
    upkeep.bring_up_to_date(ledger)
    ledger.execute("UPDATE index_bags SET bits = zeroblob(length(bits)) WHERE id IN"
                   " (SELECT min(id) FROM index_bags)")  # fmt: skip
    ledger.execute("INSERT INTO index_words VALUES (999, 'stray', x'', x'')")
    complaints = upkeep.verify(ledger)
    assert any("index_bags" in each for each in complaints)
    assert any("no segment" in each for each in complaints)


def test_a_source_is_found_on_both_sides_of_popularity(tmp_path, small_steps):
    path = str(tmp_path / "ledger.db")
    corpus.write_ledger(path, 600, profile="published")
    with closing(open_for_writing(path)) as connection:
        for last in (100, 350, 600):
            upkeep.discard(connection)
            prepared(connection)
            building.build(connection, 1, last)
            popular = connection.execute("SELECT count(*) FROM index_sources").fetchone()[0]
            _, wrong = gates.compared_sources(connection, PUBLISHED, 600)
            assert wrong == 0
        assert popular > 0


KILLED = """
import os, signal, sys
from gemsearch.ledger.connection import open_for_writing
from gemsearch.ledger.index import building
point = sys.argv[2]
original = getattr(building, point)
def die(*arguments):
    if point == "_put_in_place":
        original(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(building, point, die)
building.build(open_for_writing(sys.argv[1]), 1, 200)
"""


@pytest.mark.parametrize("point", ["made_from_gems", "_refuse_if_unwanted", "_put_in_place"])
def test_a_process_killed_during_a_merge_changes_no_answer(ledger, point):
    prepared(ledger)
    building.build(ledger, 1, 100)
    building.build(ledger, 101, 200)
    path = ledger.execute("PRAGMA database_list").fetchone()[2]
    child = subprocess.run(
        [sys.executable, "-c", KILLED, path, point],
        check=False,
        env=os.environ | {"PYTHONPATH": os.getcwd()},
    )
    assert child.returncode == -signal.SIGKILL
    assert [segment.last for segment in segments.ready(ledger)] == [100, 200]
    assert finds_every_gem(ledger)
    ledger.execute("UPDATE index_segments SET started = 0 WHERE state = 'building'")
    upkeep.bring_up_to_date(ledger)
    assert upkeep.verify(ledger) == []
    assert finds_every_gem(ledger)


def prepared(connection):
    upkeep.prepare(connection)
    return connection


def add(connection, text):
    with write_transaction(connection):
        add_gem(connection, sign(text, "published"), (), (), Caller(), gates.utc_now())


def finds_every_gem(connection):
    found = IndexedCandidates(connection, gates.NOW)
    for gem in gates.Everything(connection).gems[::7]:
        edited = sign(f"{gem.topic}s", "published")
        ids = {stored.gem_id for stored in found.for_signal("sequence", edited, PUBLISHED)}
        nested = sign(f"{gem.topic} neverseen", "published")
        within = {stored.gem_id for stored in found.for_signal("subset", nested, PUBLISHED)}
        assert gem.gem_id in ids, gem
        assert gem.gem_id in within, gem
    return True
