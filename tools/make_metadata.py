"""Writes metadata.yml from schema.sql's comments and the canned queries: `--check` only compares.

The plugin says the same by itself; the file is for a Datasette that does not have it.
"""

import json
import sys
from pathlib import Path

from gemsearch.datasette_plugin import metadata
from gemsearch.datasette_plugin.queries import QUERIES

FILE = Path(__file__).parent.parent / "metadata.yml"
DATABASE = "gems"  # the default ledger is gems.db

HEAD = """\
# Made by tools/make_metadata.py from the comments in gemsearch/ledger/schema.sql and from
# gemsearch/datasette_plugin/queries.py. Datasette 0.65: datasette gems.db -m metadata.yml
# Datasette 1.0 reads queries from -c only: datasette gems.db -m metadata.yml -c metadata.yml
"""


def text():
    columns = {name: about.columns for name, about in metadata.described().items()}
    database = {
        "description": metadata.DESCRIPTION,
        "tables": metadata.for_tables(columns),
        "queries": {query.name: query.in_metadata() for query in QUERIES},
    }
    whole = {"title": metadata.TITLE, "databases": {DATABASE: database}}
    return HEAD + "\n".join(_lines(whole)) + "\n"


def _lines(value, indent=""):
    """Just the YAML that is needed here; a quoted text is JSON, which YAML reads."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield f"{indent}{key}:"
            yield from _lines(inner, f"{indent}  ")
        elif isinstance(inner, str) and "\n" in inner:
            yield f"{indent}{key}: |-"
            yield from (f"{indent}  {line}".rstrip() for line in inner.strip().split("\n"))
        else:
            yield f"{indent}{key}: {json.dumps(inner, ensure_ascii=False)}"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(FILE.read_text("utf-8") != text())
    FILE.write_text(text(), "utf-8")
