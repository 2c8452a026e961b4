"""Every canned query answers, whatever its parameters are, on a ledger and on an edition."""

from __future__ import annotations

import sqlite3

import pytest

from gemsearch.datasette_plugin.queries import QUERIES, parameters

NAMES = [query.name for query in QUERIES]
NOT_IN_AN_EDITION = {"wordings_learned", "failed_or_empty_searches"}


@pytest.mark.parametrize("name", NAMES)
def test_a_query_answers_without_parameters(visitor, name):
    html = visitor.page(f"/gems/{name}")
    query = next(query for query in QUERIES if query.name == name)
    assert query.title in html.replace("&#39;", "'")
    assert isinstance(visitor.rows(f"/gems/{name}.json"), list)


@pytest.mark.parametrize("query", QUERIES, ids=NAMES)
@pytest.mark.parametrize("value", ["   ", "-1", '"', "zer-(", "1e400", "é"])
def test_a_query_takes_whatever_is_typed(visitor, query, value):
    for name in parameters(query.sql):
        answer = visitor.get(f"/gems/{query.name}.json", params={name: value, "_shape": "array"})
        assert answer.status_code == 200, answer.text


def test_why_refused_finds_the_refusal_by_its_words(visitor):
    (found,) = visitor.rows("/gems/why_refused.json?topic=internal+networking")
    assert found["covered_by"] == "io_uring zero-copy networking internals"
    assert found["signal"] == "sequence"
    assert found["score"] >= found["threshold"]


def test_signals_and_days_add_up_to_the_refusals(visitor):
    by_signal = visitor.rows("/gems/rejections_by_signal.json")
    assert {row["signal"] for row in by_signal} == {
        "identical", "subset", "sequence", "sources", "wording",
    }  # fmt: skip
    by_day = visitor.rows("/gems/rejections_by_day.json")
    assert sum(row["refusals"] for row in by_day) == sum(row["refusals"] for row in by_signal) == 5


def test_the_gem_that_refuses_most_comes_first_with_its_signals(visitor):
    first = visitor.rows("/gems/gems_that_refuse_most.json")[0]
    assert (first["topic"], first["refusals"]) == ("gitleaks pre-commit hook", 4)
    assert set(first["signals"].split(",")) == {"sources", "wording", "identical", "subset"}


def test_a_recurring_source_names_the_gems_it_ties_together(visitor):
    rows = visitor.rows("/gems/sources_that_recur.json?host=b.example")
    assert [row["gem_count"] for row in rows] == [2]
    assert rows[0]["gems"] == (
        "#2 io_uring zero-copy networking internals\n#3 postgres connection pooling"
    )


def test_two_gems_with_shared_sources_are_a_missed_duplicate(visitor):
    (pair,) = visitor.rows("/gems/missed_duplicates.json")
    assert (pair["gem_id"], pair["earlier_gem_id"], pair["shared_sources"]) == (3, 2, 2)
    assert visitor.rows("/gems/missed_duplicates.json?shared=3") == []


def test_an_overruled_refusal_is_a_possible_false_one(visitor):
    rows = visitor.rows("/gems/possible_false_refusals.json")
    doubts = {row["rejection_id"]: row["doubts"] for row in rows}
    assert doubts[4] == "marked wrong: asked for another tool"


def test_a_learned_wording_counts_what_it_refused_since(visitor):
    (row,) = visitor.rows("/gems/wordings_learned.json")
    assert row["learned_wording"] == "secret scanning at commit time"
    assert (row["gem_id"], row["rejection_id"], row["refused_since"]) == (1, 1, 1)


def test_repeats_avoided_are_counted_with_the_stated_estimate(visitor):
    rows = visitor.rows("/gems/repeats_avoided.json?tokens_per_search=10")
    assert sum(row["searches_avoided"] for row in rows) == 4
    assert sum(row["result_lists_withheld"] for row in rows) == 1
    assert sum(row["estimated_tokens_avoided"] for row in rows) == 50


def test_a_search_that_found_nothing_is_listed(visitor):
    (row,) = visitor.rows("/gems/failed_or_empty_searches.json")
    assert (row["topic"], row["state"]) == ("a search that finds nothing", "empty")


def test_equal_titles_under_new_urls_are_candidates(visit, tmp_path):
    from tests.datasette.visiting import fill

    path = fill(tmp_path / "gems.db")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE results SET title = 'How to scan for secrets' WHERE rank = 1")
    connection.commit()
    connection.close()
    (row, *_) = visit(path).rows("/gems/same_content_new_urls.json")
    assert row["title"] == "How to scan for secrets"
    assert (row["gems"], row["sources"]) == (3, 3)


def test_recent_gems_have_what_an_atom_feed_needs(visitor):
    row = visitor.rows("/gems/recent_gems.json")[0]
    assert {"atom_id", "atom_title", "atom_updated"} <= row.keys()
    assert row["atom_title"] == "postgres connection pooling"


def test_a_topic_refused_twice_is_listed_once(visitor):
    (row,) = visitor.rows("/gems/refused_again_and_again.json")
    assert (row["topic"], row["refusals"]) == ("secret scanning at commit time", 2)


def test_an_edition_offers_every_query_that_its_columns_allow(visit, edition):
    visitor = visit(edition, settings={"default_allow_sql": False})
    for name in NAMES:
        answer = visitor.get(f"/public/{name}")
        assert answer.status_code == (404 if name in NOT_IN_AN_EDITION else 200), name
    assert visitor.rows("/public/why_refused.json?topic=gitleaks")


def test_no_query_needs_sql_to_be_open(visit, ledger):
    visitor = visit(ledger, settings={"default_allow_sql": False})
    for name in NAMES:
        assert visitor.get(f"/gems/{name}.json").status_code == 200
    closed = visitor.get("/gems.json?sql=select+1", follow_redirects=True)
    assert closed.status_code == 403
