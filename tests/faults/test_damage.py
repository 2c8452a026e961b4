"""T16, damaged pages: the gates answer as on the undamaged ledger, or say that they can't.

A page that is zeroed, or full of ones, is what a broken disk or a careless copy leaves. A single
flipped bit within a page is beyond SQLite, which keeps no checksums: docs/recovery.md says so.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from bench import corpus
from gemsearch import asking, errors, novelty
from gemsearch.core.model import Caller
from gemsearch.ledger.connection import open_for_reading, open_for_writing, translating
from gemsearch.ledger.index import segments, upkeep
from gemsearch.ledger.times import iso
from tests.conftest import Loop
from tests.faults.scenarios import hook
from tests.faults.stress import SEED, STRESS, has_long_form

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DAMAGES = {"zeroed": b"\0", "full of ones": b"\xff"}
PAGES_TRIED = {"short": 15, "middle": 400, "long": 1 << 30}[STRESS]


class Subject(NamedTuple):
    """A ledger, topics of every kind to ask it about, and what it answers undamaged."""

    path: str
    page_size: int
    topics: list[str]
    found: dict[str, list[str]]  # topics, and what a search for each brings
    answers: dict[str, object]


def answer(ledger, topic):
    verdict = asking.check(ledger, asking.Proposal(topic), NOW)
    match = verdict.match
    return verdict.status, match and (match.gem_id, match.signal, match.topic)


def judgement(ledger, topic, urls):
    """What the loop decides of a result list; nothing is kept of it."""
    proposal = asking.Proposal(topic, Caller("record"))
    ledger.execute("SAVEPOINT before")
    try:
        verdict = novelty.recorded(
            ledger, novelty.Snapshot(ledger, NOW), proposal, novelty.found_in(urls, None), NOW
        )
    finally:
        if ledger.in_transaction:
            ledger.execute("ROLLBACK TO before")
            ledger.execute("RELEASE before")
    match = verdict.match
    return verdict.status, match and (match.gem_id, match.signal, match.topic)


def subject(path, topics, found):
    with closing(open_for_reading(path)) as ledger:
        answers = {topic: answer(ledger, topic) for topic in topics}
        size = ledger.execute("PRAGMA page_size").fetchone()[0]
    with closing(open_for_writing(path)) as ledger:
        answers |= {topic: judgement(ledger, topic, urls) for topic, urls in found.items()}
    assert {"novel", "duplicate"} == {status for status, _ in answers.values()}
    return Subject(path, size, topics, found, answers)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A ledger without indexes, in which every signal fires."""
    path = str(tmp_path_factory.mktemp("small") / "gems.db")
    loop = Loop(path)
    made = corpus.Corpus(60)
    for number in range(60):
        topic = made.row(number).topic
        loop.finds(topic, *(f"https://example.org/{n}/{number}" for n in range(8)))
        loop.search(topic)
    loop.finds("gitleaks pre-commit hook", *(f"https://gitleaks.io/{n}" for n in range(4)))
    loop.finds("secret scanning", *loop.provider.pages["gitleaks pre-commit hook"])
    loop.search("gitleaks pre-commit hook")
    assert loop.search("secret scanning").match.signal == "sources"
    gems = [topic for (topic,) in loop.rows("SELECT topic FROM gems")]
    loop.connection.close()
    topics = [
        "pre-commit hook gitleaks",
        "gitleaks pre-commit hooks",
        "scanning secret",
        "zanzibar nightjar",
        *gems[::30],
        *(f"{topic} explained" for topic in gems[5::40]),
    ]
    found = {
        "finding credentials": loop.provider.pages["gitleaks pre-commit hook"],
        "zanzibar nightjars": ["https://example.net/nightjar", "https://example.net/2"],
        "something else": [f"https://example.org/{n}/33" for n in range(8)],
    }
    return subject(path, topics, found)


