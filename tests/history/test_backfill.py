"""Taking a history into the ledger: once, whatever happens in between."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemsearch import asking
from gemsearch.core.model import Caller, Result
from gemsearch.history import backfill
from gemsearch.history.model import Mark, SearchCall
from gemsearch.history.proposals import Choice
from gemsearch.ledger import history_files
from gemsearch.toolcalls.answers import DENIED, EMPTY, FAILED, MISSING, OK, Answer
from tests.conftest import START, Loop

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PAGES = [f"https://example.org/{n}" for n in range(40)]
KEY = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f"  # invented
WORDS = "gitleaks hook secrets chezmoi encryption sqlite wal io_uring tmux restic".split()


def call(topic, *pages, status=OK, hours=0, **fields):
    answer = Answer(status, tuple(Result(page, f"About {topic}", "A snippet.") for page in pages))
    known = {"agent": "claude-code", "session": "s1", "call_id": f"toolu_{topic}"} | fields
    return SearchCall(topic=topic, answer=answer, time=START + timedelta(hours=hours), **known)


def many(count, seed=1):
    chance = random.Random(seed)
    for number in range(count):
        topic = " ".join(chance.choices(WORDS, k=chance.randint(1, 4)))
        pages = chance.sample(PAGES, chance.randint(1, 5))
        session = f"s{chance.randint(1, 6)}"
        yield call(topic, *pages, hours=number, session=session, call_id=f"c{number}")


def take(loop, calls, choice=Choice(), marks=None):  # noqa: B008 - a value
    return backfill.take(loop.connection, calls, NOW, choice, marks or {})


def written(loop):
    return [
        loop.rows("SELECT id, topic, agent, session, project, origin, created FROM gems"),
        loop.rows("SELECT topic, signal, gem_id, enforced, created FROM rejections"),
        loop.rows("SELECT topic, call_id, session, state FROM searches"),
        loop.rows("SELECT key, gem_count FROM urls ORDER BY key"),
    ]


def test_a_novel_call_becomes_a_private_gem_with_its_own_time_and_origin(loop):
    taken = take(loop, [call("gitleaks hook", *PAGES[:3], project="/home/dev/demo")])
    assert (taken.gems, taken.repeats, taken.known) == (1, {}, 0)
    assert loop.rows(
        "SELECT topic, agent, session, project, origin, created, day, visibility, result_count"
        " FROM gems"
    ) == [
        ("gitleaks hook", "claude-code", "s1", "/home/dev/demo", "history",
         "2026-05-11T09:00:00.000Z", "2026-05-11", "private", 3),
    ]  # fmt: skip
    assert loop.rows("SELECT title, snippet FROM results LIMIT 1") == [
        ("About gitleaks hook", "A snippet.")
    ]
    assert loop.rows("SELECT state, call_id, gem_id FROM searches") == [
        ("recorded", "toolu_gitleaks hook", 1)
    ]


def test_a_repeat_leaves_a_rejection_that_was_not_enforced_and_teaches_nothing(loop):
    first = call("gitleaks pre-commit hook", *PAGES[:4])
    again = call("commit-time secret scanner", *PAGES[:4], session="s2", hours=1)
    taken = take(loop, [first, again])
    assert (taken.gems, taken.repeats) == (1, {"sources": 1})
    assert loop.rows("SELECT gem_id, enforced, origin, visibility, day FROM rejections") == [
        (1, 0, "history", "private", "2026-05-11")
    ]
    assert loop.value("SELECT count(*) FROM wordings") == 0
    assert loop.check("commit-time secret scanner").status == "novel"


def test_a_match_of_a_past_search_makes_no_gem_and_says_that_nothing_was_enforced(loop):
    loop.record("gitleaks hook", *PAGES[:3])
    verdict = loop.record("hook gitleaks", *PAGES[5:8], on_match=asking.PAST)
    assert (verdict.status, verdict.enforced, verdict.gem_id) == ("duplicate", False, None)
    assert loop.value("SELECT count(*) FROM gems") == 1


@pytest.mark.parametrize("status", [FAILED, DENIED, EMPTY, MISSING])
def test_a_call_without_results_leaves_nothing_and_covers_nothing(loop, status):
    taken = take(loop, [call("gitleaks hook", status=status)])
    assert (taken.gems, taken.by_status[status]) == (0, 1)
    assert loop.value("SELECT count(*) FROM searches") == 0
    assert loop.check("gitleaks hook").status == "novel"


def test_results_of_a_failed_call_are_no_gem_either(loop):
    assert take(loop, [call("gitleaks hook", *PAGES[:3], status=FAILED)]).gems == 0


def test_gems_that_are_there_are_neither_judged_again_nor_changed(loop):
    loop.record("chezmoi encryption", *PAGES[:3])
    loop.record("encryption chezmoi age", *PAGES[:3], on_match=asking.FORCE)
    before = loop.rows("SELECT * FROM gems")
    take(loop, [call("chezmoi encryption", *PAGES[:3]), call("tmux panes", *PAGES[9:12])])
    assert loop.rows("SELECT * FROM gems WHERE id < 3") == before
    assert loop.rows("SELECT id, topic FROM gems WHERE id > 2") == [(3, "tmux panes")]


def test_a_secret_is_counted_by_its_kind_and_never_reaches_the_file(loop):
    taken = take(loop, [call(f"curl 401 with {KEY}", *PAGES[:3]), call("tmux", *PAGES[:3])])
    assert (taken.secrets, taken.gems) == ({"a GitHub token": 1}, 1)
    loop.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert KEY.encode() not in Path(loop.path).read_bytes()


def test_a_text_that_is_no_topic_is_counted(loop):
    taken = take(loop, [call("word " * 40, *PAGES[:2]), call("?!", *PAGES[:2])])
    assert (taken.no_topics, taken.gems) == (2, 0)


def test_a_second_run_adds_nothing_even_if_everything_is_read_again(loop):
    first = take(loop, many(450))
    before = written(loop)
    again = take(loop, many(450))
    assert written(loop) == before
    assert first.gems + sum(first.repeats.values()) == 450
    assert (again.known, again.gems, again.repeats) == (450, 0, {})


def test_a_fork_that_renamed_the_session_is_the_same_call(loop):
    take(loop, [call("gitleaks hook", *PAGES[:3])])
    again = take(loop, [call("gitleaks hook", *PAGES[:3], session="of the fork")])
    assert (again.known, again.repeats) == (1, {})


def test_a_short_call_id_in_another_session_on_another_day_is_another_call(loop):
    twice = [
        call("gitleaks hook", *PAGES[:3], call_id="tc1", session=f"s{n}", hours=50 * n)
        for n in range(2)
    ]
    assert take(loop, twice).repeats == {"identical": 1}
    assert take(loop, twice).known == 2


def test_a_call_id_used_again_for_another_topic_is_another_call(loop):
    calls = [call(topic, PAGES[n], call_id="tc1") for n, topic in enumerate(WORDS[:3])]
    assert take(loop, calls).gems == 3
    assert take(loop, calls).known == 3
    assert loop.rows("SELECT topic_no FROM searches") == [(0,), (1,), (2,)]


def test_calls_without_ids_are_told_apart_by_session_time_and_topic(loop):
    calls = [
        call("gitleaks hook", *PAGES[:3], call_id=""),
        call("gitleaks hook", *PAGES[:3], call_id="", hours=1),
        call("gitleaks hook", *PAGES[:3], call_id="", session="s2")._replace(time=None),
    ]
    assert take(loop, calls).repeats == {"identical": 2}
    assert take(loop, calls).known == 3


def test_what_a_hook_wrote_down_is_not_taken_again(loop):
    hook = {"agent": "claude-code", "session": "s1", "origin": "hook"}
    loop.record("gitleaks hook", *PAGES[:3], call_id="toolu_gitleaks hook", **hook)
    taken = take(loop, [call("gitleaks hook", *PAGES[:3])])
    assert (taken.known, taken.repeats) == (1, {})


def test_what_a_hook_without_call_ids_wrote_down_is_known_by_topic_and_time(loop):
    loop.record("gitleaks hook", *PAGES[:3], agent="gemini", session="s1", origin="hook")
    same = call("gitleaks hook", *PAGES[:3], agent="gemini", call_id="gws-1")
    later = call("gitleaks hook", *PAGES[:3], agent="gemini", call_id="gws-2", hours=5)
    taken = take(loop, [same, later])
    assert (taken.known, taken.repeats) == (1, {"identical": 1})


def test_an_attempt_that_a_hook_left_open_is_settled_by_the_log(loop):
    from gemsearch.core.signature import sign
    from gemsearch.ledger import searches
    from gemsearch.ledger.connection import write_transaction

    caller = Caller("hook", "claude-code", "s1", call_id="toolu_tmux")
    with write_transaction(loop.connection):
        searches.start(loop.connection, sign("tmux", "exact"), caller, START, lease_seconds=120)
    assert take(loop, [call("tmux", *PAGES[:3])]).gems == 1
    assert loop.rows("SELECT state, gem_id FROM searches") == [("recorded", 1)]


def test_marks_are_kept_with_the_last_portion(loop):
    marks = {"/logs/a.jsonl": Mark(512, "fp")}
    take(loop, many(5), marks=marks)
    assert backfill.known_marks(loop.connection) == marks
    take(loop, [], marks={"/logs/a.jsonl": Mark(600, "fp2")})
    assert backfill.known_marks(loop.connection) == {"/logs/a.jsonl": Mark(600, "fp2")}


def test_a_choice_takes_its_part_and_leaves_no_mark(loop):
    calls = [
        call("tmux", PAGES[0], project="/home/dev/demo"),
        call("restic", PAGES[1], project="/home/dev/other"),
        call("chezmoi", PAGES[2], agent="codex", project="/home/dev/demo"),
        call("sqlite", PAGES[3], project="/home/dev/demo", hours=48),
    ]
    choice = Choice(since="2026-05-12", agent="claude-code", project="demo")
    taken = take(loop, calls, choice, {"/logs/a.jsonl": Mark(512, "fp")})
    assert loop.rows("SELECT topic FROM gems") == [("sqlite",)]
    assert taken.calls == 1
    assert backfill.known_marks(loop.connection) == {}


def test_a_time_that_cannot_be_is_replaced_by_now(loop):
    odd = call("tmux", PAGES[0])._replace(time=datetime(1970, 1, 1, tzinfo=UTC))
    ahead = call("restic", PAGES[1])._replace(time=NOW + timedelta(days=400))
    take(loop, [odd, ahead])
    assert loop.rows("SELECT DISTINCT day FROM gems") == [("2026-11-30",)]


def test_progress_tells_of_every_portion(loop):
    told = []
    backfill.take(loop.connection, many(450), NOW, Choice(), {}, told.append)
    assert told == [200, 200, 50]


def test_an_interrupt_leaves_whole_portions_and_the_next_run_does_the_rest(loop, tmp_path):
    def interrupt(_):
        raise KeyboardInterrupt

    marks = {"/logs/a": Mark(9, "f")}
    with pytest.raises(KeyboardInterrupt):
        backfill.take(loop.connection, many(300), NOW, Choice(), marks, interrupt)
    assert loop.value("SELECT count(*) FROM searches") == 200
    assert not loop.connection.in_transaction
    take(loop, many(300), marks=marks)
    whole = Loop(str(tmp_path / "whole.db"))
    take(whole, many(300), marks=marks)
    assert written(loop) == written(whole)
    whole.connection.close()


KILLED = """
import os, signal, sys
from tests.history.test_backfill import NOW, Choice, backfill, many
from gemsearch.history.model import Mark
from gemsearch.ledger.connection import open_for_writing

