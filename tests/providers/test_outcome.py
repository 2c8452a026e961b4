"""What an answer means, whatever comes."""

from __future__ import annotations

import json
import unicodedata
from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemsearch.errors import SearchFailed
from gemsearch.providers.base import Answer
from gemsearch.providers.outcome import (
    complaint,
    default_failure,
    json_object,
    plain,
    retry_after,
    rows,
)

NOW = 1_780_000_000.0
HEADERS = st.dictionaries(st.sampled_from(["retry-after", "x-ratelimit-reset"]), st.text())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def answer(body=b"", status=200, **headers):
    return Answer(status, headers, body)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, "redirect"),
        (302, "redirect"),
        (308, "redirect"),
        (400, "bad_query"),
        (401, "auth"),
        (402, "quota"),
        (403, "auth"),
        (404, "config"),
        (405, "config"),
        (407, "config"),
        (408, "upstream"),
        (410, "config"),
        (414, "query_too_long"),
        (418, "bad_response"),
        (422, "bad_query"),
        (425, "upstream"),
        (429, "rate_limited"),
        (432, "quota"),
        (433, "quota"),
        (451, "blocked"),
        (500, "upstream"),
        (502, "upstream"),
        (503, "upstream"),
        (504, "upstream"),
        (529, "upstream"),
        (200, "bad_response"),
        (999, "bad_response"),
    ],
)
def test_a_status_has_its_kind(status, kind):
    failure = default_failure(answer(status=status), "acme")
    assert failure.kind == kind
    assert failure.provider == "acme"
    assert failure.hint
    assert str(status) in failure.message


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0", 0),
        ("1.5", 1.5),
        ("-3", 0),
        ("1, 1419704", 1),
        ("999999", 3600),
        ("9" * 400, 3600),
        (formatdate(NOW + 30, usegmt=True), 30),
        (formatdate(NOW - 30, usegmt=True), 0),
        (str(int(NOW) + 12), 12),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("1_000", None),
        ("Wed, 99 Foo 2026 99:99:99 GMT", None),
    ],
)
def test_every_form_of_retry_after_is_read_or_ignored(text, seconds):
    assert retry_after({"retry-after": text}, NOW) == seconds


def test_the_reset_header_counts_where_retry_after_says_nothing():
    assert retry_after({"retry-after": "x", "x-ratelimit-reset": "2, 500"}, NOW) == 2
    assert retry_after({}, NOW) is None


@settings(deadline=None, max_examples=60)
@given(HEADERS)
def test_no_header_breaks_the_parser(headers):
    seconds = retry_after(headers)
    assert seconds is None or 0 <= seconds <= 3600


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Sign in</html>",
        b"[1]",
        b"null",
        b'"text"',
        b'{"a": ',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_body_that_is_no_object_is_a_bad_response(body):
    with pytest.raises(SearchFailed) as caught:
        json_object(answer(body), "acme")
    assert caught.value.kind == "bad_response"
    assert len(caught.value.message) < 200


def test_a_bad_response_shows_how_it_begins_and_nothing_that_a_terminal_would_obey():
    with pytest.raises(SearchFailed, match="Sign in") as caught:
        json_object(answer(b"<b>\x1b[31mSign in\x07\n" + b"x" * 500), "acme")
    assert caught.value.message.isprintable()


@settings(deadline=None, max_examples=60)
@given(JSON)
def test_every_json_object_is_taken_and_nothing_else(value):
    body = json.dumps(value).encode()
    if isinstance(value, dict):
        json_object(answer(body), "acme")
        return
    with pytest.raises(SearchFailed):
        json_object(answer(body), "acme")


@settings(deadline=None, max_examples=60)
@given(JSON)
def test_rows_are_objects_whatever_was_sent(value):
    assert all(isinstance(row, dict) for row in rows(value))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"error": "no"}, "no"),
        ({"error": {"code": "X", "message": "too fast"}}, "too fast"),
        ({"detail": {"error": "Query is too long."}}, "Query is too long."),
        ({"message": "Unauthorized."}, "Unauthorized."),
        ({"error": {"code": "RATE_LIMITED"}}, "RATE_LIMITED"),
        ({"error": None, "detail": [1]}, ""),
        ([], ""),
    ],
)
def test_a_providers_own_words_are_found(shape, words):
    assert complaint(answer(json.dumps(shape).encode(), 400)) == words


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=300), st.integers(100, 999))
def test_every_answer_makes_a_failure_that_no_terminal_obeys(body, status):
    message = default_failure(answer(body, status), "acme").message
    assert not [char for char in message if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<strong>git</strong>leaks", "gitleaks"),
        ("a<br>b<p>c", "a b c"),
        ("AT&amp;T &lt;b&gt;", "AT&T <b>"),
        ("&amp;amp;", "&amp;"),
        ("Vec<T> and i <3 python", "Vec<T> and i <3 python"),
        ('<span class="searchmatch">x</span>', "x"),
        ("cafe\u0301", "caf\u00e9"),
        ("  a \n\t b ", "a b"),
        ("\ud800x", "x"),
        (None, ""),
        (7, ""),
        (["a"], ""),
    ],
)
def test_markup_becomes_plain_text(text, expected):
    assert plain(text) == expected


@settings(deadline=None, max_examples=60)
@given(st.text() | st.none() | st.integers())
def test_plain_text_can_always_be_stored_and_shown(text):
    found = plain(text)
    found.encode()
    assert found == " ".join(found.split())
