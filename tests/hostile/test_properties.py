"""Promises of what cleans and what composes answers: for the corpus, and for any text."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gemsearch import errors
from gemsearch.agents import texts
from gemsearch.cli import answers, render
from gemsearch.core.model import Caller, Match, Result, SharedSource, Verdict
from gemsearch.core.text import (
    cells,
    clean_block,
    clean_file_name,
    clean_layout,
    clean_line,
    clean_markup,
    clean_topic,
    hidden_count,
    safe_url,
)
from tests.hostile.corpus import INPUTS
from tests.hostile.counted import TRIED
from tests.hostile.inert import FORMULA, alarms, is_forbidden, is_forged

NOW = datetime(2026, 5, 11, 9, tzinfo=UTC)
LINES = (clean_line, clean_topic, clean_markup, clean_file_name, clean_layout)
TEXT = st.lists(
    st.sampled_from([text[:300] for text in INPUTS.values()]) | st.text(st.characters(), max_size=9)
).map("".join)


def for_any(*strategies, examples=25):
    """Like given; a busy machine is no counter-example."""
    how = settings(
        deadline=None, max_examples=examples, suppress_health_check=[HealthCheck.too_slow]
    )
    return lambda test: how(given(*strategies)(test))


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS)
def test_an_input_is_one_clean_line_and_stays_as_it_is(text):
    text = text[:10_000]
    TRIED["functions"] += len(LINES) + 1
    for clean in LINES:
        shown = clean(text)
        assert not alarms(shown) or all(map(is_forged, shown.splitlines()))
        assert len(shown.splitlines()) <= 1
        if clean is not clean_markup:
            assert clean(shown) == shown
    assert cells(clean_line(text, 80)) <= 80
    assert len(clean_line(text, 80)) <= 320
    assert not [char for char in clean_block(text) if char != "\n" and is_forbidden(char)]
    assert (hidden_count(text) > 0) == any(
        is_forbidden(char) and not char.isspace() for char in text
    )


@for_any(TEXT)
def test_a_line_that_was_laid_out_stays_one_line_and_keeps_its_spaces(text):
    shown = clean_layout(f"  a   {text}")
    assert not any(map(is_forbidden, set(shown)))
    assert len(shown.splitlines()) == 1
    assert shown.startswith("  a   ")
    assert clean_layout(shown) == shown


@for_any(TEXT, TEXT)
def test_no_address_that_is_shown_can_act(host, path):
    for address in (
        host,
        f"https://{host}",
        f"https://a.example/{path}",
        f"http://a.example?{host}",
    ):
        shown = safe_url(address)
        if shown is not None:
            assert shown.lower().startswith(("http://", "https://"))
            assert not set(shown) & set(' "<>`')
            assert not any(map(is_forbidden, set(shown)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@for_any(JSON)
def test_every_value_becomes_json_that_is_ascii_and_holds_nothing_hidden(value):
    written = json.dumps(answers.cleaned(value), indent=2)
    assert written.isascii()
    read = json.loads(written, parse_constant=_no_constant)
    assert not [char for char in json.dumps(read, ensure_ascii=False) if char in HIDDEN_IN_JSON]


HIDDEN_IN_JSON = {char for text in INPUTS.values() for char in text[:500] if is_forbidden(char)}


def _no_constant(word):
    raise AssertionError(word)


@for_any(TEXT)
def test_no_cell_of_csv_is_run_by_a_spreadsheet(text):
    cell = str(render._csv_cell(text))
    assert not cell.startswith(FORMULA)
    assert not [part for part in cell.split(";") if part.strip().startswith(FORMULA)]
    assert cell.replace("'", "") == clean_line(text).replace("'", ""), "nothing else is changed"


@for_any(TEXT, TEXT)
def test_the_lines_of_an_error_are_those_that_the_program_wrote(message, hint):
    one = errors.WrongCall(message, hint=hint)
    two = errors.LedgerDamaged(message, hint, hint=("first", hint))
    assert len(one.hint.splitlines()) <= 1
    assert len(two.hint.splitlines()) <= 2
    lines = answers.failure_lines(one.message, one.hint, about_topic=True)
    assert not alarms("\n".join(lines[:1]))
    assert len(lines) <= 3


@for_any(TEXT)
def test_the_names_of_a_caller_are_clean_however_it_is_made(name):
    caller = Caller("hook", name, name, name, name)
    assert not any(map(is_forbidden, "".join(filter(None, caller[1:5]))))
    caller.agent.encode()


def matches(signals=("identical", "wording", "subset", "sequence", "sources")):
    shared = st.builds(SharedSource, TEXT, TEXT, st.booleans())
    return st.builds(
        Match,
        st.sampled_from(signals),
        st.integers(0, 2**63 - 1),
        TEXT,
        TEXT | st.just("2026-05-11T09:00:00.000Z"),
        st.just(1.0),
        st.just(0.8),
        TEXT,
        st.integers(0, 2**63 - 1),
        st.lists(shared, max_size=4).map(tuple),
    )


@for_any(matches())
def test_a_refusal_has_the_lines_of_a_refusal_and_no_other(match):
    lines = answers.verdict_lines(Verdict("duplicate", "canary", match), 0.0)
    assert len(lines) == (4 if match.gate == "source" else 2)
    assert lines[-1] == answers.PICK_ANOTHER
    for line in lines:
        assert not any(map(is_forbidden, set(line)))
        assert cells(line) <= 300


@for_any(TEXT, TEXT, TEXT)
def test_results_are_numbered_or_indented_and_short(url, title, snippet):
    lines = answers.result_lines([Result(url, title, snippet, title)] * 2)
    begun = [line for line in lines if not line.startswith("   ")]
    assert [line[:3] for line in begun] == ["1. ", "2. "]
    assert not [line for line in lines if any(map(is_forbidden, set(line))) or cells(line) > 2200]


def pendings():
    return matches(("identical",)).map(
        lambda match: match._replace(created="2026-05-11T08:59:00.000Z")
    )


@for_any(
    st.lists(
        st.builds(Verdict, st.just("duplicate"), TEXT, matches())
        | st.builds(Verdict, st.just("pending"), TEXT, pendings()),
        max_size=5,
    ),
    st.lists(st.tuples(TEXT, TEXT | st.just("https://a.example/canary")), max_size=6),
)
def test_what_a_hook_tells_is_600_characters_of_lines_that_are_its_own(verdicts, sources):
    told = [texts.refused(verdicts, sources, NOW), texts.noted(map(texts.covered, verdicts))]
    for verdict in verdicts:
        told += [texts.replaced(verdict.match, sources), texts.not_recorded(verdict.match)]
        told += [texts.noted([texts.recurring(verdict.match)])]
    for text in told:
        assert len(text) <= texts.LONGEST
        assert not [char for char in text if char != "\n" and is_forbidden(char)]
        assert not [line for line in text.split("\n") if is_forged(line)]
        for line in text.splitlines():
            assert line.startswith(BEGINNINGS), line


BEGINNINGS = (
    *("DUPLICATE - ", "PENDING - being searched now: ", "gemsearch: ", "- "),
    *(texts._FOUND_THEN, texts._USE_THESE, texts._ANOTHER, texts._WAIT),
)
