"""Which topics a call proposes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemsearch.toolcalls.topics import MAX_TOPICS, topics_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["query", "q", "queries", "search_query", "domains", "keywords"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("arguments", "topics"),
    [
        ({"query": "pond liner thickness"}, ("pond liner thickness",)),
        ({"q": "pond liner"}, ("pond liner",)),
        ('{"query": "pond liner"}', ("pond liner",)),
        ({"queries": ["pond liner", "koi", "pond liner"]}, ("pond liner", "koi")),
        ({"search_query": [{"q": "a b"}, {"q": "c d"}], "open": []}, ("a b", "c d")),
        ({"query": "a b", "queries": ["a b", "c d"]}, ("a b", "c d")),
        ({"query": "a b ...", "queries": ["a b", "c d"]}, ("a b", "c d")),
        ({"query": "and then ..."}, ("and then ...",)),
        ({"search_term": "pond"}, ("pond",)),
        ({"objective": "find a pond", "search_queries": ["pond"]}, ("pond",)),
        ({"objective": "find a pond"}, ("find a pond",)),
        ({"keywords": ["koi", "pond"]}, ("koi pond",)),
    ],
)  # fmt: skip
def test_topics_are_found_where_agents_write_them(arguments, topics):
    assert topics_of(arguments) == topics


@pytest.mark.parametrize(
    ("arguments", "topics"),
    [
        ({"query": "pond", "allowed_domains": ["Koi.example"]}, ("pond site:koi.example",)),
        ({"query": "pond", "blocked_domains": ["a.example", "b.example"]},
         ("pond -site:a.example -site:b.example",)),
        ({"query": "pond", "include_domains": "a.example, b.example"},
         ("pond site:a.example site:b.example",)),
        ({"search_query": [{"q": "pond", "domains": ["a.example"]}, {"q": "pond"}]},
         ("pond site:a.example", "pond")),
        ({"query": "pond", "allowed_domains": None}, ("pond",)),
    ],
)  # fmt: skip
def test_a_search_limited_to_sites_is_another_search(arguments, topics):
    assert topics_of(arguments) == topics


@pytest.mark.parametrize(
    "arguments", [None, 3, [], {}, "", "not json", "[1]", "{", {"query": ""}, {"query": "  "},
                  {"query": 3}, {"query": None}, {"url": "https://a.example/"}, {"queries": {}}],
)  # fmt: skip
def test_arguments_without_a_topic_give_none(arguments):
    assert topics_of(arguments) == ()


@given(json_values)
def test_any_arguments_give_distinct_texts_that_say_something(arguments):
    for found in (topics_of(arguments), topics_of(json.dumps(arguments))):
        assert len(found) == len(set(found)) <= MAX_TOPICS
        assert all(isinstance(topic, str) and topic.strip() for topic in found)


@given(st.text())
def test_text_that_is_no_json_gives_no_topic_and_no_error(text):
    assert isinstance(topics_of(text), tuple)


def test_a_call_of_a_thousand_topics_is_cut():
    assert len(topics_of({"queries": [f"topic {n}" for n in range(1000)]})) == MAX_TOPICS
