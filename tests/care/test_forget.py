"""forget: no word is left in tables, full-text vocabulary, indexes, free pages or the log."""

from __future__ import annotations

import os
from contextlib import closing

import pytest

from gemsearch import asking, errors
from gemsearch.agents import log
from gemsearch.care import forgetting, health, repair
from gemsearch.ledger import reading
from gemsearch.ledger.connection import open_for_reading, open_for_writing
from gemsearch.ledger.index import segments, upkeep
from tests.care.conftest import PAGES, about, change, content, fill
from tests.conftest import START, Loop


def forget(path, **what):
    with closing(open_for_writing(path)) as connection:
        forgetting.forget(connection, forgetting.choose(connection, **what))


def vocabulary(path):
    """Every word of the full-text indexes."""
    found = set()
    with closing(open_for_writing(path)) as connection:
        for table in ("gems", "results", "rejections"):
            connection.execute(
                f"CREATE VIRTUAL TABLE temp.words_{table} USING fts5vocab(main, {table}_fts, row)"
            )
            found |= {word for (word,) in connection.execute(f"SELECT term FROM words_{table}")}
    return found


def everything(path):
    """The bytes of every file of the folder."""
    folder = os.path.dirname(path)
    found = b""
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found += file.read()
    return found


def assert_no_trace(path, *words):
    for word in words:
        assert word not in vocabulary(path)
        assert word.encode() not in everything(path).lower()


def test_a_forgotten_gem_leaves_no_trace_in_tables_indexes_or_bytes(path):
    assert "nightjar" in vocabulary(path)
    assert b"nightjar" in everything(path)
    forget(path, gem_id=2)
    assert_no_trace(path, "nightjar", "zanzibar")
    assert content(path)["urls"][0][4] == 1
    assert about(path) == set()


@pytest.mark.parametrize("chosen", [{"gem_id": 77}, {"topic": "wombat77 tabmow539"}])
def test_nor_in_the_candidate_indexes_of_a_large_ledger(small_steps, tmp_path, chosen):
    path = str(tmp_path / "gems.db")
    with closing(open_for_writing(path)) as connection:
        fill(connection, 76)
        fill(connection, 1, first=77, word="wombat")
        fill(connection, 60, first=78)
        upkeep.bring_up_to_date(connection)
        assert segments.ready(connection)
    assert b"tabmow539" in everything(path)
    with open_for_reading(path) as kept_open:
        forget(path, **chosen)
        assert_no_trace(path, "wombat77", "tabmow539", "wombat")
        assert segments.ready(kept_open)
    kept_open.close()
    assert about(path) == set()


def test_an_open_log_holds_nothing_either(path):
    user = open_for_writing(path)
    user.execute("UPDATE gems SET reason = 'nightjar again' WHERE id = 2")
    assert b"nightjar again" in everything(path)
    forget(path, gem_id=2)
    assert b"nightjar" not in everything(path)
    user.close()


@pytest.fixture
def told(path):
    """The word in every place that it can get to."""
    loop = Loop(path)
    loop.provider.pages["zanzibar NIGHTJAR"] = errors.SearchFailed("timeout", "slow")
    with pytest.raises(errors.SearchFailed):
        loop.search("zanzibar NIGHTJAR", on_match=asking.FORCE)  # an attempt
    loop.search("nightjar zanzibar")  # a refusal of the same words
    loop.search("zanzibar nightjar habitat")  # one of other words, which quotes it as evidence
    loop.finds("birds of the coast", "https://example.net/nightjar", PAGES[0])
    loop.search("birds of the coast")  # by sources: learned as a wording
    loop.search("zanzibar nightjar", on_match=asking.FORCE, reason="nightjar again", session="2")
    loop.connection.execute(
        "INSERT INTO searches (topic, signature, state, answer, created, origin)"
        " VALUES ('Zanzibar Nightjar', 'nightjar zanzibar', 'answered',"
        ' \'[["https://nightjar.example/", "nightjar", "", ""]]\', ?, \'hook\')',
        (loop.clock().strftime("%Y-%m-%dT%H:%M:%S.000Z"),),
    )
    loop.connection.close()
    log.write(path, "claude-code", "before", errors.BadTopic("too long: zanzibar nightjar"))
    return path


def test_a_topic_is_forgotten_with_its_attempts_answers_refusals_wordings_and_evidence(told):
    with closing(open_for_reading(told)) as ledger:
        chosen = forgetting.choose(ledger, topic="Nightjar, Zanzibar")
    assert [gem.topic for gem in chosen.gems] == ["zanzibar nightjar"] * 2
    assert {refused.topic for refused in chosen.rejections} == {
        "nightjar zanzibar",
        "zanzibar nightjar",
    }
    forget(told, topic="Nightjar, Zanzibar")
    # What it refused in other words stays, by its own words only.
    kept = {row[1]: row for row in content(told)["rejections"]}
    assert set(kept) >= {"secret scanning", "zanzibar nightjar habitat"}
    forget(told, topic="zanzibar nightjar habitat")
    assert_no_trace(told, "zanzibar")
    assert "nightjar" not in "".join(str(row) for row in content(told)["searches"])
    assert about(told) <= {("note", "leases")}


