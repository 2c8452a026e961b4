"""Export and import: nothing lost on the way, all or nothing."""

from __future__ import annotations

import json

import pytest

from gemsearch import asking, batch, errors
from gemsearch.care import forgetting, transfer
from gemsearch.ledger import writing
from gemsearch.ledger.connection import read_snapshot, write_transaction
from tests.conftest import Loop

PAGES = [f"https://example.org/{n}" for n in range(4)]


@pytest.fixture
def filled(loop):
    """A ledger with everything in it: wordings, exceptions, forced gems, odd results."""
    loop.finds("gitleaks pre-commit hook", *PAGES, "javascript:alert(1)", PAGES[0] + "/")
    loop.finds("gitleaks hook for secrets", *PAGES)
    loop.search("gitleaks pre-commit hook", agent="claude", session="s", project="p", call_id="1")
    loop.clock.advance(minutes=1)
    loop.search("gitleaks hook for secrets")
    loop.clock.advance(minutes=1)
    loop.search("hook gitleaks pre-commit")
    loop.search("pre-commit hook gitleaks", on_match=asking.FORCE, reason="new version")
    loop.search("nothing found")
    with write_transaction(loop.connection):
        writing.mark(loop.connection, 2, "wrong", "other", loop.clock())
    loop.provider.pages["failing"] = errors.SearchFailed("timeout", "slow")
    with pytest.raises(errors.SearchFailed):
        loop.search("failing")
    loop.record("last one", "https://example.net/")
    forgetting.forget(loop.connection, forgetting.choose(loop.connection, topic="last one"))
    return loop


def export_of(loop):
    with read_snapshot(loop.connection):
        return [json.dumps(line) for line in transfer.exported(loop.connection)]


@pytest.fixture
def empty(tmp_path):
    made = Loop(str(tmp_path / "other.db"))
    yield made
    made.connection.close()


def test_an_import_restores_an_export_as_it_was(filled, empty):
    exported = export_of(filled)
    assert transfer.restore(empty.connection, exported) == 3
    assert export_of(empty) == exported
    for table in ("gems", "results", "urls", "rejections", "wordings", "exceptions", "searches"):
        columns = [row[1] for row in filled.rows(f"PRAGMA table_info({table})") if row[1] != "id"]
        sql = f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1, 2, 3"
        if table == "results":
            sql = "SELECT gem_id, rank, url, title, url_id IS NULL FROM results ORDER BY 1, 2"
        assert empty.rows(sql) == filled.rows(sql), table


def test_a_restored_ledger_judges_as_the_old_one_and_never_uses_a_number_twice(filled, empty):
    transfer.restore(empty.connection, export_of(filled))
    empty.clock.now = filled.clock.now
    for topic in ("gitleaks hook for secrets", "hook gitleaks pre-commit", "anything else"):
        assert empty.check(topic) == filled.check(topic)
    assert empty.search("chezmoi encryption").gem_id == filled.search("chezmoi encryption").gem_id


def test_an_import_into_a_ledger_with_gems_is_refused(filled):
    before = export_of(filled)
    with pytest.raises(errors.LedgerError, match="empty ledger"):
        transfer.restore(filled.connection, before)
    assert export_of(filled) == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not json", "line 3 is not JSON"),
        ("[1, 2]", "line 3 is not a JSON object"),
        ('{"type": "gem", "id": 7}', "line 3 is not a line of an export"),
        ('{"type": "nonsense"}', "line 3 is not a line of an export"),
        ('{"no": "type"}', "line 3 is not a line of an export"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(filled, empty, line, said):
    lines = export_of(filled)
    lines[2:2] = [line]
    with pytest.raises(errors.WrongCall, match=said):
        transfer.restore(empty.connection, lines)
    assert empty.value("SELECT count(*) FROM gems") == 0


def test_an_export_of_a_newer_version_is_refused(filled, empty):
    first, *rest = export_of(filled)
    newer = json.dumps(json.loads(first) | {"version": 99})
    with pytest.raises(errors.WrongCall, match="version 99"):
        transfer.restore(empty.connection, [newer, *rest])


def test_judged_lines_are_proposed_in_their_order_with_their_own_time(empty):
    lines = [
        {"topic": "gitleaks hook", "results": [{"url": p} for p in PAGES], "agent": "a"},
        {"topic": "hook gitleaks", "results": [{"url": PAGES[0]}]},
        {"topic": "secret scanning", "results": [{"url": p} for p in PAGES]},
        {"topic": "chezmoi", "results": [], "created": "2026-01-02T03:04:05Z"},
        {"topic": "yadm", "results": ["https://yadm.io/"], "created": "2026-01-02T03:04:05Z"},
        {"topic": "", "results": []},
        {"type": "rejection", "topic": "not a gem"},
    ]
    told = batch.parsed(map(json.dumps, lines))
    outcomes = batch.propose(empty.connection, told, empty.clock(), "published")
    assert outcomes == {
        "novel": 2,
        "duplicate identical": 1,
        "duplicate sources": 1,
        "empty": 1,
        "skipped": 1,
    }
    assert empty.rows("SELECT topic, agent, origin, day FROM gems") == [
        ("gitleaks hook", "a", "import", "2026-05-11"),
        ("yadm", None, "import", "2026-01-02"),
    ]


def test_export_and_import_work_through_the_command(gemsearch, tmp_path):
    gemsearch("record", "gitleaks hook", "--url", PAGES[0])
    file = tmp_path / "out.jsonl"
    assert gemsearch("export", str(file)).err == "3 lines written\n"
    other = str(tmp_path / "other.db")
    assert gemsearch("import", str(file), "--db", other).out == "1 gems restored.\n"
    assert gemsearch("export", "--db", other).out == file.read_text()
    judged = gemsearch("import", "--judge", "-", stdin=file.read_text())
    assert judged.out.split() == ["lines", "outcome", "1", "duplicate", "identical"]
