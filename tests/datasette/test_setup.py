"""How the plugin is loaded and what it sets up: once, whichever way, on both lines of Datasette."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys

import click
import pytest
import yaml
from datasette.version import __version__ as version

from gemsearch.charts import timeline
from gemsearch.datasette_plugin import headers, metadata
from gemsearch.datasette_plugin.queries import QUERIES
from gemsearch.datasette_plugin.site import below_floor
from gemsearch.editions.schema import APPLICATION_ID
from gemsearch.ledger import migrations
from gemsearch.ledger.connection import open_for_writing
from tests.datasette.markup import Page
from tests.datasette.visiting import ROOT
from tools import make_metadata

AT = "/gems/-/gemsearch"
SEARCHED = ("gems", "results", "rejections", "duplicates")
FACETS = [
    (table, facet)
    for table, shown in metadata.for_tables(
        {name: about.columns for name, about in metadata.described().items()}
    ).items()
    for facet in shown.get("facets", ())
]


# Loading

PROBE = """
import asyncio, json, re, sys
from datasette.app import Datasette
from datasette.plugins import pm
async def probe(path, plugins_dir):
    site = Datasette([path], plugins_dir=plugins_dir or None)
    await site.invoke_startup()
    page = (await site.client.get("/gems/-/gemsearch"))
    css = re.findall('href="(/-/gemsearch/gemsearch.css[^"]*)"', page.text)
    styled = [(await site.client.get(one)).status_code for one in css]
    print(json.dumps({
        "plugins": [name for p in site._plugins() if "gemsearch" in (name := p["name"])],
        "status": page.status_code,
        "styled": styled,
        "menu": page.text.count(">Overview of the ledger<"),
        "policies": len([k for k, _ in page.headers.multi_items() if "security-policy" in k]),
    }))
