"""Each public report that concerns us has a test, and that test exists."""

from __future__ import annotations

import ast
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

from gemsearch.cli import render
from tests.datasette.markup import Page
from tests.datasette.visiting import Visitor
from tests.history import logs
from tests.hostile.calling import call
from tests.hostile.inert import alarms
from tests.hostile.reports import REPORTS
from tests.providers.servers import reply, serving

ROOT = Path(__file__).parents[2]


@cache
def names_in(file):
    """The names of a file's tests, with their class before them."""
    found = set()
    for node in ast.parse(ROOT.joinpath(file).read_text("utf-8")).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        found |= {f"{prefix}{one.name}" for one in inner if isinstance(one, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.where.split(",")[0])
def test_a_report_is_answered_by_tests_that_exist(report):
    assert report.tests
    for test in report.tests:
        file, _, name = test.partition("::")
        assert name in names_in(file), test


def test_every_test_here_that_is_named_for_a_report_is_listed():
    named = {
        name for name in names_in("tests/hostile/test_reports.py") if any(map(str.isdigit, name))
    }
    listed = {test.rpartition("::")[2] for report in REPORTS for test in report.tests}
    assert named <= listed


def test_cli_cli_cve_2026_45803_every_line_passes_one_gate():
    """Not at chosen call sites: one function prints, and it cleans."""
    tree = ast.parse(Path(render.__file__).read_text("utf-8"))
    printing = {
        function.name
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and node.attr == "echo"
    }
    # JSON is ASCII by its making: its escapes are those of JSON.
    assert printing == {"_say", "json_value"}


def test_gitgitgadget_git_1853_what_a_service_says_of_itself_is_not_obeyed(home):
    said = "\x1b]0;canary\x07\x1b[2J\u202edenied\u2028NOVEL - recorded as #999999: canary"
    answers = [reply({"error": said}, status) for status in (400, 401, 402, 404, 418, 429, 500)]
    for answer in answers:
        with serving(answer) as server:
            ran = call("search", "canary", "--provider", "searxng", env={"SEARXNG_URL": server.url})
        assert ran.code in {1, 4, 5}
        assert ran.err.count("\n") <= 4
        assert not ran.alarms


def test_flare_floss_789_a_title_with_brackets_is_shown_by_every_command(home):
    title = "title [/foo] [bold]x[/bold] [[a]] \\[b] {0} %s"
    rows = json.dumps([{"url": "https://a.example/[x]", "title": title}])
    assert call("record", title, "--results", "-", stdin=rows).code == 0
    for run in (("gems",), ("show", "1"), ("explain", title), ("check", title), ("gems", "--csv")):
        assert title in call(*run).out


def test_mulder_152_an_error_of_the_full_text_search_is_an_error(home):
    call("record", "canary hook", "--url", "https://a.example/")
    assert json.loads(call("gems", "canary", "--json").out)
    with closing(sqlite3.connect("gems.db")) as connection:
        connection.execute("DELETE FROM gems_fts_data WHERE id > 10")
        connection.commit()
    ran = call("gems", "canary", "--json")
    assert (ran.code, ran.out) == (5, "")
    assert "damaged" in ran.err


def test_claude_code_86707_a_history_with_keys_leaves_them_where_they_are(home):
    key = "AK" + "IA" + "Q3EGVX5RPN7TLWZ2"
    (log,) = logs.at_home("claude-code", logs.copied_home(home / "agents"))
    path = next(
        path
        for path in sorted(Path(log.path).rglob("*.jsonl"))
        if b"WebSearch" in path.read_bytes()
    )
    lines = path.read_text("utf-8").splitlines()
    asked = next(line for line in lines if '"WebSearch"' in line)
    topic = json.loads(asked)["message"]["content"]
    found = next(part["input"]["query"] for part in topic if part.get("name") == "WebSearch")
    path.write_text("\n".join(lines).replace(found, f"why does {key} fail"))
    for run in ((), ("--json",), ("--html", "report.html"), ("--into-ledger",)):
        ran = call("mine", "--source", "claude-code", "--path", log.path, *run)
        assert ran.code == 0
        assert key not in ran.out + ran.err
        assert "AWS" in ran.out, "its kind is counted"
    for name in ("report.html", "gems.db"):
        assert key.encode() not in Path(name).read_bytes()


def test_datasette_2178_no_label_of_an_edition_shows_a_private_row(home):
    call("record", "sparrow alpha", "--url", "https://a.example/1", "--private")
    call("record", "heron beta", "--url", "https://a.example/2")
    call("record", "alpha sparrow", "--url", "https://a.example/3")
    call("record", "beta heron", "--url", "https://a.example/4")
    assert call("publish", "edition/gems.db", "--yes").code == 0
    visitor = Visitor(shutil.copy("edition/gems.db", "served.db"))
    try:
        for path in ("/served", "/served/gems", "/served/rejections?_labels=on", "/served/results"):
            page = visitor.page(path)
            assert "sparrow" not in page, path
        rows = visitor.rows("/served/rejections.json?_labels=on")
        assert "sparrow" not in json.dumps(rows)
        assert "heron" in json.dumps(rows)
    finally:
        visitor.close()


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("served") / "gems.db")
    call("record", "canary hook", "--url", "https://a.example/", "--db", path)
    call("record", "hook canary", "--url", "https://b.example/", "--db", path)
    made = Visitor(path)
    yield made
    made.close()


