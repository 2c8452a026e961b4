"""The published method, sentence by sentence: every example it fixes, under its own profile."""

from __future__ import annotations

import pytest

from gemsearch.core import query_gate, source_gate
from gemsearch.core.model import Overlap, Source, Stored
from gemsearch.core.profiles import PROFILES
from gemsearch.core.signature import PUBLISHED, STOP_WORDS, sign, signature
from gemsearch.core.similarity import ratio
from gemsearch.ledger.candidates import Listed

PUBLISHED_RULES = PROFILES["published"]

HUMAN_FACTORS = "human factors progressive disclosure discoverability command palettes"
FEATURE_FLAGS = "feature flags configuration progressive disclosure extension UI"
SECOND_LINE = "Pick a genuinely new/farther-afield topic and search again."


def signal_of(proposed, stored, profile=PUBLISHED_RULES):
    earlier = Stored(1, stored, sign(stored, profile.form).signature, "2026-05-11")
    match = query_gate.judge(sign(proposed, profile.form), Listed([earlier]), profile)
    return match.signal if match else None


def sources(*keys, gem_count=0):
    return [Source(key, f"https://{key}", key.split("/")[0], gem_count) for key in keys]


def shared(count, sizes):
    """The match of two lists of these sizes that share so many sources."""
    proposed = sources(*(f"example.org/{n}" for n in range(sizes[0])))
    keys = frozenset(source.key for source in proposed[:count])
    overlap = Overlap(1, FEATURE_FLAGS, "2026-07-25", keys, sizes[1])
    return source_gate.judge(proposed, [overlap], PUBLISHED_RULES)


# The four regression tests


def test_a_topic_in_other_letter_case_is_identical():
    assert signal_of("Gitleaks Hook", "gitleaks hook") == "identical"


@pytest.mark.parametrize(
    ("proposed", "stored"),
    [("chezmoi", "chezmoi encryption"), ("chezmoi encryption", "chezmoi")],
)
def test_a_topic_whose_words_lie_within_the_other_is_a_subset(proposed, stored):
    assert signal_of(proposed, stored) == "subset"


def test_a_hyphen_separates_words_as_a_blank_does():
    assert signal_of("git absorb", "git-absorb") == "identical"


def test_two_topics_that_share_one_general_word_are_novel():
    proposed = "io_uring zero-copy networking internals"
    assert signal_of(proposed, "named-pipe SSH multiplexing internals") is None


# What the query gate can't see, and the source gate can


def test_the_same_subject_in_other_words_is_novel_for_the_query_gate():
    assert signal_of("SONiC architecture", "SONiC dataplane deep-dive") is None


def test_the_documented_pair_has_a_ratio_of_0_47_with_the_stored_topic_first():
    stored, proposed = signature(FEATURE_FLAGS, PUBLISHED), signature(HUMAN_FACTORS, PUBLISHED)
    assert round(ratio(stored, proposed), 2) == 0.47
    assert round(ratio(proposed, stored), 2) == 0.58, "the other direction is another number"
    assert signal_of(HUMAN_FACTORS, FEATURE_FLAGS) is None


def test_the_documented_pair_is_refused_by_the_source_gate_when_three_sources_recur():
    match = shared(3, (10, 10))
    assert (match.signal, match.topic) == ("sources", FEATURE_FLAGS)


def test_two_shared_of_three_and_ten_sources_are_0_67_of_the_smaller_list_and_refused():
    match = shared(2, (3, 10))
    assert round(match.score, 2) == 0.67
    assert match.gate == "source"


@pytest.mark.parametrize("sizes", [(3, 3), (10, 10), (10, 4)])
def test_three_shared_sources_are_refused_whatever_the_sizes(sizes):
    assert shared(3, sizes) is not None


@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (3, 10), (10, 10)])
def test_one_shared_source_is_novel(sizes):
    assert shared(1, sizes) is None


@pytest.mark.parametrize(("smaller", "refused"), [(2, True), (5, True), (6, False), (10, False)])
def test_two_shared_sources_are_refused_from_35_percent_of_the_smaller_list_on(smaller, refused):
    assert (shared(2, (smaller, 10)) is not None) is refused


