"""The whole corpus through Datasette: pages, tables, questions and the JSON that programs read.

tests/datasette/test_hostile.py looks at each kind of page; here are all inputs.
"""

from __future__ import annotations

import shutil

import pytest

from gemsearch.core.text import hidden_count
from gemsearch.datasette_plugin.queries import QUERIES
from tests.datasette.markup import Page
from tests.datasette.visiting import Visitor as Plain
from tests.hostile.corpus import part, storable
from tests.hostile.counted import TRIED
from tests.hostile.parts import parts

TABLES = ("gems", "results", "urls", "rejections", "searches", "wordings", "exceptions")
WIDEST = ("results", "rejections")
NUMBERS = range(1, len(storable()) + 1)


class Visitor(Plain):
    def get(self, path, **options):
        TRIED["pages"] += 1
        return super().get(path, **options)


@pytest.fixture(scope="module")
def visitor(templates, tmp_path_factory):
    copy = tmp_path_factory.mktemp("served") / "gems.db"
    made = Visitor(shutil.copy(templates / "spoiled.db", copy))
    yield made
    made.close()


@parts(12)
@pytest.mark.parametrize("kind", ["gem", "rejection"])
def test_no_page_of_ours_acts_or_hides_anything(step, visitor, kind):
    for number in NUMBERS[::step]:
        page = Page(visitor.page(f"/gems/-/gemsearch/{kind}/{number}"))
        assert not page.alarming, number
        assert not [text for _, text in page.text if hidden_count(text)], number


@parts(3)
@pytest.mark.parametrize("table", TABLES)
def test_no_cell_of_a_table_acts_or_hides_anything(step, visitor, table):
    rows = 0
    key = "rejection_id" if table in {"wordings", "exceptions"} else "id"
    for after in (0, 100, 200)[:: step if table not in WIDEST else 1]:
        page = Page(
            visitor.page(f"/gems/{table}?_size=100&_nofacets=1&_sort={key}&{key}__gt={after}")
        )
        cells = page.shown_in("td")
        assert not page.alarming
        assert not [text for text in cells if hidden_count(text)]
        rows += len(cells)
    assert rows > len(NUMBERS)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_no_answer_to_a_canned_question_acts(visitor, query):
    assert not Page(visitor.page(f"/gems/{query.name}?limit=200")).alarming


@pytest.mark.parametrize(
    "typed", ["%ff%fe", "%ed%a0%80", "%00", "%0d%0aX-Injected:%20canary", "a" * 9000]
)
def test_bytes_that_are_no_text_are_an_answer_too(visitor, typed):
    answer = visitor.get(f"/gems/-/gemsearch/explain?topic={typed}")
    assert answer.status_code == 200
    assert "x-injected" not in answer.headers
    assert not Page(answer.text).alarming


@parts(19)
def test_no_topic_that_is_typed_acts(step, visitor):
    for name, text in part(step, inputs=storable()).items():
        answer = visitor.get("/gems/-/gemsearch/explain", params={"topic": text[:4000]})
        assert answer.status_code == 200, name
        page = Page(answer.text)
        assert not page.alarming, name
        assert not [text for _, text in page.text if hidden_count(text)], name
