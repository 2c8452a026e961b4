"""Promises of the cleaning functions for any text, against definitions of their own."""

import unicodedata
from itertools import groupby

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gemsearch.core.secrets import find_all, find_private, find_secret
from gemsearch.core.text import (
    cells,
    clean_block,
    clean_file_name,
    clean_line,
    clean_markup,
    clean_topic,
    hidden_count,
    safe_url,
    topic_problem,
)
from tests.hostile.inert import is_forbidden

PIECES = [
    *("\x1b", "\x1b[", "\x1b[31m", "\x1b]0;", "\x1b]8;;", "\x07", "\x1b\\", "\x9b", "\x9d", "\x9c"),
    *("\x1bP", "\x90", "\x1b(", "\n", "\r\n", "\x85", "\u2028", "\x1c", "\t", " ", "  ", "\xa0"),
    *("\u200b", "\u202e", "\ufe0f", "\u3164", "\u2800", "\U000e0041", "\U000e0100", "\U0001f3f4"),
    *("\ud800", "\udc80", "\ufdd0", "\U0010ffff", "\ue000", "e", "\u0301", "\u0316", "\u0344"),
    *(
        "\u1100",
        "\u1161",
        "\u11a8",
        "\u0915\u093c",
        "\u212b",
        "\u2000",
        "\u0300" * 40,
        "日",
        "a",
        "Z",
    ),
    *(
        "&#27;",
        "&#x1b;",
        "&lt;",
        "&amp;",
        "&#xE0041;",
        "<b>",
        "</p>",
        "<x y=1>",
        "<",
        ">",
        "&",
        "…",
    ),
]
HOSTILE = st.lists(st.sampled_from(PIECES) | st.characters(categories=None), max_size=40)
TEXT = HOSTILE.map("".join) | st.text(st.characters(exclude_categories=()), max_size=60)


def for_any(*strategies):
    """Like given, with no deadline: a busy machine is no counter-example."""
    return lambda test: settings(deadline=None)(given(*strategies)(test))


LIMIT = st.none() | st.integers(-1, 30)

ALL = [clean_line, clean_block, clean_markup]


@for_any(TEXT, LIMIT)
def test_no_output_holds_a_forbidden_character(text, limit):
    for clean in ALL:
        shown = clean(text, limit)
        allowed = "\n" if clean is clean_block else ""
        assert [char for char in shown if is_forbidden(char) and char not in allowed] == []
    assert not any(map(is_forbidden, clean_topic(text)))
    assert not any(map(is_forbidden, clean_file_name(text)))


@for_any(TEXT, LIMIT)
@example("e\u200b\u0301", None)
@example("\u0344" * 31, None)
@example("a" + "\u0301" * 200, 3)
def test_cleaning_twice_changes_nothing(text, limit):
    assert clean_line(clean_line(text, limit), limit) == clean_line(text, limit)
    assert clean_block(clean_block(text, limit), limit) == clean_block(text, limit)
    assert clean_topic(clean_topic(text)) == clean_topic(text)
    assert clean_file_name(clean_file_name(text)) == clean_file_name(text)


@for_any(TEXT, LIMIT)
def test_a_clean_line_is_at_most_one_line_in_nfc_with_single_spaces(text, limit):
    for clean in (clean_line, clean_markup):
        shown = clean(text, limit)
        assert len(shown.splitlines()) <= 1
        assert shown == " ".join(shown.split())
        assert unicodedata.is_normalized("NFC", shown)


@for_any(TEXT, st.integers(-1, 30))
def test_the_limit_is_never_passed_and_a_text_that_fits_is_whole(text, limit):
    for clean in ALL:
        whole, shown = clean(text), clean(text, limit)
        assert cells(shown) <= max(limit, 0)
        assert len(shown) <= 4 * max(limit, 0)
        if cells(whole) <= limit and len(whole) <= 4 * limit:
            assert shown == whole
        elif limit > 0:
            assert shown.endswith("…")


@for_any(TEXT)
def test_nothing_hidden_is_left_and_all_of_it_was_counted(text):
    assert hidden_count(clean_line(text)) == 0
    assert (hidden_count(text) == 0) or clean_line(text) != text
    assert 0 <= hidden_count(text) <= len(text)


def longest_pile(text):
    runs = groupby(text, key=lambda char: unicodedata.combining(char) > 0)
    return max((len(list(run)) for marks, run in runs if marks), default=0)


@for_any(TEXT)
def test_a_text_without_hidden_characters_only_loses_blanks(text):
    normal = unicodedata.normalize("NFC", text)
    if hidden_count(text) == 0 and longest_pile(normal) <= 30:
        assert clean_line(text).split() == normal.split()


@for_any(st.binary(max_size=60))
def test_undecodable_bytes_never_raise_and_never_come_out(raw):
    text = raw.decode("utf-8", "surrogateescape")
    for clean in (*ALL, clean_topic, clean_file_name):
        clean(text).encode("utf-8")


@for_any(TEXT.map("https://example.com/".__add__) | TEXT.map("http://".__add__) | TEXT)
def test_a_shown_url_is_http_printable_and_inert_or_nothing(url):
    shown = safe_url(url)
    if shown is not None:
        assert shown.lower().startswith(("http://", "https://"))
        assert not any(map(is_forbidden, shown))
        assert not set(shown) & set(' "<>`')
        assert "@" not in shown.split("/")[2].split("?")[0].split("#")[0]
        assert safe_url(shown) == shown


@for_any(TEXT)
def test_a_topic_without_a_problem_is_visible_and_short(text):
    if topic_problem(text) is None:
        topic = clean_topic(text)
        assert topic
        assert len(text) <= 400
        assert len(topic.split()) <= 32


SECRET_PIECES = [
    *(
        "sk-",
        "ant-",
        "ghp_",
        "eyJ",
        "AKIA",
        "password",
        "token",
        "=",
        ":",
        "://",
        "@",
        "?key=",
        "&",
    ),
    *(
        "Bearer ",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "aA1bB2cC3dD4",
        "\ud800",
        "\u0130",
        " ",
        "/home/",
    ),
    *("10.0.0.9", "::", "fd00:", ".local", "a@b.co", "\u017f\u212a", "日"),
]


@for_any(st.lists(st.sampled_from(SECRET_PIECES) | st.characters(), max_size=30).map("".join))
def test_findings_lie_within_the_text_apart_and_in_order(text):
    found = find_all(text)
    assert (find_secret(text) is None) == (found == [])
    ends = 0
    for one in found:
        assert ends <= one.start < one.end <= len(text)
        ends = one.end
    private = find_private(text)
    assert private is None or 0 <= private.start < private.end <= len(text)
