"""`gemsearch mine` on a history whose every figure can be counted by hand."""

from __future__ import annotations

import json
import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from gemsearch.core.text import cells
from tests.history import mixed

GATES = {"identical": 0, "wording": 0, "subset": 0, "sequence": 0, "sources": 0}


@pytest.fixture
def mining(gemsearch, tmp_path):
    """The command in a home that has the mixed history."""
    mixed.write(tmp_path)
    return lambda *arguments, **env: gemsearch("mine", *arguments, **env)


def figures(profile, *, across, within, searches, lists, tokens, kept):
    return {
        "profile": profile,
        "within_session": GATES | within,
        "across_sessions": GATES | across,
        "searches_saved": searches,
        "lists_withheld": lists,
        "estimate": {"tokens": tokens, "by_results": kept, "assumed": 1},
    }


def test_every_figure_of_the_report(mining, tmp_path):
    found = mining("--json").json
    assert found.pop("read") == {
        "looked_at": [
            {"source": "claude-code", "path": f"{tmp_path}/.claude/projects"},
            {"source": "codex", "path": f"{tmp_path}/.codex/sessions"},
        ],
        "files": 6,
        "bytes": sum(path.stat().st_size for path in tmp_path.rglob("*.jsonl")),
        "met_again": 2,
        "own_calls": 1,
        "fetches": 1,
        "skipped": {"bad line": 1},
    }
    assert "/ 4" in found.pop("estimate")
    found.pop("version")
    # Characters of one kept result: its address (23 or 24) and its title "Page".
    leaks, others = 23 + 4, 24 + 4
    again, hook = 4 * leaks + 2 * leaks, 3 * leaks + others
    assert found == {
        "calls": 17,
        "by_status": {"ok": 11, "missing": 3, "empty": 1, "failed": 1, "denied": 1},
        "secrets": {"a GitHub token": 1},
        "no_topics": 1,
        "searches": 13,
        "topics": 9,
        "exact_repeats": 4,
        "sessions": 4,
        "undated": 0,
        "first_day": "2026-11-02",
        "last_day": "2026-11-05",
        "agents": {"claude-code": 7, "codex": 6},
        "projects": {"atlas": 7, "orchard": 6},
        "coming_back": {
            "topics": 2,
            "searches": 7,
            "head": [
                {
                    "topic": "gitleaks pre-commit hook",
                    "wordings": ["gitleaks pre-commit hook", "gitleaks hook for secrets"],
                    "searches": 5,
                    "sessions": 3,
                    "first_day": "2026-11-02",
                    "last_day": "2026-11-04",
                    "signals": {"sources": 1},
                    "words": [],
                    "sources": mixed.LEAKS[:3],
                },
                {
                    "topic": "chezmoi encryption",
                    "wordings": ["chezmoi encryption"],
                    "searches": 2,
                    "sessions": 2,
                    "first_day": "2026-11-04",
                    "last_day": "2026-11-05",
                    "signals": {},
                    "words": [],
                    "sources": [],
                },
            ],
            "once": 6,
        },
        "sources": {
            "sources": 14,
            "recurring": 3,
            "head": [
                {
                    "url": url,
                    "topics": 2,
                    "searches": searches,
                    "sessions": 3,
                    "first_day": "2026-11-02",
                    "last_day": "2026-11-04",
                }
                for url, searches in zip(mixed.LEAKS[:3], (5, 5, 4), strict=True)
            ],
        },
        "profiles": [
            figures(
                "published",  # takes versions for typing errors: postgres 15/16, wal/wal2
                across={"identical": 2, "wording": 1, "sequence": 2, "sources": 1},
                within={"identical": 1},
                searches=6,
                lists=1,
                tokens=2000 + round((again + 2 * hook + 4 * others) / 4),
                kept=6,
            ),
            *(
                figures(
                    profile,
                    across={"identical": 2, "wording": 1, "sources": 1},
                    within={"identical": 1},
                    searches=4,
                    lists=1,
                    tokens=2000 + round((again + 2 * hook) / 4),
                    kept=4,
                )
                for profile in ("guarded", "strict")
            ),
        ],
        "days": {
            "2026-11-02": {"searches": 3, "refused": 1},
            "2026-11-03": {"searches": 4, "refused": 2},
            "2026-11-04": {"searches": 3, "refused": 1},
            "2026-11-05": {"searches": 3, "refused": 1},
        },
    }