portions = []

def advance(count):
    portions.append(count)
    if len(portions) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

ledger = open_for_writing(sys.argv[1])
backfill.take(ledger, many(500), NOW, Choice(), {"/logs/a": Mark(9, "f")}, advance)
"""


def test_a_kill_in_between_loses_nothing_and_doubles_nothing(loop, tmp_path):
    killed = str(tmp_path / "killed.db")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, killed],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    left = Loop(killed)
    assert left.value("SELECT count(*) FROM searches") == 400
    assert backfill.known_marks(left.connection) == {}
    marks = {"/logs/a": Mark(9, "f")}
    assert take(left, many(500), marks=marks).known == 400
    take(loop, many(500), marks=marks)
    assert written(left) == written(loop)
    assert backfill.known_marks(left.connection) == marks
    left.connection.close()


@settings(max_examples=15, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", ""]),  # session
            st.sampled_from(["tc1", "tc2", ""]),  # call id
            st.sampled_from(WORDS[:3]),
            st.integers(0, 3),  # hours
            st.integers(0, 1),  # topic number
        ),
        max_size=12,
        unique=True,
    ),
    cut=st.integers(0, 12),
)
def test_whatever_the_ids_a_run_in_two_parts_and_again_is_one_run(tmp_path_factory, rows, cut):
    calls = [
        call(topic, PAGES[n], session=session, call_id=call_id, hours=hours, topic_no=number)
        for n, (session, call_id, topic, hours, number) in enumerate(
            sorted(rows, key=lambda row: row[3])
        )
    ]
    folder = tmp_path_factory.mktemp("ledgers")
    whole, parts = Loop(str(folder / "whole.db")), Loop(str(folder / "parts.db"))
    take(whole, calls)
    take(parts, calls[:cut])
    take(parts, calls)
    assert written(parts) == written(whole)
    take(parts, calls)
    assert written(parts) == written(whole)
    assert history_files.marks(whole.connection) == {}
    for loop in (whole, parts):
        loop.connection.close()
