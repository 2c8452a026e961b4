"""`gemsearch publish`: a report, a question, and nothing on the disk before the answer."""

from __future__ import annotations

import io
import os
import sqlite3
from contextlib import closing

import pytest

from gemsearch.cli import run

MAIL = "jo.doe" + "@" + "mailbox.org"


@pytest.fixture
def call(ledger, tmp_path, monkeypatch, capsys):
    """Calls the command within a folder of its own; gives the exit code and what was printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GEMSEARCH_CONFIG", str(tmp_path / "config.toml"))
    ledger.gem("chezmoi encryption", "https://one.example.org/a")
    ledger.gem(f"mails of {MAIL}")
    ledger.gem("nightjar plan", visibility="private")

    def call(*arguments, answer=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        code = run(["publish", "out/gems.db", "--db", ledger.path, *arguments])
        return code, *capsys.readouterr()

    return call


def test_a_dry_run_reports_and_writes_nothing(call, tmp_path):
    before = sorted(os.listdir(tmp_path))
    code, out, _ = call("--dry-run")
    assert code == 0
    assert out.splitlines() == [
        "rows  published",
        "1     gems",
        "1     urls",
        "1     results",
        "0     rejections",
        "0     rejection_urls",
        "",
        "rows  withheld  because",
        "1     gems      private",
        "1     gems      contains an e-mail address",
    ] or sorted(out.splitlines()[8:]) == sorted([
        "1     gems      contains an e-mail address",
        "1     gems      private",
    ])  # fmt: skip
    assert MAIL not in out
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize(("answer", "code"), [("n\n", 130), ("", 130), ("y\n", 0)])
def test_it_asks_before_it_writes(call, answer, code):
    got, _, err = call(answer=answer)
    assert got == code
    assert "Write gems.db?" in err
    assert os.path.exists("out") == (code == 0)


def test_yes_answers_the_question_and_a_second_edition_replaces_the_first(call):
    code, out, _ = call("--yes", "--title", "Gems", "--license", "CC0-1.0")
    assert code == 0
    assert out.splitlines()[-3:] == [
        f"written  {os.path.abspath('out')}/{name}"
        for name in ("gems.db", "metadata.yml", "README.md")
    ]
    code, _, err = call(answer="y\n")
    assert (code, "Replace gems.db?" in err) == (0, True)


def test_its_options_reach_the_edition(call):
    assert call("--yes", "--no-sql", "--no-download", "--snippets")[0] == 0
    with closing(sqlite3.connect("out/gems.db")) as edition:
        told = dict(edition.execute("SELECT name, value FROM edition"))
        assert (told["no_sql"], told["no_download"]) == ("1", "1")
        assert edition.execute("SELECT snippet FROM results").fetchall() == [("A snippet.",)]


def test_nothing_to_publish_is_a_wrong_call(call):
    code, out, err = call("--yes", "--since", "2030-01-01")
    assert code == 1
    assert "from before the chosen day" in out
    assert "no gem is left" in err
    assert not os.path.exists("out")


def test_a_day_that_is_none_is_a_wrong_call(call):
    assert call("--since", "yesterday")[0] == 1


def test_a_missing_ledger_is_said(call, tmp_path, capsys):
    assert run(["publish", "out/gems.db", "--db", str(tmp_path / "none.db")]) == 5
    assert "there is no ledger yet" in capsys.readouterr().err
