"""Looks at a finished edition as a stranger would, before it gets its name.

The builder is not trusted here: the file is opened anew and every cell and every word of the
full-text tables is looked through again.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from gemsearch import errors
from gemsearch.core.text import clean_line, safe_url
from gemsearch.editions import findings, schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_TOGETHER = 32  # cells that are looked through at once
_JOURNAL_BYTES = slice(18, 20)  # of the file header: 1 and 1, or 2 and 2 for a write-ahead log


class EditionUnfit(errors.GemsearchError):
    """The edition is not what it should be. It was deleted; nothing was published."""


def check(
    path: str,
    counts: Mapping[str, int],
    *,
    snippets: bool,
    memory: findings.Memory | None = None,
) -> None:
    """Raises EditionUnfit on the first thing that is wrong with the edition at `path`.

    A text that is in `memory` was looked through as it stands, and isn't a second time.
    """
    memory = memory or findings.Memory()
    with closing(schema.open_finished(path)) as edition:
        for problem in _problems(edition, path, counts, memory, snippets=snippets):
            raise EditionUnfit(
                f"nothing was published: {problem}", hint="Nothing was written; please report it."
            )


def _problems(
    edition: sqlite3.Connection,
    path: str,
    counts: Mapping[str, int],
    memory: findings.Memory,
    *,
    snippets: bool,
) -> Iterator[str]:
    yield from _problems_of_the_file(edition, path)
    yield from _problems_of_the_schema(edition, snippets=snippets)
    yield from _problems_of_the_counts(edition, counts)
    for table in (*schema.TABLES, schema.SETTINGS):
        for column in _columns(edition, table):
            yield from _problems_of_the_cells(edition, table, column, memory)
    for table in schema.SEARCHED:
        yield from _problems_of_the_words(edition, table, memory)


def _problems_of_the_file(edition: sqlite3.Connection, path: str) -> Iterator[str]:
    wanted = {
        "application_id": schema.APPLICATION_ID,
        "user_version": schema.VERSION,
        "freelist_count": 0,
        "journal_mode": "delete",
        "integrity_check": "ok",
        "foreign_key_check": None,
    }
    for name, value in wanted.items():
        row = edition.execute(f"PRAGMA {name}").fetchone()
        if (row and row[0]) != value:
            yield f"its {name} is not {value}"
    with open(path, "rb") as file:
        if file.read(20)[_JOURNAL_BYTES] != b"\1\1":
            yield "it needs a write-ahead log"


def _problems_of_the_schema(edition: sqlite3.Connection, *, snippets: bool) -> Iterator[str]:
    """Every table, column and index is one of ours; there are neither triggers nor views."""
    with closing(sqlite3.connect(":memory:")) as model:
        schema.create(model, snippets=snippets)
        schema.create_indexes(model, *schema.TABLES)
        if _objects(edition) != _objects(model):
            yield "it has a table, column, index, trigger or view that it should not have"


def _objects(connection: sqlite3.Connection) -> set[tuple[str, str, str, str]]:
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def _problems_of_the_counts(
    edition: sqlite3.Connection, counts: Mapping[str, int]
) -> Iterator[str]:
    for table, count in counts.items():
        if _number(edition, f"SELECT count(*) FROM {table}") != count:
            yield f"{table} does not have {count} rows"
    for table in schema.SEARCHED:
        if _number(edition, f"SELECT count(*) FROM {table}_fts_docsize") != counts[table]:
            yield f"{table}_fts does not have the rows of {table}"
    if _number(edition, "SELECT total(result_count) FROM gems") != counts["results"]:
        yield "the gems' result counts are wrong"


def _number(edition: sqlite3.Connection, sql: str) -> int:
    return int(edition.execute(sql).fetchone()[0])


def _columns(edition: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in edition.execute(f"PRAGMA table_info({table})")]


def _problems_of_the_cells(
    edition: sqlite3.Connection, table: str, column: str, memory: findings.Memory
) -> Iterator[str]:
    find = findings.in_address if (table, column) == ("urls", "url") else findings.in_text
    cells = edition.execute(
        f"SELECT {column} FROM {table} WHERE typeof({column}) IN ('text', 'blob')"
    )
    for chunk in _chunks(cells):
        yield from (
            f"{table}.{column} {problem}" for cell in chunk if (problem := _unfit(cell, find))
        )
        if not memory.are_clean(chunk):
            yield from (f"{table}.{column} contains {kind}" for kind in _kinds(chunk, find))


def _problems_of_the_words(
    edition: sqlite3.Connection, table: str, memory: findings.Memory
) -> Iterator[str]:
    edition.execute(
        f"CREATE VIRTUAL TABLE temp.words_of_{table} USING fts5vocab(main, {table}_fts, row)"
    )
    for chunk in _chunks(edition.execute(f"SELECT term FROM words_of_{table}")):
        if not memory.are_clean(chunk):
            yield from (f"{table}_fts contains {kind}" for kind in _kinds(chunk, findings.in_text))


def _chunks(rows: sqlite3.Cursor) -> Iterator[list[object]]:
    while chunk := rows.fetchmany(_TOGETHER):
        yield [row[0] for row in chunk]


def _unfit(cell: object, find: Callable[[str], str]) -> str:
    if not isinstance(cell, str):
        return "holds bytes"
    if clean_line(cell) != cell:
        return "holds hidden characters"
    if find is findings.in_address and safe_url(cell) != cell:
        return f"contains {findings.NOT_TO_BE_SHOWN}"
    return ""


def _kinds(chunk: list[object], find: Callable[[str], str]) -> Iterator[str]:
    return filter(None, (find(cell) for cell in chunk if isinstance(cell, str)))
