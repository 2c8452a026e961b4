"""gemsearch as a plugin of sqlite-utils."""

from __future__ import annotations

import pytest
import sqlite_utils

from gemsearch import sql_functions


@pytest.fixture
def database():
    made = sqlite_utils.Database(memory=True)
    sql_functions.register(made.conn)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("gem_signature('Gitleaks Hook')", "gitleaks hook"),
        ("gem_signature(NULL)", None),
        ("canonical_url('https://www.example.org/a/?utm_source=x')", "example.org/a"),
        ("canonical_url('javascript:alert(1)')", None),
        ("canonical_url(7)", None),
        ("sequence_ratio('abcd', 'abcd')", 1.0),
        ("sequence_ratio('abcd', NULL)", None),
    ],
)
def test_the_cores_functions_are_sql_functions(database, sql, value):
    assert database.execute(f"SELECT {sql}").fetchone()[0] == value


def test_sqlite_utils_finds_the_plugin_where_gemsearch_is_installed(database):
    from importlib.metadata import entry_points

    found = entry_points(group="sqlite_utils", name="gemsearch")
    if not found:
        pytest.skip("gemsearch is not installed here")
    made = sqlite_utils.Database(memory=True)
    signed = made.execute("SELECT gem_signature('Gitleaks Hook')").fetchone()[0]
    made.close()
    assert signed == "gitleaks hook"
