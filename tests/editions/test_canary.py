"""A canary in every column of the ledger sings in no byte, row or word of an edition."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gemsearch.editions import policy, schema

# What a row must hold to be published; another row holds the canary there, and isn't.
REQUIRED = {
    ("gems", "visibility"): "open",
    ("gems", "origin"): "search",
    ("rejections", "origin"): "search",
    ("rejections", "forced_gem_id"): None,
    ("rejections", "visibility"): "open",
}
POINTERS = {
    ("results", "gem_id"): ("gems", "id"),
    ("results", "url_id"): ("urls", "id"),
    ("rejections", "gem_id"): ("gems", "id"),
    ("rejection_urls", "rejection_id"): ("rejections", "id"),
    ("rejection_urls", "url_id"): ("urls", "id"),
}
# Renumbered or counted anew: the ledger's own value must not be there.
FLAGS = {("rejection_urls", "shared"), ("rejection_urls", "counted")}


def tables(connection):
    sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    return sorted(name for (name,) in connection.execute(sql) if not name.startswith("sqlite_"))


def canaries(connection):
    """A value of its own for every column: short words that no stemmer touches, large numbers."""
    places = [
        (table, row[1], row[2])
        for table in tables(connection)
        for row in connection.execute(f"PRAGMA table_xinfo({table})")
    ]
    found = {
        (table, column): value(number, column, kind)
        for number, (table, column, kind) in enumerate(places)
    }
    for pointer, target in POINTERS.items():
        found[pointer] = found[target]
    return found


def value(number, column, kind):
    word = f"zq{number:04d}x"
    if kind in {"INTEGER", "REAL"}:
        return 7_654_000 + number + (0.5 if kind == "REAL" else 0)
    if kind == "BLOB":
        return word.encode()
    return f"https://{word}.example.org/" if column == "url" else word


def fill(ledger):
    ledger.connection.execute("PRAGMA foreign_keys = OFF")
    ledger.connection.execute("PRAGMA ignore_check_constraints = ON")
    found = canaries(ledger.connection)
    for table in tables(ledger.connection):
        row = {column: found[place, column] for place, column in found if place == table}
        must = {column: held for (place, column), held in REQUIRED.items() if place == table}
        ledger.insert(table, **(row | must))
        for column in must:
            other = {"id": row["id"] + 500 + len(column)} if "id" in row else {}
            ledger.insert(table, **(row | must | other | {column: row[column]}))
    return found


def spelled(canary):
    """What to look for in bytes and words."""
    text = canary.decode() if isinstance(canary, bytes) else str(canary)
    return text.removeprefix("https://").removesuffix(".example.org/")


def cells(connection):
    for table in (*schema.TABLES, schema.SETTINGS):
        cursor = connection.execute(f"SELECT * FROM {table}")
        for row in cursor:
            for column, cell in zip(cursor.description, row, strict=True):
                yield (table, column[0]), cell


def words(connection):
    for table in schema.SEARCHED:
        connection.execute(
            f"CREATE VIRTUAL TABLE temp.w{table} USING fts5vocab(main, {table}_fts, row)"
        )
        yield from (term for (term,) in connection.execute(f"SELECT term FROM w{table}"))


def allowed(place, *, snippets):
    table, column = place
    if place == ("results", "snippet"):
        return snippets
    return column in policy.POLICY[table].public.split()


@pytest.mark.parametrize("snippets", [False, True])
def test_a_canary_outside_the_allowed_columns_is_nowhere(ledger, publish, snippets):
    found = fill(ledger)
    edition = publish(snippets=snippets)
    assert all(edition.report.published.values()), "each table has its row"
    raw = Path(edition.path).read_bytes()
    raw += b"".join(path.read_bytes() for path in Path(edition.path).parent.glob("*.*"))
    with closing(sqlite3.connect(edition.path)) as connection:
        shown = dict(cells(connection))
        numbers = {cell for cell in shown.values() if isinstance(cell, int | float)}
        told = " ".join([*(str(cell) for cell in shown.values()), *words(connection)])
    for place, canary in found.items():
        if allowed(place, snippets=snippets):
            continue
        if isinstance(canary, int | float):
            assert canary not in numbers, place
        else:
            assert spelled(canary) not in told, place
            assert spelled(canary).encode() not in raw, place


def test_a_canary_in_an_allowed_column_arrives(ledger, publish):
    found = fill(ledger)
    shown = dict(cells(sqlite3.connect(edition := publish(snippets=True).path)))
    assert edition
    for place, canary in found.items():
        if not allowed(place, snippets=True) or place in FLAGS:
            continue
        if place == ("urls", "url"):
            assert shown[place] == found["results", "url"], "the address a published gem got"
        elif place != ("results", "url"):
            assert shown[place] == canary, place


def test_deleted_words_of_the_ledgers_full_text_tables_are_not_in_the_edition(ledger, publish):
    gem = ledger.gem("zqdeleted secret plan", "https://chezmoi.io/")
    ledger.gem("chezmoi encryption")
    ledger.connection.execute("DELETE FROM gems WHERE id = ?", (gem,))
    edition = publish()
    assert b"zqdeleted" not in Path(edition.path).read_bytes()
    with closing(sqlite3.connect(edition.path)) as connection:
        assert sorted(words(connection)) == ["chezmoi", "encrypt"]