def test_the_terminal_says_the_same_in_eighty_columns(mining):
    ran = mining()
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line for line in lines if cells(line) > 80 and "the first:" not in line] == []
    for said in (
        "17 search calls in 4 sessions, 2026-11-02 to 2026-11-05",
        "Left out, with a secret in the topic: a GitHub token 1.",
        "13 searches for 9 topics: 4 asked again in the same words",
        "  skipped: bad line 1",
        "  2026-11-03      4  ████████████████████░░░░░░░░░░░░░░░░░░░░",
        "         5         3  2026-11-02  2026-11-04  gitleaks pre-commit hook",
        "                      also gitleaks hook for secrets",
        "                      share the source leaks.example/1 and 2 more",
        "         2         5  leaks.example/1",
        "  guarded         5   38%  ███████████████",
        "  published across sessions          2         1         0         2         1",
        "  guarded            4             1            2,095",
    ):
        assert said in lines


def test_the_report_in_the_docs_is_what_the_terminal_says(mining, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "history.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```console\n\$ gemsearch mine\n(.*?)```", page, re.DOTALL)
    assert mining().out.replace(str(tmp_path), "/home/dev") == shown


def test_a_terminal_without_blocks_gets_plain_bars(mining):
    lines = mining(PYTHONIOENCODING="latin-1").out.splitlines()
    assert "Searches by day: # repeats by the rules of guarded, - new" in lines
    assert "  2026-11-03      4  ####################--------------------" in lines


def test_neither_a_secret_nor_a_text_around_the_results_is_said(mining, tmp_path):
    page = tmp_path / "page.html"
    for ran in (mining(), mining("--json"), mining("--html", str(page)), mining("--into-ledger")):
        assert ran.code == 0
        assert mixed.SECRET not in ran.out + ran.err
        assert "Done." not in ran.out
    assert mixed.SECRET not in page.read_text(encoding="utf-8")


def test_the_report_writes_nothing_at_all(mining, tmp_path):
    def everything():
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    before = everything()
    mining()
    assert everything() == before


def test_one_source_at_its_place(mining, tmp_path):
    found = mining("--source", "codex", "--json").json
    assert found["agents"] == {"codex": 6}
    place = tmp_path / ".codex" / "sessions" / "2026" / "11" / "04"
    found = mining("--source", "codex", "--path", str(place), "--json").json
    assert (found["calls"], found["first_day"]) == (3, "2026-11-04")


@pytest.mark.parametrize(
    ("chosen", "calls"),
    [
        (("--since", "2026-11-04"), 6),
        (("--agent", "codex"), 6),
        (("--project", "atlas"), 11),
        (("--project", "/home/dev/orchard"), 6),
        (("--project", "orchard", "--since", "2026-11-05"), 3),
        (("--agent", "gemini"), 0),
    ],
)
def test_a_choice_narrows_the_report(mining, chosen, calls):
    assert mining(*chosen, "--json").json["calls"] == calls


def test_json_lines_of_any_kind_are_read_by_their_field_names(mining, tmp_path):
    log = tmp_path / "calls.jsonl"
    rows = [
        {"asked": "tmux panes", "links": ["https://tmux.example/1"], "chat": chat, "when": when}
        for chat, when in (("one", "2026-11-02T10:00:00Z"), ("two", "2026-11-03T10:00:00Z"))
    ]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    found = mining(
        "--source", "jsonl", "--path", str(log), "--json",
        "--fields", "topic=asked,urls=links,session=chat,time=when",
    ).json  # fmt: skip
    assert (found["calls"], found["exact_repeats"], found["sessions"]) == (2, 1, 2)
    assert found["last_day"] == "2026-11-03"


def test_a_database_is_read_by_the_query_of_the_docs(mining, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "history.md").read_text(encoding="utf-8")
    [query] = re.findall(r'--query "(SELECT tool_name, .*?)"', page)
    place = tmp_path / "sessions.db"
    with closing(sqlite3.connect(place)) as database:
        database.execute("CREATE TABLE tool_calls (tool_name TEXT, input_json TEXT)")
        database.executemany(
            "INSERT INTO tool_calls VALUES (?, ?)",
            [
                ("WebSearch", '{"query": "tmux panes"}'),
                ("Read", '{"file_path": "notes.md"}'),
                ("mcp__exa__web_search_exa", '{"query": "panes of tmux"}'),
            ],
        )
        database.commit()
    found = mining("--source", "sql", "--path", str(place), "--query", query, "--json").json
    assert (found["calls"], found["by_status"]["missing"], found["topics"]) == (2, 2, 2)