def test_a_reworded_topic_passes_the_query_gate_with_a_ratio_of_about_0_7():
    stored = signature("gitleaks pre-commit hook", PUBLISHED)
    proposed = signature("gitleaks hook for secrets", PUBLISHED)
    assert round(ratio(stored, proposed), 2) == 0.71
    assert signal_of("gitleaks hook for secrets", "gitleaks pre-commit hook") is None


# The rest of the rules


def test_the_frozen_list_has_60_stop_words():
    assert len(STOP_WORDS) == 60


def test_stop_words_are_dropped_unless_nothing_is_left():
    assert signature("how to use the WAL in SQLite", PUBLISHED) == "sqlite wal"
    assert signature("to be or not to be", PUBLISHED) == "be not or to"


def test_a_word_is_a_run_of_letters_digits_and_underscore_in_any_script():
    assert (
        signature("\uff29o_Uring, naïve Überblick 東京!", PUBLISHED)
        == "io_uring naïve überblick 東京"
    )


def test_invisible_characters_do_not_hide_a_repeat():
    assert signal_of("git\u200bleaks h\u00adook", "gitleaks hook") == "identical"


@pytest.mark.parametrize(("matched", "refused"), [(41, True), (40, False)])
def test_a_ratio_of_exactly_0_82_is_refused(matched, refused):
    stored = "a" * matched + "b" * (50 - matched)
    proposed = "a" * matched + "c" * (50 - matched)
    assert (signal_of(proposed, stored) == "sequence") is refused


def test_three_shared_hubs_are_refused_by_the_published_profile_and_novel_for_guarded():
    proposed = sources("a.org", "b.org", "c.org", gem_count=50)
    overlap = Overlap(1, "t", "2026-05-11", frozenset(s.key for s in proposed), 10)
    for name, refused in (("published", True), ("guarded", False)):
        hubs = source_gate.hubs_among(proposed, PROFILES[name], 100)
        match = source_gate.judge(proposed, [overlap], PROFILES[name], hubs)
        assert (match is not None) is refused


# Both refusal texts, through the command


def test_the_query_gate_refuses_in_one_line_with_number_topic_and_date(gemsearch):
    gemsearch.finds("gitleaks pre-commit hook", "https://gitleaks.io/")
    gemsearch("search", "gitleaks pre-commit hook")
    refused = gemsearch("search", "Gitleaks pre-commit Hook")
    day = gemsearch("gems", "--json").json[0]["day"]
    first = f"DUPLICATE - already covered: #1 gitleaks pre-commit hook  [{day}]"
    assert refused == (2, f"{first}\n{SECOND_LINE}\n", "")


def test_the_source_gate_refuses_with_the_gem_on_a_line_of_its_own(gemsearch):
    pages = [f"https://example.org/{n}" for n in range(5)]
    gemsearch.finds(FEATURE_FLAGS, *pages)
    gemsearch.finds(HUMAN_FACTORS, *pages[:3], "https://example.net/", "https://example.com/")
    gemsearch("search", FEATURE_FLAGS)
    refused = gemsearch("search", HUMAN_FACTORS)
    day = gemsearch("gems", "--json").json[0]["day"]
    lines = [
        "DUPLICATE - search results already covered by:",
        f"#1 {FEATURE_FLAGS} [{day}]",
        "",
        SECOND_LINE,
        "",
    ]
    assert refused == (2, "\n".join(lines), "")


def test_what_the_source_gate_refused_is_a_wording_that_the_query_gate_refuses_next_time(gemsearch):
    pages = [f"https://example.org/{n}" for n in range(4)]
    gemsearch.finds("gitleaks pre-commit hook", *pages)
    gemsearch.finds("gitleaks hook for secrets", *pages)
    gemsearch("search", "gitleaks pre-commit hook")
    assert "search results already covered" in gemsearch("search", "gitleaks hook for secrets").out
    again = gemsearch("search", "gitleaks hook for secrets")
    assert again.code == 2
    assert again.out.startswith("DUPLICATE - already covered: #1 gitleaks pre-commit hook  [")
    assert "(learned from rejection #1)" in again.out
