"""Whatever stands in a ledger, no page acts on it."""

from __future__ import annotations

import re
import sqlite3

import pytest

from gemsearch.core.text import hidden_count
from gemsearch.datasette_plugin.queries import QUERIES
from tests.datasette.markup import Page
from tests.datasette.visiting import Visitor, fill

HOSTILE = [
    "javascript:alert('canary')",
    "data:text/html,<script>canary</script>",
    "vbscript:canary",
    "  JaVaScRiPt:canary//https://a.example/",
    '"><script>canary()</script>',
    '\'" onmouseover="canary()" x=\'',
    "<img src=x onerror=canary()>",
    "</script></style></title></td><script>canary()</script>",
    "<svg/onload=canary()>",
    "{{ 7 * 7 }}{% canary %}",
    "https://user:pass@canary.example/",
    "https://canary.example\\@other.example/",
    'https://canary.example/"onclick="canary()',
    "https://canary.example/<script>canary()</script>",
    "http://canary.example/\u202egpj.exe",
    "\u202e\u2066canary\u200b\U000e0041\U000e0042",
    "\x1b]8;;https://canary.example/\x07canary\x1b[2J\x9b31m",
    "canary\r\nX-Canary: 1\x0b\x1c\u2028line",
    "canary " * 1500,
    "",
]


def spoil(path):
    """Put hostile values into every text column of every table, checked ones too."""
    fill(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("PRAGMA foreign_keys = OFF")
    tables = [
        name
        for name, sql in connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        )
        if not re.search("_fts|sqlite_|VIRTUAL|embeddings|words|index_", f"{name} {sql}")
    ]
    for table in tables:
        _spoil_table(connection, table)
    connection.commit()
    connection.close()
    return path


def _spoil_table(connection, table):
    columns = [
        (name, kind)
        for _, name, kind, _, _, key in connection.execute(f"PRAGMA table_info({table})")
        if not (key and kind == "INTEGER")
    ]
    for number, value in enumerate(HOSTILE):
        row = {name: value if kind == "TEXT" else number for name, kind in columns}
        if table == "urls":
            row["key"] = f"{value}{number}"
        if table == "results":
            row |= {"gem_id": number + 1, "rank": number + 100, "url_id": number + 1}
        for column in ("gem_id", "rejection_id", "url_id", "forced_gem_id"):
            if column in row:
                row[column] = number + 1
        marks = ", ".join("?" * len(row))
        connection.execute(
            f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({marks})", [*row.values()]
        )


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory):
    made = Visitor(spoil(tmp_path_factory.mktemp("spoiled") / "gems.db"))
    yield made
    made.close()


OURS = [
    "/gems/-/gemsearch",
    *(f"/gems/-/gemsearch/gem/{number}" for number in range(1, 24)),
    *(f"/gems/-/gemsearch/rejection/{number}" for number in range(1, 26)),
]
TABLES = [
    *("gems", "results", "urls", "rejections", "rejection_urls", "duplicates"),
    *("recurring_sources", "wordings", "exceptions", "searches"),
]
ROWS = [
    f"/gems/{table}/{number}"
    for table in ("gems", "results", "urls", "rejections")
    for number in (8, 18, 20)
]
CELLS = [*(f"/gems/{table}?_size=100" for table in TABLES), *ROWS]
DATASETTES = [
    "/",
    "/gems",
    # A text key is Datasette's own link; tables that have one hold no text from outside.
    *("/gems/settings", "/gems/history_files", "/gems/providers_state"),
    *(f"/gems/{query.name}?limit=100" for query in QUERIES),
    "/gems?sql=select+*+from+rejections",
]


@pytest.mark.parametrize("path", OURS)
def test_nothing_stored_acts_in_our_pages_or_hides_there(spoiled, path):
    page = Page(spoiled.page(path))
    assert not page.alarming
    assert not [text for _, text in page.text if hidden_count(text)]


@pytest.mark.parametrize("path", CELLS)
def test_nothing_stored_acts_in_a_table_or_hides_in_a_cell(spoiled, path):
    page = Page(spoiled.page(path))
    assert not page.alarming
    assert not [text for text in page.shown_in("td") if hidden_count(text)]


@pytest.mark.parametrize("path", DATASETTES)
def test_nothing_stored_acts_in_datasettes_other_pages(spoiled, path):
    assert not Page(spoiled.page(path)).alarming


@pytest.mark.parametrize("value", HOSTILE[:-1])
def test_a_hostile_topic_is_only_text_in_the_answer(spoiled, value):
    answer = spoiled.get("/gems/-/gemsearch/explain", params={"topic": value})
    assert answer.status_code == 200
    page = Page(answer.text)
    assert not page.alarming
    assert not [text for _, text in page.text if hidden_count(text)]


@pytest.mark.parametrize("value", HOSTILE[:-2])
def test_a_hostile_search_is_only_text(spoiled, value):
    answer = spoiled.get("/gems/rejections", params={"_search": value})
    assert answer.status_code in {200, 400}
    assert not Page(answer.text).alarming


def test_a_canonical_key_is_never_a_link(spoiled):
    addresses = Page(spoiled.page("/gems/urls?_size=100")).addresses
    connection = sqlite3.connect(spoiled.site.databases["gems"].path)
    keys = {key for (key,) in connection.execute("SELECT key FROM urls")}
    connection.close()
    outward = {value for _, value in addresses if value.startswith("http")}
    assert outward
    assert not outward & keys


def test_links_outward_vouch_for_nothing(spoiled):
    html = spoiled.page("/gems/results?_size=100") + spoiled.page("/gems/-/gemsearch/gem/1")
    outward = re.findall(r'<a href="https?://[^"]*"[^>]*>', html)
    outward += re.findall(r'<a class="gs-out" href="https?://[^"]*"[^>]*>', html)
    own = ("https://datasette.io/", "http://localhost/")
    outward = [link for link in outward if not any(address in link for address in own)]
    assert outward
    assert all('rel="nofollow noopener noreferrer ugc"' in link for link in outward)
