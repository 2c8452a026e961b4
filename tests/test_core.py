"""Properties of the pure functions: signatures, similarity, candidates, results, sources."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemsearch.core import query_gate
from gemsearch.core.model import Result, Stored
from gemsearch.core.profiles import PROFILES, SOURCES_COMPARED
from gemsearch.core.results import as_results, sources_by_rank
from gemsearch.core.signature import EXACT, PUBLISHED, sign, signature
from gemsearch.core.similarity import Likeness, length_window, ratio
from gemsearch.core.text import clean_line
from gemsearch.ledger.candidates import Listed, PlainScan
from tests.conftest import Loop

FORMS = [PUBLISHED, EXACT]
THRESHOLDS = [0.5, 0.82, 0.86, 0.9, 1.0]

words = st.sampled_from(
    "git hook gitleaks secrets pre commit io_uring c++ c# .net $@ 15 16 ÄÖ 東京".split()
)
topics = st.lists(words, min_size=1, max_size=6).map(" ".join)
near = st.text(alphabet="abc ", max_size=30)


@given(st.text())
@pytest.mark.parametrize("form", FORMS)
def test_a_signature_is_stable_sorted_and_has_no_word_twice(form, text):
    found = signature(text, form)
    assert signature(found, form) == found
    assert found.split(" ") == sorted(set(found.split(" ")))


@given(st.lists(words, min_size=1, max_size=6), st.randoms())
@pytest.mark.parametrize("form", FORMS)
def test_the_order_case_and_repetition_of_words_do_not_matter(form, chosen, random):
    shuffled = [*random.sample(chosen, len(chosen)), chosen[0]]
    assert signature(" ".join(chosen), form) == signature("  ".join(shuffled).upper(), form)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("c++ templates", "c# templates"),
        ("c++ templates", "c templates"),
        ("what does $@ mean", "what does $* mean"),
        ("a .net service", "a net service"),
        ("new you", "new"),
        ("bash << operator", "bash <<< operator"),
    ],
)
def test_the_exact_form_keeps_symbols_and_stop_words_apart(one, other):
    assert signature(one, EXACT) != signature(other, EXACT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git-absorb", "git absorb"),
        ("What is WAL?", "what is wal"),
        ("'gitleaks' (hook)!", "gitleaks hook"),
        ("wal -- sqlite", "wal sqlite"),
        ("git & hooks", "git hooks"),
        ("e.g. hooks", "e g hooks"),
        ("caf\u00e9", "cafe\u0301"),
        ("\uff27it", "git"),
    ],
)
def test_punctuation_and_unicode_forms_make_no_other_topic(one, other):
    for form in FORMS:
        assert signature(one, form) == signature(other, form)


@given(near, near)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_the_cheap_bounds_never_lose_a_pair_that_difflib_accepts(threshold, stored, proposed):
    score = SequenceMatcher(None, stored, proposed).ratio()
    assert ratio(stored, proposed) == score
    if score >= threshold:
        shortest, longest = length_window(len(proposed), threshold)
        assert shortest <= len(stored) <= longest
        assert Likeness(proposed, threshold).could_match(stored)


def test_long_signatures_follow_difflib_with_its_popular_characters():
    stored, proposed = "ab" * 120 + "c" * 30, "ab" * 110 + "d" * 40
    score = SequenceMatcher(None, stored, proposed).ratio()
    assert Likeness(proposed, 0.01).could_match(stored) or score < 0.01
    assert ratio(stored, proposed) == score


@given(st.integers(min_value=0, max_value=500))
def test_the_length_window_is_exactly_where_the_ratio_is_possible(length):
    shortest, longest = length_window(length, 0.82)
    possible = [
        n
        for n in range(2 * length + 3)
        if (length + n == 0 or 2.0 * min(length, n) / (length + n) >= 0.82)
    ]
    assert (shortest, longest) == (possible[0], possible[-1])


@settings(max_examples=40, deadline=None)
@given(stored=st.lists(topics, max_size=30, unique=True), proposed=topics)
@pytest.mark.parametrize("name", list(PROFILES))
def test_the_plain_scan_finds_whatever_a_full_comparison_finds(
    name, stored, proposed, tmp_path_factory
):
    profile = PROFILES[name]
    loop = Loop(str(tmp_path_factory.mktemp("scan") / "gems.db"))
    gems = []
    for number, text in enumerate(stored, start=1):
        signed = sign(text, profile.form)
        loop.connection.execute(
            "INSERT INTO gems (topic, signature, origin, created, day, result_count)"
            " VALUES (?, ?, 'search', '', '', 0)",
            (text, signed.signature),
        )
        gems.append(Stored(number, text, signed.signature, ""))
    scan = PlainScan(loop.connection, "2026")
    topic = sign(proposed, profile.form)
    if topic.signature:
        by_scan = list(query_gate.matches(topic, scan, profile))
        assert by_scan == list(query_gate.matches(topic, Listed(gems), profile))
    loop.connection.close()


@given(st.lists(st.integers(min_value=0, max_value=15)))
def test_each_distinct_source_counts_once_and_only_the_first_ten_do(numbers):
    results = [Result(f"https://example.org/{n}?utm_source={i}") for i, n in enumerate(numbers)]
    by_rank = sources_by_rank(results)
    expected = list(dict.fromkeys(f"example.org/{n}" for n in numbers))[:SOURCES_COMPARED]
    assert [source.key for source in by_rank if source] == expected
    assert len(by_rank) == len(results)


@given(st.text())
def test_whatever_a_result_holds_it_can_be_stored_and_printed(text):
    [result] = as_results([{"url": text, "title": text, "snippet": text, "published": text}])
    for field in result:
        assert clean_line(field) == field
        field.encode("utf-8")


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://user:pw@example.org/a", "https://example.org/a"),
        ("//user@example.org/a", "//example.org/a"),
        ("https://example.org/@user", "https://example.org/@user"),
        ("https://example.org?q=a@b", "https://example.org?q=a@b"),
        ("mailto:someone@example.org", "mailto:someone@example.org"),
    ],
)
def test_a_password_in_an_address_is_not_kept(url, kept):
    assert as_results([url])[0].url == kept
