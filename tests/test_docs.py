"""The documentation is generated, executed or compared: what it says is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "make_docs.py"), "--check"],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_examples_of_the_library_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    examples = blocks("docs/library.md", "python")
    assert len(examples) >= 7
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, "docs/library.md", "exec"), names)
    assert "sequence" in capsys.readouterr().out


def without_dates(text):
    return re.sub(r"\d{4}-\d{2}-\d{2}", "DAY", text).rstrip()


def assert_holds(printed, excerpt):
    """Every line of the excerpt, in its order; `...` stands for others."""
    at = 0
    for line in excerpt:
        if line == "...":
            continue
        assert line in printed[at:], f"{line!r} is not printed at this place"
        at = printed.index(line, at) + 1


def test_the_transcript_in_the_readme_is_what_the_demo_prints(gemsearch):
    [transcript] = [b for b in blocks("README.md", "console") if b.startswith("# A new topic")]
    printed = without_dates(gemsearch("demo").out).splitlines()
    assert_holds(printed, without_dates(transcript).splitlines())


def test_the_report_in_the_readme_is_that_of_its_page():
    """What the page shows is compared with the program in tests/history/test_mine.py."""
    [excerpt] = [b for b in blocks("README.md", "console") if b.startswith("$ gemsearch mine")]
    [whole, _] = blocks("docs/history.md", "console")
    assert_holds(whole.splitlines(), excerpt.splitlines())


@pytest.mark.parametrize("page", sorted(p.name for p in (ROOT / "docs").glob("*.md")))
def test_every_link_between_pages_leads_somewhere(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (ROOT / "docs" / target).exists(), f"{page} links to {target}"


def test_every_link_of_the_readme_leads_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (ROOT / target).exists(), target


def test_every_command_that_the_readme_shows_exists(gemsearch):
    from gemsearch.cli import cli

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|\$ |^)gemsearch ([a-z]+)", text, re.MULTILINE))
    assert named
    assert named <= set(cli.list_commands(None)), named
