"""The edition's own tables, and what schema.sql's comments say of them."""

from __future__ import annotations

import os
import re
import sqlite3
from functools import cache
from typing import NamedTuple
from urllib.parse import quote

APPLICATION_ID = 0x47454D45  # "GEME": an edition is no ledger, and no ledger an edition
VERSION = 1

TABLES = ("gems", "urls", "results", "rejections", "rejection_urls")
SETTINGS = "edition"
MAPPED = 1 << 30  # bytes read without system calls: rows that belong together lie far apart
_INDEX = "CREATE INDEX"
SEARCHED = ("gems", "results", "rejections")  # each has a full-text table


class Description(NamedTuple):
    table: str
    columns: dict[str, str]


def create(edition: sqlite3.Connection, *, snippets: bool) -> None:
    """The tables. Their indexes are made when they are full, in a tenth of the time."""
    for statement in statements(snippets=snippets):
        if not statement.startswith(_INDEX):
            edition.execute(statement)
    edition.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    edition.execute(f"PRAGMA user_version = {VERSION}")


def create_indexes(edition: sqlite3.Connection, *tables: str) -> None:
    for statement in statements(snippets=False):
        if statement.startswith(_INDEX) and statement.split()[4] in tables:
            edition.execute(statement)


def open_finished(path: str) -> sqlite3.Connection:
    edition = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
    edition.execute(f"PRAGMA mmap_size = {MAPPED}")
    return edition


def statements(*, snippets: bool) -> list[str]:
    """What makes an edition; without snippets there is no column for them either."""
    return [
        statement
        for paragraph in _paragraphs(snippets=snippets)
        if (statement := _without_remarks(paragraph))
    ]


def descriptions(*, snippets: bool) -> dict[str, Description]:
    """For each table its sentence, and that of each of its columns."""
    found = {}
    for paragraph in _paragraphs(snippets=snippets):
        if table := re.search(r"^CREATE TABLE (\w+)", paragraph, re.MULTILINE):
            columns = re.findall(r"^  (\w+) .*? -- (.+)$", paragraph, re.MULTILINE)
            found[table[1]] = Description(_sentence_above(paragraph), dict(columns))
    return found


def _paragraphs(*, snippets: bool) -> list[str]:
    lines = _text().split("\n")
    if not snippets:
        lines = [line for line in lines if "snippet" not in line]
    return "\n".join(lines).split("\n\n")


@cache
def _text() -> str:
    with open(os.path.join(os.path.dirname(__file__), "schema.sql"), encoding="utf-8") as file:
        return file.read()


def _sentence_above(paragraph: str) -> str:
    lines = paragraph.strip().split("\n")
    return " ".join(line.removeprefix("-- ") for line in lines if line.startswith("-- "))


def _without_remarks(paragraph: str) -> str:
    lines = [line for line in paragraph.strip().split("\n") if not line.startswith("--")]
    return re.sub(r" -- .+$", "", "\n".join(lines), flags=re.MULTILINE).removesuffix(";")
