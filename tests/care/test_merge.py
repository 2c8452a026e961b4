"""merge: two machines' ledgers become one, however often, cut off or turned round."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from datetime import timedelta

import pytest

from gemsearch import asking, batch, errors
from gemsearch.care import foreign, forgetting, health, merging, transfer
from gemsearch.care.backup import back_up
from gemsearch.care.copying import unheard
from gemsearch.ledger import writing
from gemsearch.ledger.connection import open_for_writing, read_snapshot, write_transaction
from tests.care.conftest import content, digest, fill
from tests.conftest import START, Loop

PAGES = [f"https://example.org/{n}" for n in range(4)]
LATER = START + timedelta(days=30)


def merge(into, other, now=LATER, **how):
    with closing(open_for_writing(into)) as ledger, foreign.opened(other) as found:
        return merging.merge(ledger, found, now, **how)


def topics(path):
    return [row[1] for row in content(path)["gems"]]


@pytest.fixture
def here(tmp_path):
    """One machine: an hour later than the other."""
    made = Loop(str(tmp_path / "here" / "gems.db"))
    made.clock.advance(hours=1)
    made.record("gitleaks pre-commit hook", *PAGES, agent="a")
    yield made
    made.connection.close()


@pytest.fixture
def there(tmp_path):
    """The other one: a repeat in words, one in sources, something new, refusals, a forced gem."""
    made = Loop(str(tmp_path / "there" / "gems.db"))
    tick = made.clock.advance
    made.record("hook gitleaks pre-commit", "https://one.example/")
    tick(seconds=1)
    made.record("leaked secrets in commits", *PAGES)
    tick(seconds=1)
    made.record("chezmoi encryption", "https://chezmoi.example/", private=True, session="s")
    tick(seconds=1)
    made.record("encryption of chezmoi", "https://other.example/")  # refused
    tick(seconds=1)
    made.record("chezmoi encryption", "https://new.example/", on_match=asking.FORCE, reason="anew")
    yield made
    made.connection.close()


def test_incoming_gems_are_judged_in_the_order_of_their_time_against_everything(here, there):
    here.record("leaked secrets in commits", "https://secrets.example/")
    before = content(here.path)["gems"]
    outcomes = merge(here.path, there.path)
    assert outcomes == {
        ("gem", "duplicate identical"): 2,
        ("gem", "novel"): 1,
        ("gem", "novel identical"): 1,  # forced there, so it is forced here
        ("rejection", "kept"): 1,
        ("rejection", "already here"): 1,  # the forced gem has brought its own
    }
    gems = here.rows("SELECT id, topic, origin, session, visibility, created, reason FROM gems")
    assert content(here.path)["gems"][: len(before)] == before
    assert gems[len(before) :] == [
        (3, "chezmoi encryption", "import", "s", "private", "2026-05-11T09:00:02.000Z", None),
        (4, "chezmoi encryption", "import", None, "open", "2026-05-11T09:00:04.000Z", "anew"),
    ]
    assert health.examine(here.path, LATER) == []


def test_a_repeat_becomes_a_rejection_that_nobody_was_refused_by(here, there):
    merge(here.path, there.path)
    rows = here.rows("SELECT topic, signal, gem_id, enforced, origin FROM rejections ORDER BY id")
    assert rows[:2] == [
        ("hook gitleaks pre-commit", "identical", 1, 0, "import"),
        ("leaked secrets in commits", "sources", 1, 0, "import"),
    ]
    # It was a gem there: proposed again, it costs no search.
    here.clock.now = LATER
    assert here.check("leaked secrets in commits").match.signal == "wording"


def test_rejections_point_to_what_their_gems_became_and_keep_what_was_decided(here, there):
    merge(here.path, there.path)
    rows = here.rows(
        "SELECT rejections.topic, gems.topic, rejections.origin, enforced, forced_gem_id"
        " FROM rejections JOIN gems ON gems.id = gem_id WHERE rejections.topic LIKE '%chezmoi%'"
        " ORDER BY rejections.id"
    )
    assert rows == [
        ("encryption of chezmoi", "chezmoi encryption", "record", 1, None),
        ("chezmoi encryption", "chezmoi encryption", "import", 1, 3),
    ]
    assert here.rows("SELECT signature, gem_id, signal FROM exceptions") == [
        ("chezmoi encryption", 2, "identical")
    ]


def test_a_second_merge_adds_nothing_and_a_third_only_what_is_new(here, there):
    merge(here.path, there.path)
    before = content(here.path)
    assert set(merge(here.path, there.path)) == {
        ("gem", "already here"),
        ("rejection", "already here"),
    }
    assert content(here.path) == before
    there.clock.advance(days=1)
    there.record("yadm alternatives", "https://yadm.example/")
    assert merge(here.path, there.path)["gem", "novel"] == 1
    after = content(here.path)
    assert topics(here.path)[-1] == "yadm alternatives"
    assert {
        table: rows for table, rows in after.items() if table in {"rejections", "exceptions"}
    } == {table: rows for table, rows in before.items() if table in {"rejections", "exceptions"}}


def test_both_ways_two_ledgers_come_to_rest(here, there):
    for _ in range(2):
        merge(here.path, there.path)
        merge(there.path, here.path)
    before = content(here.path), content(there.path)
    merge(here.path, there.path)
    merge(there.path, here.path)
    assert (content(here.path), content(there.path)) == before
    for loop in (here, there):
        loop.clock.now = LATER
        for topic in (
            "gitleaks pre-commit hook",
            "leaked secrets in commits",
            "chezmoi encryption",
        ):
            assert not loop.check(topic).novel


def test_what_was_forgotten_here_does_not_come_back(here, there):
    merge(here.path, there.path)
    with closing(open_for_writing(here.path)) as ledger:
        forgetting.forget(ledger, forgetting.choose(ledger, topic="chezmoi encryption"))
    outcomes = merge(here.path, there.path)
    assert outcomes["gem", "left out before"] == 2
    assert topics(here.path) == ["gitleaks pre-commit hook"]


def test_a_ledger_that_was_restored_and_gives_numbers_out_again_is_still_taken_whole(
    here, there, tmp_path
):
    copy = str(tmp_path / "copy.db")
    back_up(there.path, copy, unheard)
    there.clock.advance(days=1)
    there.record("lost with the disk", "https://lost.example/")
    merge(here.path, there.path)
    again = Loop(copy)
    again.clock.advance(days=2)
    number = again.record("found after the loss", "https://found.example/").gem_id
    again.connection.close()
    assert number == there.value("SELECT max(id) FROM gems")
    assert merge(here.path, copy)["gem", "novel"] == 1
    assert topics(here.path)[-2:] == ["lost with the disk", "found after the loss"]


def test_copies_of_one_ledger_that_went_separate_ways_are_joined(there, tmp_path):
    copy = str(tmp_path / "copy.db")
    back_up(there.path, copy, unheard)
    there.record("only on the one", "https://one.example/1")
    other = Loop(copy)
    other.clock.advance(hours=2)
    other.record("just at the second", "https://two.example/2")
    other.connection.close()
    assert merge(there.path, copy)["gem", "novel"] == 1
    assert set(merge(there.path, copy)) == {("gem", "already here"), ("rejection", "already here")}
    assert topics(there.path)[-2:] == ["only on the one", "just at the second"]


def test_what_a_person_said_of_a_refusal_holds_here_even_when_it_was_said_later(here, there):
    merge(here.path, there.path)
    refused = there.value("SELECT id FROM rejections WHERE topic = 'encryption of chezmoi'")
    with write_transaction(there.connection):
        writing.mark(there.connection, refused, "wrong", "another tool", there.clock())
    assert merge(here.path, there.path)["rejection", "marked as there"] == 1
    assert here.rows("SELECT marked, mark_reason FROM rejections WHERE marked IS NOT NULL") == [
        ("wrong", "another tool")
    ]
    here.clock.now = LATER
    match = here.check("encryption of chezmoi").match
    assert match is None or match.gem_id != 2


def test_a_refusal_from_before_its_gem_is_kept_when_the_clock_went_back_there(here, there):
    there.clock.now = START - timedelta(days=1)
    there.record("chezmoi and encryption", "https://late.example/")
    assert merge(here.path, there.path)["rejection", "kept"] == 2


def test_what_came_from_a_log_stays_known_as_such(here, there):
    there.record("from a log", "https://log.example/", origin="history")
    merge(here.path, there.path)
    assert here.value("SELECT origin FROM gems WHERE topic = 'from a log'") == "history"


def test_a_secret_that_the_other_ledger_holds_is_skipped(here, there):
    with closing(open_for_writing(there.path)) as ledger:
        ledger.execute("UPDATE gems SET topic = 'key AKIAIOSFODNN7EXAMPLX' WHERE id = 3")
    assert merge(here.path, there.path)["gem", "skipped"] == 1
    assert "AKIA" not in str(content(here.path))


def test_settings_and_the_name_of_the_ledger_stay_its_own(here, there):
    before = dict(content(here.path)["settings"])
    with write_transaction(there.connection):
        there.connection.execute("INSERT INTO settings VALUES ('gate.max_age', '9')")
    merge(here.path, there.path)
    after = dict(content(here.path)["settings"])
    uuid = there.value("SELECT value FROM settings WHERE name = 'ledger.uuid'")
    mark = json.loads(after.pop(f"merged.{uuid}"))
    assert mark == {"gem": 4, "rejection": 2, "until": "2026-05-11T09:00:04.000Z"}
    assert after == before


def test_nothing_changes_in_either_ledger_by_a_rehearsal_and_it_tells_what_a_merge_does(
    here, there
):
    before = digest(here.path), digest(there.path)
    with foreign.opened(there.path) as other:
        expected = merging.rehearse(here.path, other, LATER)
    assert (digest(here.path), digest(there.path)) == before
    assert merge(here.path, there.path) == expected
    assert digest(there.path) == before[1]


def test_a_merge_into_no_ledger_makes_one(there, tmp_path):
    new = str(tmp_path / "new.db")
    with foreign.opened(there.path) as other:
        expected = merging.rehearse(new, other, LATER)
    assert not os.path.exists(new)
    assert merge(new, there.path) == expected
    assert topics(new) == topics(there.path)


# Cut off


def exported(path):
    """All but the numbers and names that differ from run to run."""
    with closing(open_for_writing(path)) as ledger, read_snapshot(ledger):
        return [line for line in transfer.exported(ledger) if line["type"] != "ledger"]


KILLED = """
import os, signal, sys
from contextlib import closing
from gemsearch import batch
from gemsearch.care import merging
from gemsearch.care import foreign
from gemsearch.ledger.connection import open_for_writing
from tests.care.test_merge import LATER
batch.TOGETHER = 20
def kill_half_way(done):
    if done > 0.5:
        os.kill(os.getpid(), signal.SIGKILL)
