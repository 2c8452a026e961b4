"""The offline provider: its list of pages is sound, and its answers are honest."""

from __future__ import annotations

import itertools
import json
from importlib import resources
from urllib.parse import urlsplit

import pytest

from gemsearch.providers.base import COUNT, Page
from gemsearch.providers.sample import Sample

LINES = resources.files("gemsearch.providers").joinpath("sample.jsonl").read_text("utf-8")
ROWS = [json.loads(line) for line in LINES.splitlines()]

HOOK = "gitleaks pre-commit hook"
SAME_HOOK = "gitleaks hook for secrets"
UNRELATED = [
    HOOK,
    "io_uring zero-copy networking internals",
    "named-pipe SSH multiplexing internals",
    "chezmoi encryption",
    "SONiC architecture",
]


class NoPace:
    """Fails the test when it is asked for anything: an offline provider has no rate."""

    def cooling(self, provider):
        raise AssertionError(provider)

    def claim(self, provider, interval):
        raise AssertionError(provider, interval)

    def cool_down(self, provider, kind, seconds):
        raise AssertionError(provider, kind, seconds)


def search(topic):
    return Sample().search(topic, NoPace(), timeout=1.0)


def urls(topic):
    return [result.url for result in search(topic).results]


def test_there_are_at_least_two_hundred_tools_and_techniques():
    # A title names its tool, but a tool may have a second page: hosts and repositories are counted.
    homes = set()
    for row in ROWS:
        parts = urlsplit(row["url"])
        depth = 2 if parts.netloc == "github.com" else 0
        homes.add((parts.netloc, *parts.path.split("/")[1 : depth + 1]))
    assert len(ROWS) >= 200
    assert len(homes) >= 200


def test_each_row_has_an_https_url_with_a_host():
    for row in ROWS:
        assert list(row) == ["url", "title", "description"], row
        parts = urlsplit(row["url"])
        assert parts.scheme == "https", row
        assert "." in (parts.hostname or ""), row
        assert parts.path, f"a home page ends with a slash: {row}"
        assert not any(char.isspace() for char in row["url"]), row


def test_each_row_has_a_title_and_one_short_sentence():
    for row in ROWS:
        assert row["title"].strip() == row["title"] != "", row
        description = row["description"]
        assert 20 <= len(description) <= 200, row
        assert description.endswith("."), row
        assert not any(end in description for end in (". ", "! ", "? ")), row


@pytest.mark.parametrize("column", ["url", "title", "description"])
def test_no_two_rows_share_a_value(column):
    values = [row[column].casefold().rstrip("/") for row in ROWS]
    assert sorted(values) == sorted(set(values))


def test_a_topic_about_the_gitleaks_hook_is_answered_well():
    found = urls(HOOK)
    assert 5 <= len(found) <= COUNT
    assert "https://github.com/gitleaks/gitleaks" in found
    assert "https://pre-commit.com/" in found


def test_the_same_need_in_other_words_brings_the_same_sources_again():
    first, second = urls(HOOK)[:10], urls(SAME_HOOK)[:10]
    shared = set(first) & set(second)
    assert len(shared) >= 3
    assert len(shared) * 2 >= min(len(first), len(second))


@pytest.mark.parametrize(("one", "other"), [*itertools.combinations(UNRELATED, 2)])
def test_unrelated_topics_have_at_most_one_source_in_common(one, other):
    assert len(urls(one)) >= 3
    assert len(urls(other)) >= 3
    assert len(set(urls(one)) & set(urls(other))) <= 1


@pytest.mark.parametrize(
    ("topic", "best"),
    [
        ("git absorb", "https://github.com/tummychow/git-absorb"),
        ("sqlite wal checkpoint starvation", "https://sqlite.org/wal.html"),
        ("SSH ControlMaster", "https://man.openbsd.org/ssh_config"),
        ("property-based testing in Python", "https://hypothesis.readthedocs.io/en/latest/"),
        ("claude code hooks", "https://code.claude.com/docs/en/hooks"),
        ("feature flags with gradual rollout", "https://docs.getunleash.io/"),
    ],
)
def test_the_page_that_answers_a_topic_comes_first(topic, best):
    assert urls(topic)[0] == best


def test_a_result_is_the_row_as_it_stands_in_the_file():
    [row] = [row for row in ROWS if row["title"] == "git-absorb"]
    best = search("git absorb").results[0]
    assert (best.url, best.title, best.snippet) == (row["url"], row["title"], row["description"])
    assert best.published == ""


def test_at_most_as_many_results_as_asked_for_are_returned():
    assert len(urls("git")) == COUNT


@pytest.mark.parametrize(
    "topic",
    [
        "qwxz blorp fnord",
        "chocolate cake recipes",
        "tropical fish tank aquarium",
        "medieval cathedral architecture",
        "history of the Roman empire",
        "cricket bat sizes for children",
        "shell collecting on beaches",
        "redwood tree height",
        "best restaurants in Lisbon with a sea view",
    ],
)
def test_nonsense_finds_nothing_even_where_one_word_of_it_is_known(topic):
    assert search(topic) == Page([])


@pytest.mark.parametrize("topic", ["", "   ", "how to use the", "?!", "_", "🦀", "\x00"])
def test_a_topic_without_a_telling_word_finds_nothing(topic):
    assert list(search(topic).results) == []


@pytest.mark.parametrize(
    "topic",
    [
        '"',
        '""" OR *',
        '"git',
        "*",
        "git*",
        "NEAR(",
        "NEAR(git hook, 2)",
        "-x",
        "git -hook",
        ":",
        "title:git",
        "{title url}: git",
        "git AND",
        "NOT git",
        "(((",
        "^git",
        "git + hook",
        "'; DROP TABLE pages; --",
        "🦀 rust 🚀",
        "数据库 全文搜索",
        "日本語のgit入門",
        "e\u0301cole \u0307 İstanbul",
        "git\x00hook",
        "\ud800 git",
        "git\u202ehook",
        "a." * 5_000,
        "a-" * 5_000,
        "git" * 50_000,
        " ".join(f"word{number}" for number in range(5_000)),
    ],
    ids=lambda topic: ascii(topic[:20]),
)
def test_no_topic_is_read_as_query_syntax(topic):
    assert len(search(topic).results) <= COUNT


def test_query_operators_are_ordinary_words():
    assert urls("title:absorb") == urls("title absorb")
    assert urls("-absorb*") == urls("absorb") != []


def test_the_same_topic_always_brings_the_same_page():
    for topic in [*UNRELATED, SAME_HOOK, "git", "python"]:
        assert search(topic) == search(topic)


def test_letter_case_and_spacing_change_nothing():
    assert urls("  GITLEAKS   Pre-Commit hook ") == urls(HOOK)