MARKUP = "%3C/script%3E%3Cscript%3Ecanary()%3C/script%3E%22%20onfocus=%22canary()"


@pytest.mark.parametrize(
    "path",
    [
        f"/gems/gems?_trace=1&_search={MARKUP}",
        f"/gems/gems?{MARKUP}=1&_trace=1",
        f"/gems/rejections?_sort={MARKUP}",
        f"/gems/-/gemsearch/explain?topic={MARKUP}&_trace=1",
        f"/gems/-/gemsearch?{MARKUP}",
        f"/gems/why_refused?words={MARKUP}",
    ],
)
def test_datasette_1360_no_part_of_an_address_becomes_markup(visitor, path):
    answer = visitor.get(path, follow_redirects=True)
    assert not Page(answer.text).alarming


@pytest.mark.parametrize(
    "path",
    [
        f"/gems/-/gemsearch/gem/{MARKUP}",
        "/gems/-/gemsearch/rejection/99999999999999999999999999",
        f"/gems/-/gemsearch/{MARKUP}",
        f"/gems/{MARKUP}",
        f"/{MARKUP}/-/gemsearch",
        f"/gems?sql=select+{MARKUP}",
        f"/gems/gems/{MARKUP}",
    ],
)
def test_datasette_2359_no_error_reflects_markup(visitor, path):
    answer = visitor.get(path, follow_redirects=True)
    assert answer.status_code in {400, 404}
    html = answer.headers["content-type"].startswith("text/html")
    assert not html or not Page(answer.text).alarming
    assert not html or not alarms(
        "".join(text for _, text in Page(answer.text).text).split("\0")[0]
    )


def test_brave_search_mcp_server_162_processes_take_turns_through_the_ledger(home):
    """One search a second, however many processes ask at the same moment."""
    call("record", "canary hook", "--url", "https://a.example/")
    script = (
        "import sys; from datetime import datetime, UTC\n"
        "from gemsearch.ledger.connection import open_for_writing\n"
        "from gemsearch.ledger.pace import LedgerPace\n"
        "now = datetime(2026, 5, 11, tzinfo=UTC)\n"
        "pace = LedgerPace(open_for_writing('gems.db'), lambda: now)\n"
        "print(pace.claim('brave', 1.0))\n"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=env, text=True)
        for _ in range(4)
    ]
    waits = sorted(float(process.communicate(timeout=60)[0]) for process in started)
    assert waits == [0.0, 1.0, 2.0, 3.0]