@pytest.fixture(scope="module", params=["guarded", "published"])
def indexed(request, tmp_path_factory):
    """A ledger large enough for an index whose rows are longer than a page."""
    gems = {"short": 800, "middle": 6_000, "long": 40_000}[STRESS]
    path = str(tmp_path_factory.mktemp(request.param) / "gems.db")
    corpus.write_ledger(path, gems, profile=request.param)
    with closing(open_for_writing(path)) as ledger, pytest.MonkeyPatch.context() as patch:
        patch.setattr(upkeep, "PLAIN_SCAN_LIMIT", 100)
        patch.setattr(upkeep, "SEALED_AT", 100)
        upkeep.bring_up_to_date(ledger)
        assert segments.ready(ledger)
        stored = [topic for (topic,) in ledger.execute("SELECT topic FROM gems")]
        urls = [url for (url,) in ledger.execute("SELECT url FROM urls ORDER BY gem_count DESC")]
        alike = ledger.execute(
            "SELECT urls.url FROM results JOIN urls ON urls.id = url_id WHERE gem_id = 700"
        ).fetchall()
    topics = [*stored[:: gems // 5], *(f"{topic}s" for topic in stored[7 :: gems // 4])]
    topics += [f"{topic} neverseen" for topic in stored[3 :: gems // 4]] + ["zanzibar nightjar"]
    found = {"finding credentials": [url for (url,) in alike], "zanzibar nightjars": urls[:10]}
    return subject(path, topics, found)


def pages_tried(path, page_size):
    """Pages of the file, page 1 apart: all of them, or as many as are tried."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    every = range(2, os.path.getsize(path) // page_size + 1)
    chosen = random.Random(SEED).sample(every, min(PAGES_TRIED, len(every)))
    return sorted(chosen)


def assert_never_wrong(subject, copy, page, damage):
    """Every question has its undamaged answer, or an error."""
    shutil.copyfile(subject.path, copy)
    with open(copy, "r+b") as file:
        file.seek((page - 1) * subject.page_size)
        file.write(damage * subject.page_size)
    wrong = []
    for opens, questions in (
        (open_for_reading, [(topic, answer, ()) for topic in subject.topics]),
        (open_for_writing, [(t, judgement, (urls,)) for t, urls in subject.found.items()]),
    ):
        try:
            with closing(opens(copy)) as ledger:
                for topic, asks, given in questions:
                    try:
                        with translating(copy):
                            told = asks(ledger, topic, *given)
                    except errors.LedgerError:
                        continue
                    if told != subject.answers[topic]:
                        wrong.append((topic, told, subject.answers[topic]))
        except errors.LedgerError:
            continue
    return wrong


@has_long_form
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_page_never_makes_a_covered_topic_novel(small, damage, tmp_path):
    copy = str(tmp_path / "damaged.db")
    for page in pages_tried(small.path, small.page_size):
        assert assert_never_wrong(small, copy, page, damage) == [], (page, SEED)


@has_long_form
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_page_of_a_large_ledger_never_makes_a_covered_topic_novel(
    indexed, damage, tmp_path
):
    copy = str(tmp_path / "damaged.db")
    for page in pages_tried(indexed.path, indexed.page_size):
        assert assert_never_wrong(indexed, copy, page, damage) == [], (page, SEED)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_the_tail_of_an_index_row_that_is_damaged_is_told_from_a_sound_one(
    damage, tmp_path, monkeypatch
):
    """What spills over from a row's page stands on bare pages that SQLite can't judge."""
    path = str(tmp_path / "gems.db")
    monkeypatch.setattr(upkeep, "PLAIN_SCAN_LIMIT", 100)
    monkeypatch.setattr(upkeep, "SEALED_AT", 100)
    corpus.write_ledger(path, 300, profile="published")
    with closing(open_for_writing(path)) as ledger:
        topics = [f"{topic}s" for (topic,) in ledger.execute("SELECT topic FROM gems LIMIT 9")]
        topics += [f"{topic} neverseen" for topic in topics]
        before = {topic: answer(ledger, topic) for topic in topics}
        upkeep.bring_up_to_date(ledger)
        assert segments.ready(ledger)
        for table, column in LAST_COLUMNS.items():
            ledger.execute(
                f"UPDATE {table} SET {column} = CAST(substr({column}, 1, length({column}) - 6)"
                " || CAST(? AS BLOB) AS BLOB)",
                (damage * 6,),
            )
            assert {topic: answer(ledger, topic) for topic in topics} == before
            assert upkeep.verify(ledger)


LAST_COLUMNS = {
    "index_places": "gems",
    "index_bags": "bits",
    "index_words": "others",
    "index_sources": "bits",
}


# Whole commands


def damaged(place, table, damage=b"\0"):
    """Spoil the first page of a table or an index."""
    with closing(sqlite3.connect(place.ledger)) as connection:
        page, size = connection.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size)"
            " FROM sqlite_master WHERE name = ?",
            (table,),
        ).fetchone()
    with open(place.ledger, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(damage * size)
    return Path(place.ledger).read_bytes()


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("table", ["gems", "gems_signature", "settings", "exceptions_signature"])
def test_thedotmack_claude_mem_3179_a_gate_that_can_not_read_gives_no_answer_and_touches_nothing(
    table, damage, place, driver
):
    """Corruption was served, silently."""
    left = damaged(place, table, damage)
    for command in ("check", "search", "explain"):
        ended = driver(place.request(command, "diet of the otter"))
        assert (ended.code, ended.out) == (5, ""), ended
        assert "the ledger is damaged" in ended.err
        assert place.ledger in ended.err
        if command != "explain":
            assert ended.err.endswith("Not covered: the same topic may be searched again.\n")
    ended = driver(hook(place, "PreToolUse", "diet of the otter"))
    assert (ended.code, ended.out) == (0, ""), "the agent is not held up"
    assert "LedgerDamaged" in Path(f"{place.ledger}.hook.log").read_text()
    closed = hook(place, "PreToolUse", "diet of the otter")
    ended = driver(closed._replace(arguments=[*closed.arguments, "--fail-closed"]))
    assert "could not check this search" in ended.out
    assert driver(place.request("doctor")).code == 5
    assert Path(place.ledger).read_bytes() == left


@pytest.mark.parametrize(
    "table",
    [
        "results",
        "urls",
        "results_url",
        "words",
        "gems_fts_data",
        "gems_fts_docsize",
    ],
)
def test_what_can_not_be_written_for_damage_is_not_announced(table, place, driver):
    damaged(place, table)
    place.finds("puffin colonies", "https://example.org/puffin", "https://example.org/puffin/2")
    for arguments in (
        ["search", "puffin colonies"],
        ["record", "puffin colonies", "--url", "https://example.org/p"],
    ):
        ended = driver(place.request(*arguments))
        assert (ended.code, ended.out) == (5, ""), ended
        assert "the ledger is damaged" in ended.err
        assert "Traceback" not in ended.err


def test_a_kept_answer_that_is_damaged_is_searched_for_again(place, driver):
    place.finds("puffin colonies", "https://example.org/puffin")
    undisturbed = driver(place.request("check", "puffin colonies"))
    assert undisturbed.code == 0
    with closing(open_for_writing(place.ledger)) as ledger:
        ledger.execute(
            "INSERT INTO searches (topic, signature, state, answer, lease_until, created, origin)"
            " VALUES ('puffin colonies', 'colonies puffin', 'answered', ?, ?, ?, 'search')",
            ('[["https://example.org/x", "a ti\0\0\0', now_is(-10), now_is(-60)),
        )
    ended = driver(place.request("search", "puffin colonies"))
    assert ended.code == 0, ended
    assert "https://example.org/puffin" in ended.out


def now_is(seconds):
    return iso(datetime.now(UTC) + timedelta(seconds=seconds))


@pytest.mark.parametrize("evidence", ["", "{", '"text"', "[1]", '{"sources": 7}', "\0\0"])
def test_evidence_that_is_damaged_is_said_to_be(evidence, place, driver):
    with closing(open_for_writing(place.ledger)) as ledger:
        ledger.execute("UPDATE rejections SET evidence = ?", (evidence,))
    for arguments in (["explain", "--rejection", "1"], ["rejections"], ["export", "-"]):
        ended = driver(place.request(*arguments))
        assert ended.code in {0, 5}, ended
        assert "Traceback" not in ended.err
