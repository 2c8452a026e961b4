"""With the indexes both gates decide as brute force does, over every profile."""

from __future__ import annotations

import struct
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bench import corpus, gates
from gemsearch.core import query_gate
from gemsearch.core.profiles import PROFILES
from gemsearch.core.signature import sign
from gemsearch.core.similarity import matches_needed
from gemsearch.ledger import candidates
from gemsearch.ledger.connection import open_for_reading, open_for_writing
from gemsearch.ledger.index import bitmaps, segments, upkeep
from gemsearch.ledger.index import words as index_words
from gemsearch.ledger.index.building import build
from gemsearch.ledger.index.candidates import IndexedCandidates

if TYPE_CHECKING:
    import sqlite3

GEMS = 400


@pytest.fixture(scope="module", params=["published", "exact"])
def ledger(request, tmp_path_factory):
    """Three segments, a hole between them, a tail; each tenth topic is made to break an index."""
    path = str(tmp_path_factory.mktemp("index") / "ledger.db")
    profile = "published" if request.param == "published" else "guarded"
    corpus.write_ledger(path, GEMS, profile=profile, hostile_share=5)
    with closing(open_for_writing(path)) as connection:
        gates.seal_unevenly(connection, GEMS)
    with closing(open_for_reading(path)) as connection:
        yield connection, [p for p in PROFILES.values() if p.form == request.param]


def test_every_decision_is_that_of_brute_force(ledger):
    connection, profiles = ledger
    brute, weights = gates.Everything(connection), gates.weights_in(connection)
    indexed = candidates.of_form(connection, gates.NOW, "", weights)
    assert isinstance(indexed, IndexedCandidates)
    for profile in profiles:
        fired = 0
        for topic in gates.topics_to_compare(brute.gems, profile, 32):
            expected = list(query_gate.matches(topic, brute, profile, (), weights))
            assert list(query_gate.matches(topic, indexed, profile, (), weights)) == expected
            fired += bool(expected)
        assert fired > 3


def test_every_source_decision_is_that_of_brute_force(ledger):
    connection, profiles = ledger
    for profile in profiles:
        _, wrong = gates.compared_sources(connection, profile, GEMS)
        assert wrong == 0


@pytest.mark.parametrize("count", [1, 10, 11, 30], ids="{} words".format)
def test_a_topic_of_many_words_finds_all_that_lie_within_it(ledger, count):
    connection, profiles = ledger
    known = [w for (w,) in connection.execute("SELECT DISTINCT word FROM index_words LIMIT 30")]
    topic = sign(" ".join([*known[:count], "neverseen"][: max(1, count)]), profiles[0].form)
    brute = gates.Everything(connection)
    indexed = candidates.of_form(connection, gates.NOW)
    weights = gates.weights_in(connection)
    expected = list(query_gate.matches(topic, brute, profiles[0], (), weights))
    assert list(query_gate.matches(topic, indexed, profiles[0], (), weights)) == expected


@pytest.mark.parametrize("threshold", [0.82, 0.86, 0.9])
def test_the_matches_needed_are_the_fewest_that_reach_the_threshold(threshold):
    for total in range(2, 3000):
        needed = matches_needed(total, threshold)
        assert 2.0 * needed / total >= threshold
        assert 2.0 * (needed - 1) / total < threshold
        if threshold == 0.82:
            assert needed == -(-41 * total // 100)


@pytest.mark.parametrize("rows", [1, 7, 8, 9], ids="{} of a length".format)
def test_classes_of_any_size_hold_their_gems_and_nothing_else(tmp_path, rows):
    with closing(made(tmp_path, [f"wal mode {chr(97 + n)}" for n in range(rows)])) as connection:
        build(connection, 1, rows)
        (segment,) = segments.ready(connection)
        assert segment.size == -(-rows // 8)
        found = IndexedCandidates(connection, gates.NOW)
        profile = PROFILES["published"]
        topic = sign("wal mode a", profile.form)
        assert len(list(found.for_signal("sequence", topic, profile))) == rows


def test_words_whose_bits_collide_refuse_nothing_wrongly(tmp_path, monkeypatch):
    monkeypatch.setattr(index_words, "_bit", lambda _: 0)
    with closing(made(tmp_path, ["wal mode", "wal checkpoint", "vacuum"])) as connection:
        build(connection, 1, 3)
        found = IndexedCandidates(connection, gates.NOW)
        profile = PROFILES["published"]
        match = query_gate.judge(sign("wal mode tuning", profile.form), found, profile)
        assert match.gem_id == 1
        assert query_gate.judge(sign("vacuum wal lock", profile.form), found, profile).gem_id == 3
        assert query_gate.judge(sign("checkpoint tuning", profile.form), found, profile) is None


@pytest.mark.parametrize(
    "classes",
    [
        b"",
        b"\x01",
        struct.pack("<II", 5, 0),
        struct.pack("<II", 5, 1 << 30),
        struct.pack("<IIII", 9, 1, 5, 1),
        "__import__('os').abort()",
        None,
    ],
)
def test_a_segment_that_does_not_add_up_is_scanned_plainly(tmp_path, classes):
    assert segments.parsed((1, 1, 2, 2, classes)) is None
    with closing(made(tmp_path, ["wal mode", "vacuum"])) as connection:
        build(connection, 1, 2)
        connection.execute("PRAGMA ignore_check_constraints = ON")
        if classes is not None:
            connection.execute("UPDATE index_segments SET classes = ?", (classes,))
        found = IndexedCandidates(connection, gates.NOW)
        profile = PROFILES["published"]
        assert query_gate.judge(sign("mode wal", profile.form), found, profile).gem_id == 1
        assert query_gate.judge(sign("wal mode x", profile.form), found, profile).gem_id == 1


@pytest.mark.parametrize("table", ["index_bags", "index_places", "index_words"])
def test_rows_of_the_wrong_size_are_scanned_past(tmp_path, table):
    column = {"index_bags": "bits", "index_places": "gems", "index_words": "led"}[table]
    with closing(made(tmp_path, ["wal mode", "vacuum"])) as connection:
        build(connection, 1, 2)
        connection.execute(f"UPDATE {table} SET {column} = x'ffffff'")
        found = IndexedCandidates(connection, gates.NOW)
        profile = PROFILES["published"]
        assert query_gate.judge(sign("wal mode x", profile.form), found, profile).gem_id == 1
        assert query_gate.judge(sign("wal modes", profile.form), found, profile).gem_id == 1
        assert upkeep.verify(connection)


def test_bits_that_are_set_are_found_again():
    numbers = [0, 7, 8, 2047, 2048, 5000]
    assert bitmaps.set_bits(bitmaps.from_bits(numbers, 700)) == numbers
    assert bitmaps.set_bits(bytes(700)) == []


def made(tmp_path, topics) -> sqlite3.Connection:
    connection = open_for_writing(str(tmp_path / "ledger.db"))
    connection.executemany(
        "INSERT INTO gems (topic, signature, origin, created, day, result_count)"
        " VALUES (?, ?, 'search', '2026-05-11T09:00:00.000Z', '2026-05-11', 0)",
        [(topic, " ".join(sorted(set(topic.split())))) for topic in topics],
    )
    upkeep.prepare(connection)
    return connection
