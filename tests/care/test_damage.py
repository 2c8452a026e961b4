"""Damaged files: found, mended where the rows are sound, salvaged where some are not."""

from __future__ import annotations

import os
import random
from contextlib import closing

import pytest

from gemsearch import errors
from gemsearch.care import health, repair, salvage
from gemsearch.ledger.connection import open_for_reading
from tests.care.conftest import (
    about,
    beside,
    content,
    digest,
    flip,
    flip_in,
    pages_of,
    write_at,
    zero_leaf,
)
from tests.conftest import START, Loop

# What is derived, and so can be made anew: indexes, full text, word counts, candidate indexes.
DERIVED = (
    *("gems_signature", "results_url", "sqlite_autoindex_results_1", "sqlite_autoindex_urls_1"),
    *("gems_fts_data", "results_fts_data", "results_fts_docsize", "words"),
    *("index_bags", "index_words", "index_places"),
)


def test_a_flipped_bit_in_the_index_of_signatures_is_found_and_mended_by_reindexing(path):
    before = content(path)
    flip_in(path, "gems_signature", b"nightjar zanzibar")
    assert about(path) == {("error", "index")}
    kept, *mended = repair.mend(path, START)
    assert mended == ["indexes"]
    assert os.path.exists(kept.removeprefix("kept the ledger as it was in "))
    assert about(path) == set()
    assert content(path) == before
    loop = Loop(path)
    assert loop.check("nightjar zanzibar").match.gem_id == 2
    loop.connection.close()


@pytest.mark.parametrize("name", DERIVED)
def test_a_page_that_was_zeroed_in_what_is_derived_is_found_and_mended(large, name):
    before = content(large)
    zero_leaf(large, name)
    assert health.examine(large, START) != []
    repair.mend(large, START)
    assert health.examine(large, START) == []
    assert content(large) == before


def test_a_flipped_bit_in_what_is_derived_is_found_and_mended_or_changes_nothing(large, tmp_path):
    with open(large, "rb") as file:
        sound = file.read()
    before, choice, found = content(large), random.Random(7), 0
    for _ in range(16):
        write_at(large, 0, sound)
        pages, size = pages_of(large, choice.choice(DERIVED))
        offset = (choice.choice(pages) - 1) * size + choice.randrange(size)
        flip(large, offset, choice.randrange(8))
        findings = health.examine(large, START)
        if findings:
            found += 1
            repair.mend(large, START)
            assert health.examine(large, START) == [], offset
        assert content(large) == before, offset
    assert found >= 5


def test_a_flipped_bit_in_a_text_is_found_where_something_was_derived_from_it(path):
    flip_in(path, "gems", b"zanzibar nightjar")
    assert about(path) == {
        ("warning", "signatures"),
        ("warning", "full-text"),
        ("warning", "words"),
    }


TABLES = ("gems", "results", "urls", "searches")


@pytest.mark.parametrize("table", TABLES)
def test_where_rows_are_lost_nothing_is_changed_and_the_others_can_be_salvaged(
    large, tmp_path, table
):
    before = content(large)
    zero_leaf(large, table)
    findings = health.examine(large, START)
    assert {f.severity for f in findings} >= {"error"}
    commands = {f.command for f in findings}
    assert {"gemsearch backup --restore FILE", "gemsearch doctor --salvage NEW.db"} <= commands

    damaged = digest(large)
    with pytest.raises(errors.LedgerDamaged, match=table):
        repair.mend(large, START)
    assert digest(large) == damaged
    assert [name for name in beside(large) if name.endswith(".new")] == []

    saved = str(tmp_path / "saved" / "new.db")
    with closing(open_for_reading(large)) as ledger:
        found = {each.table: each for each in salvage.salvage(ledger, saved)}
    assert digest(large) == damaged
    assert [f for f in health.examine(saved, START) if f.about != "leases"] == []
    assert {each.table for each in found.values() if each.lost} == {table}
    after = content(saved)
    lost = set(before[table]) - set(after[table])
    assert 0 < len(lost) < len(before[table]) / 2
    for other in {"gems", "urls", "searches"} - {table}:
        assert len(after[other]) == len(before[other])


def test_a_salvaged_ledger_judges_and_never_gives_a_number_twice(large, tmp_path):
    zero_leaf(large, "gems")
    saved = str(tmp_path / "new.db")
    with closing(open_for_reading(large)) as ledger:
        salvage.salvage(ledger, saved)
    loop = Loop(saved)
    assert loop.check("quokka1 akkouq7").match.gem_id == 2
    assert loop.record("something new", "https://new.example/").gem_id == 151
    loop.connection.close()


def test_salvaging_never_writes_to_a_file_that_is_there(path, tmp_path):
    there = tmp_path / "new.db"
    there.write_text("precious")
    with closing(open_for_reading(path)) as ledger, pytest.raises(errors.WrongCall):
        salvage.salvage(ledger, str(there))
    assert there.read_text() == "precious"


def test_a_header_that_is_gone_is_damage_and_the_file_stays(path):
    write_at(path, 0, bytes(100))
    before = digest(path)
    assert about(path) == {("error", "ledger")}
    with pytest.raises(errors.NotALedger):
        repair.mend(path, START)
    assert digest(path) == before


def test_damage_is_mended_through_the_command(gemsearch):
    for topic in ("zanzibar nightjar", "gitleaks hook"):
        gemsearch("record", topic, "--url", f"https://example.org/{topic[0]}")
    flip_in(gemsearch.ledger, "gems_signature", b"nightjar zanzibar")
    assert gemsearch("doctor").code == 5
    ran = gemsearch("doctor", "--fix")
    assert (ran.code, "mended   ledger: indexes" in ran.out) == (0, True)
    zero_leaf(gemsearch.ledger, "gems")
    ran = gemsearch("doctor", "--fix")
    assert (ran.code, "mended" in ran.out, "--salvage NEW.db" in ran.out) == (5, False, True)
    new = f"{gemsearch.ledger}.saved"
    ran = gemsearch("doctor", "--salvage", new)
    assert (ran.code, "some were lost" in ran.out) == (0, True)
    assert gemsearch("doctor", "--db", new).code == 0
