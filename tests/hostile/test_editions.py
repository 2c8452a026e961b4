"""An edition of a hostile ledger holds clean text only, and what stands beside it is inert too."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
import yaml

from tests.hostile.calling import call
from tests.hostile.corpus import SHARP, storable
from tests.hostile.inert import alarms, is_forbidden


@pytest.fixture
def edition(home):
    def publish(*options):
        ran = call("publish", "edition/gems.db", "--yes", "--snippets", *options)
        assert ran.code == 0, ran.err
        assert not ran.alarms
        return home / "edition" / "gems.db"

    return publish


def texts_of(connection):
    listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
    for (table,) in connection.execute(listed).fetchall():
        if not table.endswith(("_data", "_idx", "_content", "_docsize", "_config")):
            for row in connection.execute(f"SELECT * FROM {table}"):
                yield from ((table, cell) for cell in row if isinstance(cell, str))


def words_of(connection):
    """What the full-text tables remember."""
    listed = "SELECT name FROM sqlite_master WHERE sql LIKE '%USING FTS5%'"
    for (table,) in connection.execute(listed).fetchall():
        connection.execute(
            f"CREATE VIRTUAL TABLE temp.w{table} USING fts5vocab(main, {table}, row)"
        )
        yield from (word for (word,) in connection.execute(f"SELECT term FROM w{table}"))


def test_every_text_and_word_of_an_edition_is_clean(entered, edition):
    with closing(sqlite3.connect(edition())) as connection:
        texts = [*texts_of(connection)]
        words = [*words_of(connection)]
        gems = connection.execute("SELECT count(*) FROM gems").fetchone()[0]
    assert gems > len(storable()) // 2
    assert not [(place, text) for place, text in texts if any(map(is_forbidden, set(text)))]
    assert not [word for word in words if any(map(is_forbidden, set(word)))]


def test_nothing_that_was_written_past_the_gates_reaches_an_edition_unclean(spoiled, edition):
    """It is cleaned or withheld."""
    with closing(sqlite3.connect(spoiled)) as connection:
        connection.execute("UPDATE gems SET day = '2026-05-11', result_count = 1")
        connection.execute("UPDATE rejections SET day = '2026-05-11', forced_gem_id = NULL")
        connection.commit()
    with closing(sqlite3.connect(edition())) as connection:
        texts = [*texts_of(connection)]
    assert len(texts) > 100
    assert not [(place, text) for place, text in texts if any(map(is_forbidden, set(text)))]


def test_no_address_of_an_edition_can_act(entered, edition):
    with closing(sqlite3.connect(edition())) as connection:
        addresses = [url for (url,) in connection.execute("SELECT url FROM urls")]
    assert addresses
    assert not [url for url in addresses if not url.lower().startswith(("http://", "https://"))]
    assert not [url for url in addresses if set(url) & set(' "<>`\\')]
    assert not [url for url in addresses if "@" in url.split("/")[2]]


def test_a_hostile_title_or_license_is_text_in_what_stands_beside_an_edition(entered, edition):
    for text in SHARP.values():
        ran = call("publish", "edition/gems.db", "--dry-run", "--title", text, "--license", text)
        assert ran.code in {0, 1}
        assert not ran.alarms
    title = "'\"]} &anchor !!python/object:x {{ 7*7 }} <script>canary</script> `x` # \u202eend"
    folder = edition("--title", title, "--license", title).parent
    said = yaml.safe_load(folder.joinpath("metadata.yml").read_text("utf-8"))
    assert said["title"] == title.replace("\u202e", "")
    for name in ("metadata.yml", "README.md"):
        assert not alarms(folder.joinpath(name).read_text("utf-8"))
