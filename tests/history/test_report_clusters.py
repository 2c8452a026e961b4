"""Which topics stand together, and what is said to be the reason."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from gemsearch.core.model import Source
from gemsearch.core.signature import EXACT, signature
from gemsearch.history.clusters import Subject, clusters

WORDS = "gitleaks hook hooks secrets sqlite wal wal2 mode chezmoi encryption age postgres".split()


def subject(text, *pages, searches=1, sessions=("s1",), days=("2026-05-11", "2026-05-12")):
    sources = tuple(
        Source(f"pages.example/{page}", f"https://pages.example/{page}", "pages.example")
        for page in pages
    )
    return Subject(
        signature(text, EXACT), text, searches, frozenset(sessions), days[0], days[1], sources
    )


def test_wordings_that_share_telling_words_stand_together_and_the_words_are_named():
    [found] = clusters(
        [
            subject("gitleaks pre-commit hook", searches=3),
            subject("gitleaks pre-commit hook setup", searches=2, sessions=("s2",)),
        ]
    )
    assert found.topic == "gitleaks pre-commit hook"
    assert found.wordings == ("gitleaks pre-commit hook", "gitleaks pre-commit hook setup")
    assert (found.searches, found.sessions) == (5, 2)
    assert found.signals == {"subset": 1}
    assert found.words[0] == "gitleaks"
    assert found.sources == ()


def test_wordings_that_share_only_sources_are_told_by_these():
    [found] = clusters([subject("secret scanning", 1, 2, 3), subject("gitleaks", 1, 2, 3, 4)])
    assert found.signals == {"sources": 1}
    assert found.words == ()
    assert found.sources == tuple(f"https://pages.example/{n}" for n in (1, 2, 3))


def test_topics_that_differ_in_a_version_stay_apart():
    found = clusters([subject("postgres 15 upgrade notes"), subject("postgres 16 upgrade notes")])
    assert [len(cluster.wordings) for cluster in found] == [1, 1]


def test_a_chain_of_small_steps_does_not_end_in_one_heap():
    chain = [subject(f"topic {n}", *range(3 * n, 3 * n + 6)) for n in range(12)]
    found = clusters(chain)
    assert max(len(cluster.wordings) for cluster in found) == 3
    assert sum(len(cluster.wordings) for cluster in found) == 12


def test_a_member_goes_to_the_core_with_more_searches_around_it():
    between = subject("between", 1, 2, 3, 11, 12, 13)
    many = subject("many", 1, 2, 3, 21, 22, 23, searches=9)
    more = subject("more", 21, 22, 23, searches=5)
    few = subject("few", 11, 12, 13, searches=2)
    found = clusters([few, between, many, more])
    assert [cluster.wordings for cluster in found] == [("many", "between", "more"), ("few",)]


def test_pages_that_nearly_every_topic_found_make_no_cluster():
    everywhere = [subject(f"word{n} thing{n}", 1, 2, 3, 100 + n) for n in range(8)]
    assert [len(cluster.wordings) for cluster in clusters(everywhere)] == [1] * 8


def test_an_address_with_a_key_in_it_is_not_named():
    url = "https://pages.example/1?api_key=aB3dE5gH7jK9mN1pQ3sT5vW7"
    told = Source("pages.example/1?x", url, "pages.example")
    pair = [
        one._replace(sources=(told, *one.sources))
        for one in (subject("secret scanning", 2, 3), subject("gitleaks", 2, 3))
    ]
    [found] = clusters(pair)
    assert found.sources == ("https://pages.example/2", "https://pages.example/3")


def test_no_subjects_make_no_clusters():
    assert clusters([]) == []


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
        min_size=1,
        max_size=25,
        unique_by=lambda text: signature(text, EXACT),
    ),
    seed=st.integers(0, 1000),
)
def test_the_order_of_the_topics_does_not_matter_and_each_stands_once(texts, seed):
    chance = random.Random(seed)
    subjects = [
        subject(
            text,
            *chance.sample(range(12), chance.randint(0, 6)),
            searches=chance.randint(1, 4),
            sessions=tuple(chance.sample(["s1", "s2", "s3"], chance.randint(1, 3))),
        )
        for text in texts
    ]
    found = clusters(subjects)
    chance.shuffle(subjects)
    assert clusters(subjects) == found
    assert sorted(text for cluster in found for text in cluster.wordings) == sorted(texts)
    assert sum(cluster.searches for cluster in found) == sum(one.searches for one in subjects)