def test_where_nothing_is_found_the_places_are_named(gemsearch, tmp_path):
    ran = gemsearch("mine")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("No search call was found.\nLooked at:\n")
    assert f"claude-code  {tmp_path}/.claude/projects" in ran.out
    assert "agentsview" in ran.out
    assert gemsearch("mine", "--json").json["calls"] == 0
    assert gemsearch("mine", "--into-ledger").out.startswith("No search call was found.")
    assert not Path(gemsearch.ledger).exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--source", "codx"), "there is no reader 'codx'"),
        (("--path", "/"), "go with exactly one --source"),
        (("--source", "sql"), "--source sql needs a --path"),
        (("--source", "codex", "--path", "/nowhere"), "there is nothing at /nowhere"),
        (("--source", "codex", "--query", "SELECT 1"), "--query with --source sql"),
        (("--html", "x.html", "--into-ledger"), "--html shows the report"),
        (("--since", "yesterday"), "yesterday"),
    ],
)
def test_a_wrong_call_is_named(gemsearch, arguments, said):
    ran = gemsearch("mine", *arguments)
    assert ran.code == 1
    assert said in ran.err


def test_the_ledger_is_filled_once(mining, gemsearch):
    first = mining("--into-ledger")
    assert (first.code, first.err) == (0, "")
    assert "       5  new gems, private" in first.out
    assert "       4  repeats, kept as rejections that nobody was refused" in first.out
    assert "identical 2, sources 2" in first.out
    assert mining("--into-ledger").out.startswith("Nothing new since the last time.")
    gems = json.loads(gemsearch("gems", "--json").out)
    assert [gem["topic"] for gem in reversed(gems)] == [
        "gitleaks pre-commit hook",
        "sqlite wal mode",
        "postgres 15 upgrade notes",
        "postgres 16 upgrade notes",
        "sqlite wal2 mode",
    ]


def test_a_call_that_got_its_answer_later_is_taken_then(mining, tmp_path):
    mining("--into-ledger")
    log = tmp_path / ".claude/projects/-home-dev-atlas" / mixed.B / "subagents" / "agent-1.jsonl"
    whole = mixed.asked(mixed.B, 8, "restic backup", mixed.OTHERS[6:8], "2026-11-03T09:35")
    mixed.put(log, whole)
    found = mining("--into-ledger", "--json").json
    assert (found["gems"], found["repeats"], found["known"]) == (1, {}, 0)


def test_what_the_ledger_was_told_to_be_a_search_tool_is_one(mining, gemsearch, tmp_path):
    lines = mixed.other(mixed.A, "mcp__house__lookup", {"query": "tmux"}, "2026-11-06T10:00")
    mixed.put(tmp_path / ".claude" / "projects" / "-home-dev-x" / "x.jsonl", lines)
    assert mining("--json").json["calls"] == 17
    gemsearch("config", "set", "hook.tools", "mcp__house__lookup")
    assert mining("--json").json["calls"] == 18


def test_the_page_is_for_its_owner_alone_and_replaces_only_its_like(mining, tmp_path):
    page = tmp_path / "page.html"
    for _ in range(2):
        ran = mining("--html", str(page))
        assert (ran.code, ran.err) == (0, f"written: {page}\n")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.glob("*.html*")) == ["page.html"]

    letter = tmp_path / "letter.html"
    letter.write_text("<p>Dear reader</p>", encoding="utf-8")
    link = tmp_path / "link.html"
    link.symlink_to(page)
    for place in (letter, link, tmp_path):
        ran = mining("--html", str(place))
        assert ran.code == 1
        assert "is no page of gemsearch mine" in ran.err
        assert ran.out == ""
    assert letter.read_text(encoding="utf-8") == "<p>Dear reader</p>"


def test_a_page_that_cannot_be_written_is_said_to_be(mining, tmp_path):
    ran = mining("--html", str(tmp_path / "nowhere" / "page.html"))
    assert ran.code == 1
    assert "the page can't be written" in ran.err