def test_forgetting_a_gem_keeps_the_refusals_it_caused_without_its_words(path):
    forget(path, gem_id=1)
    [refused] = content(path)["rejections"]
    assert (refused[1], refused[7], refused[8]) == ("secret scanning", "{}", None)
    assert_no_trace(path, "gitleaks")


def test_a_gem_whose_words_another_gem_has_goes_alone(path):
    loop = Loop(path)
    second = loop.search("nightjar zanzibar", on_match=asking.FORCE).gem_id
    loop.connection.close()
    forget(path, gem_id=2)
    assert [row[0] for row in content(path)["gems"]] == [1, second]
    assert len([row for row in content(path)["searches"] if row[13] == second]) == 1


def test_the_address_of_a_forgotten_gem_does_not_stay_with_a_source_that_others_share(tmp_path):
    path = str(tmp_path / "gems.db")
    loop = Loop(path)
    loop.record("zanzibar", "https://example.org/page?utm_source=nightjar", "https://example.com/")
    loop.record("gitleaks", "https://example.org/page?utm_source=other", "https://example.net/")
    loop.record("kea", "https://example.org/kea?utm_source=nightjar", "https://kea.example/")
    loop.record("kakapo", "https://example.org/kea#nightjar", "https://kea.example/")
    assert loop.value("SELECT signal FROM rejections") == "sources"
    loop.connection.close()
    forget(path, gem_id=1)
    forget(path, gem_id=3)
    assert b"nightjar" not in everything(path)
    addresses = {row[1]: row[2] for row in content(path)["urls"]}
    assert addresses["example.org/page"] == "https://example.org/page?utm_source=other"
    assert addresses["example.org/kea"] == "https://example.org/kea"
    loop = Loop(path)
    [found] = [r.url for r in reading.results(loop.connection, 2) if "page" in r.url]
    loop.connection.close()
    assert found == "https://example.org/page?utm_source=other"
    assert about(path) == set()


def test_a_refusal_or_all_of_a_topic_can_be_forgotten(path):
    forget(path, rejection_id=1)
    found = content(path)
    assert (found["rejections"], found["wordings"]) == ([], [])
    assert_no_trace(path, "scanning")
    with closing(open_for_reading(path)) as ledger, pytest.raises(errors.NotFound):
        forgetting.choose(ledger, topic="secret scanning")


def test_an_attempt_that_came_to_nothing_can_be_forgotten_too(path):
    loop = Loop(path)
    loop.provider.pages["kea kakapo"] = errors.SearchFailed("timeout", "slow")
    with pytest.raises(errors.SearchFailed):
        loop.search("kea kakapo")
    loop.connection.close()
    forget(path, topic="kakapo kea")
    assert_no_trace(path, "kakapo")


def test_forget_says_when_a_reader_still_holds_the_old_pages_and_doctor_finishes_it(path):
    reader = open_for_reading(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM gems").fetchone()
    with closing(open_for_writing(path, busy=0.1)) as connection:
        chosen = forgetting.choose(connection, gem_id=2)
        with pytest.raises(errors.LedgerBusy, match="another process is using") as caught:
            forgetting.forget(connection, chosen)
    assert "gemsearch doctor --fix" in caught.value.hint
    assert ("warning", "forgotten") in about(path)
    assert b"nightjar" in everything(path)
    reader.close()
    assert repair.mend(path, START) == ["old pages that held what was forgotten"]
    assert health.examine(path, START) == []
    assert_no_trace(path, "nightjar")


def test_what_a_killed_forget_left_undone_is_found_and_finished(path):
    change(path, f"INSERT INTO settings VALUES ('{forgetting.UNFINISHED}', '1')")
    assert about(path) == {("warning", "forgotten")}
    repair.mend(path, START)
    assert about(path) == set()


def test_forget_asks_before_it_deletes_and_says_where_words_may_still_be(gemsearch, tmp_path):
    gemsearch("record", "zanzibar nightjar", "--url", PAGES[0])
    results = '[{"url": "https://a.example/", "title": "Zanzibar, the nightjar"}]'
    (tmp_path / "results.json").write_text(results)
    gemsearch("record", "birds", "--results", str(tmp_path / "results.json"))
    gemsearch("backup", f"{gemsearch.ledger}.backup")
    assert gemsearch("forget", "1", stdin="n\n").code == 130
    assert len(gemsearch("gems", "--json").json) == 2
    ran = gemsearch("forget", "1", "--yes")
    assert "gem #1 zanzibar nightjar" in ran.out
    assert "gems.db.backup" in ran.err
    assert "1 results" in ran.err
    assert [gem["topic"] for gem in gemsearch("gems", "--json").json] == ["birds"]
