"""What Datasette says about the ledger's tables, made from the comments in schema.sql.

The text stands there once, beside the columns it describes; this module reads it and adds how the
tables are shown. `tools/make_metadata.py` writes the same to metadata.yml.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.ledger import migrations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TITLE = "gemsearch ledger"
DESCRIPTION = (
    "What agents searched the web for, what they found, and which topics were refused because an"
    " earlier search already covered them. A topic is judged by the query gate before the search"
    " and by the source gate after it; a novel one is recorded as a gem."
)

# Tables and views that people read, in the order of the method; every other one is hidden.
VISIBLE = (
    "gems",
    "results",
    "urls",
    "rejections",
    "rejection_urls",
    "duplicates",
    "recurring_sources",
)

# How they are shown. Each facet column has an index.
_SHOWN: dict[str, dict[str, object]] = {
    "gems": {
        "label_column": "topic",
        "sort_desc": "id",
        "facets": ["provider", "agent", "project", "origin", "day"],
    },
    "results": {"label_column": "title"},
    "urls": {"label_column": "url", "sort_desc": "gem_count", "facets": ["host"]},
    "rejections": {
        "label_column": "topic",
        "sort_desc": "id",
        "facets": ["gate", "signal", "agent", "project", "provider", "origin", "day"],
    },
    "duplicates": {
        "sort_desc": "rejection_id",
        "fts_table": "rejections_fts",
        "fts_pk": "rejection_id",
    },
    "recurring_sources": {"sort_desc": "gem_count"},
}


_COLUMN = re.compile(r"^  ([a-z_]+) [A-Z][^\n]*?(?: -- (.+))?$", re.MULTILINE)


class Described(NamedTuple):
    """A table or view as schema.sql describes it."""

    description: str
    columns: dict[str, str]


@cache
def described() -> dict[str, Described]:
    """Every table and view of schema.sql."""
    found: dict[str, Described] = {}
    for paragraph in migrations.schema().split("\n\n"):
        named = re.search(r"^CREATE (TABLE|VIEW) (\w+)", paragraph, re.MULTILINE)
        if not named:
            continue
        table = named[1] == "TABLE"
        columns = _table_columns(paragraph) if table else _view_columns(paragraph, found)
        found[named[2]] = Described(_comment_above(paragraph), columns)
    return found


def for_tables(tables: Mapping[str, Iterable[str]]) -> dict[str, dict[str, object]]:
    """The metadata of the tables and views of one file, by name; `tables` has their columns."""
    return {name: _for_table(name, list(columns)) for name, columns in tables.items()}


def _for_table(name: str, columns: list[str]) -> dict[str, object]:
    about = described().get(name, Described("", {}))
    shown = dict(_SHOWN.get(name, {}))
    if "facets" in shown:
        shown["facets"] = [facet for facet in _facets(name) if facet in columns]
    if about.description:
        shown["description"] = about.description
    texts = {column: about.columns[column] for column in columns if column in about.columns}
    if texts:
        shown["columns"] = texts
    if name not in VISIBLE:
        shown["hidden"] = True
    return shown


def _facets(name: str) -> list[str]:
    facets = _SHOWN[name]["facets"]
    assert isinstance(facets, list)  # noqa: S101 - the constant above
    return facets


def _comment_above(paragraph: str) -> str:
    above = []
    for line in paragraph.strip().split("\n"):
        if not line.startswith("--"):
            break
        above.append(line.removeprefix("--").strip())
    return " ".join(above)


def _table_columns(paragraph: str) -> dict[str, str]:
    """The comment behind each column; a key without one is the row's own number."""
    columns = {}
    for name, text in _COLUMN.findall(paragraph):
        if text or name == "id":
            columns[name] = text or "number of the row"
    return columns


def _view_columns(paragraph: str, tables: Mapping[str, Described]) -> dict[str, str]:
    """A view's columns mean what the columns behind them mean."""
    behind = re.findall(r"(\w+)\.(\w+)(?: AS (\w+))?(?=,|\s+FROM)", paragraph)
    return {
        renamed or column: text
        for table, column, renamed in behind
        if table in tables and (text := tables[table].columns.get(column))
    }
