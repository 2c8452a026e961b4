"""docs/recovery.md: its commands do what it says, its messages are ours."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.care.conftest import PAGES
from tests.conftest import Loop

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "recovery.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
MESSAGES = re.findall(r"^\| `(.*?)` \|", PAGE.partition("## What needs")[0], re.MULTILINE)


def test_every_command_of_the_page_works_in_its_order(gemsearch, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    laptop = Loop("laptop.db")
    laptop.record("zanzibar kea", *PAGES)
    laptop.connection.close()
    gemsearch("record", "project nightjar", "--url", PAGES[0])
    assert len(COMMANDS) >= 12
    for line in COMMANDS:
        program, *words = shlex.split(line)
        assert program == "gemsearch", line
        ran = gemsearch(*words, stdin="y\n")
        assert ran.code == 0, (line, ran)
    left = [gem["topic"] for gem in gemsearch("gems", "--json").json]
    assert left == ["zanzibar kea"]


@pytest.mark.parametrize("message", MESSAGES)
def test_every_message_that_the_page_explains_is_one_of_ours(message):
    sources = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "gemsearch").rglob("*.py")
    )
    assert message in re.sub(r'"\s*\n\s*f?"', "", sources)


def test_every_command_that_the_page_names_exists():
    from gemsearch.cli import cli

    named = set(re.findall(r"`gemsearch ([a-z]+)", PAGE))
    assert named
    assert named <= set(cli.list_commands(None))
