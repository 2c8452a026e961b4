"""Many topics in a row are decided exactly as if proposed one by one."""

from __future__ import annotations

import json
import random

import pytest

from gemsearch import asking, batch, errors, novelty
from gemsearch.core.model import Caller
from gemsearch.core.profiles import PROFILES
from gemsearch.ledger import settings, signing, writing
from gemsearch.ledger.connection import write_transaction
from tests.conftest import Loop

PAGES = [f"https://example.org/{n}" for n in range(30)]
WORDS = """postgres sqlite wal wal2 upgrade upgrades notes the of how to enable disable ipv6
    gitleaks hook hooks secrets chezmoi encryption error errors files c++ c# not patterns
    東京""".split()


def lines(count, seed):
    chance = random.Random(seed)
    for number in range(count):
        topic = " ".join(chance.choices(WORDS, k=chance.randint(1, 5)))
        urls = [*chance.sample(PAGES, chance.randint(0, 5)), f"https://own.example/{number}"]
        session = chance.choice(["s1", "s2", None])
        day = f"2026-05-{1 + number // 20:02d}T00:00:{number % 60:02d}Z"
        yield {"topic": topic, "results": urls, "session": session, "created": day}


def ledger_with(tmp_path, name, profile, max_age=None):
    loop = Loop(str(tmp_path / f"{name}.db"))
    with write_transaction(loop.connection):
        settings.put(loop.connection, "gate.profile", profile)
        if max_age:
            settings.put(loop.connection, "gate.max_age", max_age)
        signing.sign_anew(loop.connection)
    return loop


def one_by_one(loop, line, profile=None):
    caller = Caller("import", session=line["session"])
    proposal = asking.Proposal(asking.accepted(line["topic"]), caller, profile)
    now = batch.datetime.fromisoformat(line["created"])
    return novelty.record(loop.connection, proposal, line["results"], now)


def written(loop):
    return [
        loop.rows("SELECT id, topic, created FROM gems"),
        loop.rows("SELECT topic, gate, signal, score, gem_id, profile FROM rejections"),
        loop.rows("SELECT rejection_id, signature, gem_id, expires FROM wordings"),
        loop.rows("SELECT key, gem_count FROM urls ORDER BY key"),
        loop.rows("SELECT state, topic FROM searches"),
    ]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("max_age", [None, "3"])
def test_judged_lines_leave_the_very_ledger_that_single_calls_leave(tmp_path, profile, max_age):
    together = ledger_with(tmp_path, "together", profile, max_age)
    apart = ledger_with(tmp_path, "apart", profile, max_age)
    rows = list(lines(260, seed=7))
    outcomes = batch.propose(
        together.connection, batch.parsed(map(json.dumps, rows)), apart.clock()
    )
    for row in rows:
        one_by_one(apart, row)
    assert written(together) == written(apart)
    assert outcomes.total() == 260
    assert {"novel", "duplicate sources"} <= set(outcomes)
    for loop in (together, apart):
        loop.connection.close()


def test_a_profile_for_one_import_judges_by_its_own_signatures(tmp_path):
    together = ledger_with(tmp_path, "together", "guarded")
    apart = ledger_with(tmp_path, "apart", "guarded")
    rows = list(lines(120, seed=8))
    batch.propose(
        together.connection, batch.parsed(map(json.dumps, rows)), apart.clock(), "published"
    )
    for row in rows:
        one_by_one(apart, row, "published")
    assert written(together) == written(apart)
    for loop in (together, apart):
        loop.connection.close()


@pytest.mark.parametrize("profile", PROFILES)
def test_checked_lines_get_the_answers_of_single_checks(tmp_path, profile):
    loop = ledger_with(tmp_path, "gems", profile)
    rows = list(lines(200, seed=9))
    batch.propose(loop.connection, batch.parsed(map(json.dumps, rows[:120])), loop.clock())
    refused = loop.value("SELECT max(id) FROM rejections")
    with write_transaction(loop.connection):
        writing.mark(loop.connection, refused, "wrong", None, loop.clock())
    before = written(loop)
    answers = list(batch.check_lines(loop.connection, map(json.dumps, rows), loop.clock()))
    assert written(loop) == before
    for row, (topic, verdict) in zip(rows, answers, strict=True):
        assert topic == row["topic"]
        assert verdict == loop.check(topic, session=row["session"])._replace(related=())
    loop.connection.close()


def test_what_others_write_between_two_portions_is_taken_in(loop, monkeypatch):
    monkeypatch.setattr(batch, "TOGETHER", 1)
    other = Loop(loop.path)

    def proposing():
        yield {"topic": "gitleaks hook", "results": [PAGES[0]]}
        other.record("chezmoi encryption", PAGES[1])
        yield {"topic": "encryption chezmoi", "results": [PAGES[2]]}
        other.connection.execute("DELETE FROM gems WHERE id = 1")
        yield {"topic": "hook gitleaks", "results": [PAGES[3]]}

    outcomes = batch.propose(
        loop.connection, batch.parsed(map(json.dumps, proposing())), loop.clock()
    )
    assert outcomes == {"novel": 2, "duplicate identical": 1}
    other.connection.close()


def test_a_skipped_line_leaves_nothing_in_the_ledger(tmp_path):
    loop = ledger_with(tmp_path, "skipping", "published")
    rows = [
        json.dumps({"topic": topic, "results": [PAGES[0]]}) for topic in ("$@", "gitleaks hook")
    ]
    outcomes = batch.propose(loop.connection, batch.parsed(rows), loop.clock())
    assert outcomes == {"skipped": 1, "novel": 1}
    assert loop.rows("SELECT state, topic FROM searches") == [("recorded", "gitleaks hook")]
    loop.connection.close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not json", "line 3 is not JSON"),
        ('{"topic": "no results"}', "line 3 has no topic or no list of results"),
        ('{"topic": "bad", "results": [7]}', "line 3: result 1 is a int"),
    ],
)
def test_a_bad_line_is_named_and_the_lines_before_it_were_taken(loop, line, said):
    rows = [json.dumps({"topic": f"word{n} thing{n}", "results": [PAGES[n]]}) for n in range(3)]
    rows[2:2] = [line]
    with pytest.raises(errors.WrongCall, match=said) as caught:
        batch.propose(loop.connection, batch.parsed(rows), loop.clock())
    assert caught.value.hint == "The 2 lines before it were taken."
    assert loop.value("SELECT count(*) FROM gems") == 2


def test_check_batch_answers_each_line_with_the_keys_of_json(gemsearch):
    gemsearch("record", "gitleaks hook", "--url", PAGES[0])
    asked = ["hook gitleaks", "chezmoi encryption", ""]
    text = "".join(json.dumps({"topic": topic}) + "\n" for topic in asked)
    ran = gemsearch("check", "--batch", "-", stdin=text)
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["status"] for answer in answers] == ["duplicate", "novel", "failed"]
    assert [answer["exit_code"] for answer in answers] == [2, 0, 1]
    assert answers[0].keys() == gemsearch("check", "gitleaks", "--json").json.keys()
    assert (ran.code, ran.err) == (0, "")
    assert gemsearch("rejections", "--json").json == []
    assert gemsearch("check", "topic", "--batch", "-").code == 1