with closing(open_for_writing(sys.argv[1])) as ledger, foreign.opened(sys.argv[2]) as other:
    merging.merge(ledger, other, LATER, kill_half_way)
"""


def test_a_merge_that_was_killed_is_made_whole_by_the_next_one(here, there, tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "TOGETHER", 20)
    fill(there.connection, 100)
    whole = str(tmp_path / "whole.db")
    back_up(here.path, whole, unheard)
    merge(whole, there.path)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, here.path, there.path],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert 20 < here.value("SELECT count(*) FROM gems") < 90
    assert here.value("SELECT count(*) FROM settings WHERE name LIKE 'merged.%'") == 0
    assert health.examine(here.path, LATER) == []
    outcomes = merge(here.path, there.path)
    assert outcomes["gem", "already here"] > 20
    assert exported(here.path) == exported(whole)
    assert set(merge(here.path, there.path)) == {
        ("gem", "already here"),
        ("rejection", "already here"),
    }


# The command


def test_merge_shows_what_it_would_do_asks_and_does_it(gemsearch, there, tmp_path):
    gemsearch("record", "gitleaks pre-commit hook", "--url", PAGES[0])
    before = digest(there.path)
    ran = gemsearch("merge", there.path, "--dry-run")
    assert ran.code == 0
    assert ["2", "gems", "novel"] in [line.split() for line in ran.out.splitlines()]
    assert gemsearch("merge", there.path, stdin="n\n").code == 130
    assert len(gemsearch("gems", "--json").json) == 1
    ran = gemsearch("merge", there.path, "--yes")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "Merged.")
    assert len(gemsearch("gems", "--json").json) == 4
    assert "no, it came with a merge" in gemsearch("explain", "--rejection", "1").out
    assert digest(there.path) == before
    assert gemsearch("merge", gemsearch.ledger).code == 1


def test_a_ledger_is_imported_as_its_export_would_be(gemsearch, there, tmp_path):
    target = str(tmp_path / "target.db")
    assert gemsearch("import", there.path, "--db", target).out == "4 gems restored.\n"
    assert gemsearch("export", "--db", target).out == gemsearch("export", "--db", there.path).out
    ran = gemsearch("import", "--judge", there.path)
    assert ["3", "novel"] in [line.split() for line in ran.out.splitlines()]


def test_a_merged_ledger_can_be_exported_and_restored(here, there, tmp_path):
    merge(here.path, there.path)
    lines = [json.dumps(line) for line in exported_whole(here.path)]
    with closing(open_for_writing(str(tmp_path / "new.db"))) as ledger:
        transfer.restore(ledger, lines)
    assert exported_whole(str(tmp_path / "new.db")) == exported_whole(here.path)
    assert set(merge(str(tmp_path / "new.db"), there.path)) == {
        ("gem", "already here"),
        ("rejection", "already here"),
    }


def exported_whole(path):
    with closing(open_for_writing(path)) as ledger, read_snapshot(ledger):
        return [*transfer.exported(ledger)]


def test_merging_the_ledger_into_itself_by_another_name_adds_nothing(there, tmp_path):
    shutil.copy(there.path, tmp_path / "copy.db")
    shutil.copy(f"{there.path}-wal", tmp_path / "copy.db-wal")
    before = content(there.path)
    merge(there.path, str(tmp_path / "copy.db"))
    assert content(there.path) == before


def test_a_ledger_that_somebody_keeps_writing_to_is_refused_after_some_tries(there, monkeypatch):
    copy = foreign._copy

    def written_meanwhile(source, target):
        copy(source, target)
        there.clock.advance(seconds=1)
        there.record(f"topic{there.clock.now.second}", f"https://a.example/{there.clock.now}")

    monkeypatch.setattr(foreign, "_copy", written_meanwhile)
    with pytest.raises(errors.LedgerBusy, match="keep writing"), foreign.opened(there.path):
        pass