asyncio.run(probe(*sys.argv[1:]))
"""


@pytest.mark.parametrize("way", ["entry point", "plugins-dir", "both"])
def test_the_plugin_is_loaded_once_whichever_way(ledger, tmp_path, way):
    if way != "plugins-dir":
        about = tmp_path / "gemsearch-0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gemsearch\nVersion: 0\n")
        (about / "entry_points.txt").write_text(
            "[datasette]\ngemsearch = gemsearch.datasette_plugin\n"
        )
    folder = "" if way == "entry point" else str(ROOT / "datasette_plugins")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(ledger), folder],
        env=environment, capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    found = json.loads(done.stdout)
    plugins = set(found.pop("plugins")) - {"gemsearch.py"}  # the shim itself
    assert len(plugins) == 1
    assert found == {
        "status": 200, "styled": [200], "menu": 1, "policies": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("found", "below"),
    [
        ("0.64.8", True), ("0.65.4", True), ("0.65.5", False), ("0.66", False),
        ("1.0a1", True), ("1.0a40", True), ("1.0a41", False), ("1.0", False), ("1.1a2", False),
        ("unknown", False),
    ],
)  # fmt: skip
def test_a_datasette_below_the_security_floor_is_known(found, below):
    assert below_floor(found) is below


def test_a_ledger_is_not_served_below_the_floor(visit, ledger, monkeypatch):
    from datasette.utils import StartupError

    monkeypatch.setattr("datasette.version.__version__", "1.0a40")
    with pytest.raises(StartupError, match=r"update it to 0\.65\.5 or 1\.0a41"):
        visit(ledger)


# What is described, and how it is shown


def test_metadata_yml_is_up_to_date():
    assert make_metadata.FILE.read_text("utf-8") == make_metadata.text()


def test_metadata_yml_holds_every_query_and_no_permission():
    whole = yaml.safe_load(make_metadata.text())
    database = whole["databases"]["gems"]
    assert list(database["queries"]) == [query.name for query in QUERIES]
    assert database["queries"]["why_refused"]["sql"] == QUERIES[0].sql.strip()
    assert not re.search("allow|permission|secret:|token:", make_metadata.text())


def test_every_table_and_column_of_the_schema_is_described():
    connection = sqlite3.connect(":memory:")
    migrations.migrate(connection)
    names = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND sql NOT LIKE '%fts%'"
    )
    for (table,) in connection.execute(names).fetchall():
        if table.startswith("sqlite_"):
            continue
        about = metadata.described()[table]
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        assert about.description, table
        assert columns <= about.columns.keys(), table
    connection.close()


@pytest.mark.parametrize("table", metadata.VISIBLE)
def test_a_table_page_explains_its_columns(visitor, table):
    html = visitor.page(f"/gems/{table}")
    about = metadata.described()[table]
    assert about.description in " ".join(text for _, text in Page(html).text)
    said = " ".join(text.strip() for text in Page(html).shown_in("dd"))
    for text in about.columns.values():
        assert text in said, text


def test_what_is_not_for_reading_is_hidden(visitor):
    tables = {
        table["name"]: table["hidden"] for table in visitor.get("/gems.json").json()["tables"]
    }
    shown = {name for name, hidden in tables.items() if not hidden}
    assert shown == set(metadata.VISIBLE) - {"duplicates", "recurring_sources"}


@pytest.mark.parametrize(("table", "facet"), FACETS)
def test_a_facet_is_answered_by_an_index(ledger, table, facet):
    connection = sqlite3.connect(ledger)
    plan = connection.execute(
        f"EXPLAIN QUERY PLAN SELECT {facet} AS value, count(*) AS n FROM (SELECT * FROM {table})"
        f" WHERE {facet} IS NOT NULL GROUP BY {facet} ORDER BY n DESC, value LIMIT 31"
    ).fetchall()
    connection.close()
    assert "USING COVERING INDEX" in plan[0][3], plan


def test_every_facet_that_people_ask_for_is_there(visitor):
    found = {facet for _, facet in FACETS}
    assert found == {"provider", "agent", "project", "origin", "day", "gate", "signal", "host"}
    html = visitor.page("/gems/rejections")
    assert "signal=wording" in html


@pytest.mark.parametrize("table", SEARCHED)
def test_a_table_can_be_searched_and_keeps_what_was_searched_for(visitor, table):
    html = visitor.page(f"/gems/{table}?_search=gitleaks")
    box = re.search(r'<input id="_search"[^>]*>', html)[0]
    assert 'value="gitleaks"' in box


def test_foreign_keys_read_as_topics_and_lead_to_our_pages(visitor):
    html = visitor.page("/gems/rejections")
    assert f'<a href="{AT}/gem/1">gitleaks pre-commit hook</a>' in html
    assert f'<a href="{AT}/rejection/3">hook gitleaks pre-commit</a>' in html


def test_the_newest_comes_first(visitor):
    for table, column in (("gems", "id"), ("rejections", "id"), ("urls", "gem_count")):
        values = [row[column] for row in visitor.rows(f"/gems/{table}.json")]
        assert values == sorted(values, reverse=True)


def test_what_the_person_configured_stays(visit, ledger, tmp_path):
    said = {"databases": {"gems": {"description": "Ours", "tables": {"gems": {"sort": "topic"}}}}}
    visitor = visit(ledger, metadata=said)
    topics = [row["topic"] for row in visitor.rows("/gems/gems.json")]
    assert topics == sorted(topics)
    html = visitor.page("/gems")
    assert "Ours" in html
    assert metadata.DESCRIPTION not in html


def test_a_database_that_is_no_ledger_is_left_alone(visit, ledger, tmp_path):
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE pets (name TEXT, gem_id INTEGER)")
        connection.execute("INSERT INTO pets VALUES ('javascript:x\u202e', 7)")
    connection.close()
    visitor = visit(ledger, other)
    answer = visitor.get("/other/pets")
    assert "content-security-policy" not in answer.headers
    assert "/-/gemsearch/gem/" not in answer.text
    assert visitor.get("/other/-/gemsearch").status_code == 404
    assert "content-security-policy" in visitor.get("/gems/gems").headers


def test_menus_and_actions_lead_to_our_pages(visitor):
    for path in ("/gems", "/gems/rejections"):
        html = visitor.page(path)
        assert f'href="{AT}"' in html
        assert f'href="{AT}/explain"' in html
    assert 'href="/gems/near_threshold"' in visitor.page("/gems/rejections")
    row = visitor.page("/gems/rejections/3")
    assert f'href="{AT}/rejection/3"' in row


def test_a_menu_names_the_ledgers_that_may_be_seen_and_no_others(visit, ledger, edition):
    html = visit(ledger, edition).page("/")
    assert "gems: Overview of the ledger" in html
    assert "public: Overview of the ledger" in html
    private = {"databases": {"gems": {"allow": {"id": "root"}}}}
    html = visit(ledger, edition, metadata=private).page("/public")
    assert "/gems/-/gemsearch" not in html
    assert "/public/-/gemsearch" in html


@pytest.mark.parametrize("path", ["", "/gem/1", "/rejection/1", "/explain?topic=gitleaks"])
def test_every_address_keeps_the_sites_prefix(visit, ledger, path):
    visitor = visit(ledger, settings={"base_url": "/lab/"})
    addresses = [url for _, url in Page(visitor.page(f"{AT}{path}")).addresses]
    assert all(url.startswith(("/lab/", "https://")) for url in addresses), addresses


def test_a_ledger_may_have_an_odd_name(visit, tmp_path, ledger):
    path = tmp_path / "my ledger.v2 (é).db"
    path.write_bytes(ledger.read_bytes())
    visitor = visit(path, memory=True)
    name = visitor.site.urls.database(path.stem)
    for page in ("", "/gem/1", "/rejection/1", "/explain?topic=gitleaks"):
        answer = visitor.get(f"{name}/-/gemsearch{page}")
        assert answer.status_code == 200
        assert "content-security-policy" in answer.headers
        own = [url for _, url in Page(answer.text).addresses if "gemsearch/" in url]
        assert all(visitor.get(url).status_code == 200 for url in own), own


def test_the_cores_functions_can_be_used_in_sql(visitor):
    sql = "select canonical_url('https://www.example.org/a/?utm_source=x') as url"
    (row,) = visitor.rows(f"/gems.json?sql={sql.replace(' ', '+')}")
    assert row["url"] == "example.org/a"


# Headers and who may ask


@pytest.mark.parametrize("path", ["/", "/gems", "/gems/gems", AT, "/-/gemsearch/gemsearch.css"])
def test_every_page_of_a_ledger_has_the_headers(visitor, path):
    found = visitor.get(path).headers
    assert "default-src 'self'" in found["content-security-policy"]
    assert "unsafe-eval" not in found["content-security-policy"]
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "no-referrer"
    assert found["x-robots-tag"] == "noindex, nofollow"


def test_the_style_sheet_has_a_dark_side_and_fetches_nothing(visitor):
    css = visitor.page("/-/gemsearch/gemsearch.css")
    assert "@media (prefers-color-scheme: dark)" in css
    assert "url(" not in css
    assert "@import" not in css


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8001", 200), ("localhost", 200), ("[::1]:8001", 200),
        ("evil.example", 421), ("127.0.0.1.evil.example:8001", 421), ("", 421),
    ],
)  # fmt: skip
def test_a_ledger_opened_by_serve_answers_only_under_its_own_names(
    visitor, monkeypatch, host, status
):
    monkeypatch.setenv(headers.LOOPBACK_ONLY, "1")
    assert visitor.get(AT, headers={"host": host}).status_code == status


@pytest.mark.parametrize(("host", "warned"), [("localhost", False), ("ledger.example", True)])
def test_the_overview_warns_when_a_live_ledger_leaves_the_machine(visitor, host, warned):
    html = visitor.get(AT, headers={"host": host}).text
    assert ("served beyond this machine" in html) is warned


def test_the_overview_warns_when_datasette_listens_everywhere(visitor):
    with click.Context(click.Command("serve")) as context:
        context.params["host"] = "0.0.0.0"
        assert "served beyond this machine" in visitor.page(AT)


def test_an_edition_may_be_served_anywhere(visit, edition):
    html = visit(edition).get("/public/-/gemsearch", headers={"host": "ledger.example"}).text
    assert "served beyond this machine" not in html


@pytest.mark.parametrize("path", ["/gems/gems/-/insert", "/gems/gems/1/-/delete", AT])
def test_nothing_can_be_written(visitor, ledger, path):
    before = ledger.read_bytes()
    answer = visitor.run(visitor.site.client.post(path, json={"row": {"topic": "x"}}))
    assert answer.status_code in {400, 403, 404, 405}
    assert ledger.read_bytes() == before


def test_sql_is_open_on_a_live_ledger_and_reads_only(visitor):
    (row,) = visitor.rows("/gems.json?sql=select+count(*)+as+n+from+rejections")
    assert row["n"] == 5
    refused = visitor.get("/gems.json?sql=delete+from+gems", follow_redirects=True)
    assert refused.status_code in {400, 403}


@pytest.mark.parametrize(("flag", "status"), [("0", 200), ("1", 403)])
def test_an_edition_that_closes_sql_is_closed_and_keeps_its_queries(
    visit, edition, tmp_path, flag, status
):
    path = tmp_path / "public.db"
    path.write_bytes(edition.read_bytes())
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("CREATE TABLE edition (name TEXT PRIMARY KEY, value TEXT)")
    connection.execute("INSERT INTO edition VALUES ('no_sql', ?)", (flag,))
    connection.commit()
    connection.close()
    visitor = visit(path)
    answer = visitor.get("/public.json?sql=select+1", follow_redirects=True)
    assert answer.status_code == status
    assert visitor.get("/public/why_refused").status_code == 200
    assert visitor.get("/public/-/gemsearch").status_code == 200


def test_a_ledger_made_meanwhile_is_found(visit, tmp_path):
    """An attached file is looked at when somebody first asks for it."""
    from datasette.database import Database

    visitor = visit(memory=True)
    open_for_writing(str(tmp_path / "late.db")).close()
    visitor.site.add_database(Database(visitor.site, path=str(tmp_path / "late.db")), name="late")
    assert visitor.get("/late/-/gemsearch").status_code == 200


# Charts


@pytest.mark.parametrize(
    ("days", "unit", "spans"),
    [
        (["2026-05-11"], "day", 1),
        (["2026-05-11", "2026-06-24"], "day", 45),
        (["2026-05-11", "2026-06-30"], "week", 8),
        (["2025-01-31", "2026-05-11"], "month", 17),
        (["", "nonsense", "2026-05-11", "9999-99-99"], "day", 1),
    ],
)
def test_a_timeline_has_as_many_columns_as_can_be_seen(days, unit, spans):
    drawn = timeline(dict.fromkeys(days, 1), {days[-1]: 3})
    assert (drawn.unit, len(drawn.spans)) == (unit, spans)


def test_no_day_no_timeline():
    assert timeline({}, {"": 3}) is None


def test_both_lines_of_datasette_are_meant():
    assert version.startswith(("0.65.", "1."))


# What docs/datasette.md says


def test_the_page_about_datasette_names_every_query():
    page = (ROOT / "docs" / "datasette.md").read_text("utf-8")
    table = page.partition("## Questions")[2].partition("![")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    named = set(re.findall("`([a-z_]+)`", " ".join(cells)))
    assert named == {query.name for query in QUERIES}


def test_the_sql_on_that_page_runs(visitor):
    page = (ROOT / "docs" / "datasette.md").read_text("utf-8")
    examples = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    assert examples
    for sql in examples:
        answer = visitor.get("/gems.json", params={"sql": sql}, follow_redirects=True)
        assert answer.status_code == 200, answer.text
