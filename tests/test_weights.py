"""Rare words weigh more than common ones, in a young ledger as in an old one."""

from __future__ import annotations

import random
import string

import pytest

from gemsearch.core.profiles import NEVER, PROFILES
from gemsearch.core.weights import (
    OF_ENGLISH,
    Weights,
    general_share,
    overlap,
    rarest,
    stem,
    stems,
)


@pytest.mark.parametrize(
    "forms",
    [
        "query queries",
        "upgrade upgrades upgraded upgrading",
        "box boxes",
        "class classes",
        "run runs running",
        "cache caches cached caching",
        "install installs installed installing",
    ],
)
def test_forms_of_a_word_have_one_stem(forms):
    assert len(set(map(stem, forms.split()))) == 1


@pytest.mark.parametrize("word", ["bus", "this", "analysis", "gas", "c++", "ipv6", "thing", "日本"])
def test_what_only_looks_like_an_ending_stays(word):
    assert stem(word) in {word, word[:-1]}
    assert len(stem(word)) >= min(3, len(word))


def test_a_stem_is_the_beginning_of_its_word():
    chance = random.Random(1)
    endings = ("s", "es", "ies", "ing", "ed", "nning", "y", "e", "")
    for _ in range(2000):
        word = "".join(chance.choices(string.ascii_lowercase, k=chance.randint(1, 8)))
        word += chance.choice(endings)
        assert stem(word)
        assert word.startswith(stem(word))


def test_common_words_weigh_less_than_rare_ones_in_an_empty_ledger():
    order = ["the", "file", "encryption", "gitleaks"]
    found = [OF_ENGLISH.of(stem(word)) for word in order]
    assert found == sorted(set(found))


def test_a_word_that_the_table_lacks_is_as_rare_as_its_rarest():
    assert general_share("xqzzyx") == 1e-5 == min(map(general_share, ("xqzzyx", "file", "the")))


def test_the_first_gem_with_a_word_does_not_make_the_word_common():
    assert Weights(1, {"chezmoi": 1}).of("chezmoi") == OF_ENGLISH.of("chezmoi")


def test_a_word_of_many_gems_tells_less_there():
    young, old = Weights(2, {"chezmoi": 2}), Weights(5000, {"chezmoi": 2500})
    assert OF_ENGLISH.of("chezmoi") > young.of("chezmoi") > old.of("chezmoi")


def test_a_ledger_of_usual_topics_weighs_words_like_an_empty_one():
    usual = {word: round(5000 * general_share(word)) for word in ("file", "server", "error")}
    old = Weights(5000, usual)
    assert all(abs(old.of(word) - OF_ENGLISH.of(word)) < 10 for word in usual)


def test_an_overlap_says_how_much_of_both_is_common():
    found = overlap(stems("chezmoi"), stems("chezmoi encryption"), OF_ENGLISH)
    both = OF_ENGLISH.of("chezmoi") + OF_ENGLISH.of("encryption")
    assert found.share == OF_ENGLISH.of("chezmoi") / both
    assert (found.nested, found.fewer, found.more, found.telling) == (True, 1, 2, 1)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.65])
def test_every_topic_that_overlaps_enough_has_one_of_the_rarest_words(share):
    chance = random.Random(2)
    vocabulary = "the of sqlite wal mode checkpoint slow reader postgres lock file error".split()
    for _ in range(3000):
        some, others = (
            stems(" ".join(sorted(set(chance.choices(vocabulary, k=chance.randint(1, 6))))))
            for _ in range(2)
        )
        if overlap(some, others, OF_ENGLISH).share >= share:
            assert others.intersection(rarest(some, share, OF_ENGLISH))


def test_every_threshold_of_strict_is_at_least_that_of_guarded():
    strict, guarded = PROFILES["strict"], PROFILES["guarded"]
    assert strict.least_overlap < NEVER
    for name in strict._fields:
        stricter, wider = getattr(strict, name), getattr(guarded, name)
        if isinstance(wider, float) or name in {"shared", "shared_at_least"}:
            assert stricter >= wider, name
