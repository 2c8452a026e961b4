"""What came back, in every shape that agents keep."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemsearch.core.model import Result
from gemsearch.core.results import MAX_RESULTS, as_results
from gemsearch.toolcalls import answers
from gemsearch.toolcalls.answers import DENIED, EMPTY, FAILED, MISSING, OK, answer_of

PEG = Result("https://wood.example/pegs", "Tuning pegs")
ROSIN = Result(
    "https://strings.example/rosin?a=1", "Rosin [dark]", "How it is cooked", "2026-03-01"
)


def urls(response, **flags):
    answer = answer_of(response, **flags)
    assert answer.status == OK
    return [result.url for result in answer.results]


def links(*results):
    return json.dumps([{"title": one.title, "url": one.url} for one in results])


class TestClaude:
    def test_its_own_object_holds_lists_beside_commentary_and_nulls(self):
        response = {
            "query": "violin rosin",
            "results": [
                None,
                {"tool_use_id": "srv_1", "content": [{"title": PEG.title, "url": PEG.url}, None]},
                "See https://not.example/a-result for more.",
            ],
            "durationSeconds": 2.5,
        }
        assert answer_of(response).results == (PEG,)

    def test_its_text_holds_links_as_json_with_brackets_in_titles(self):
        text = (
            f'Web search results for query: "x"\n\nLinks: {links(ROSIN)}\n\nRosin is resin.\n'
            f"1. [more](https://not.example/)\n\nLinks: {links(PEG)}\n\nREMINDER: cite."
        )
        assert urls(text) == [ROSIN.url, PEG.url]

    @pytest.mark.parametrize(
        "response",
        [
            {"query": "x", "results": [None, "No links found."], "durationSeconds": 1},
            {"query": "x", "results": ["I found nothing of use."], "durationSeconds": 1},
            {"query": "x", "results": [], "durationSeconds": 1},
            'Web search results for query: "x"\n\nNo links found.\n\nREMINDER: cite.',
            'Web search results for query: "x"\n\nLinks: []\n\nhttps://not.example/',
        ],
    )
    def test_a_search_without_links_found_nothing(self, response):
        assert answer_of(response) == (EMPTY, ())

    @pytest.mark.parametrize(
        "text", ["API Error: 529 overloaded", "API Error (Connection error.)", "Error: timeout"]
    )
    def test_an_error_of_the_api_in_place_of_results_is_a_failure(self, text):
        response = {"query": "x", "results": [text], "durationSeconds": 1}
        assert answer_of(response) == (FAILED, ())
        assert answer_of(text) == (FAILED, ())

    def test_a_search_that_the_api_ran_itself(self):
        rows = [{"type": "web_search_result", "title": PEG.title, "url": PEG.url,
                 "encrypted_content": "eHg=", "page_age": "3 days ago"}]  # fmt: skip
        for response in (rows, {"type": "web_search_tool_result", "content": rows}):
            assert answer_of(response).results == (PEG._replace(published="3 days ago"),)
        error = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
        assert answer_of({"type": "web_search_tool_result", "content": error}) == (FAILED, ())


@pytest.mark.parametrize(
    "text",
    [
        f"Title: {PEG.title}\nURL: {PEG.url}",
        f"Title: {PEG.title}\nDescription: of wood\nURL: {PEG.url}",
        f"--- Result 1 ---\nTitle: {PEG.title}\nLink: {PEG.url}\nAge: 2 days\nSnippet: wood",
        f"Title: {PEG.title} URL: {PEG.url}",
        f"URL: {PEG.url}\nTitle: {PEG.title}",
        f"**Title:** {PEG.title}\n**URL:** {PEG.url}",
        f"1. {PEG.title}\n   {PEG.url}\n   About wood.",
        f"1. **{PEG.title}**\n   URL: {PEG.url}",
        f"1. [{PEG.title}]({PEG.url}) - wood",
        f"- [{PEG.title}]({PEG.url})",
        f"[1] {PEG.title} ({PEG.url})",
        f"[1] {PEG.title} (2d ago)\n    {PEG.url}",
        f"Answer.\n\n## Sources\n1 source\n[1] {PEG.title} (2d ago)\n    {PEG.url}",
        f"Search results:\n{links(PEG)}",
        "Wall time: 0.4 s\nOutput:\n"
        + json.dumps([{"type": "text", "text": f"URL: {PEG.url}\nTitle: {PEG.title}"}]),
    ],
)  # fmt: skip
def test_listings_in_text_are_read(text):
    found = answer_of(text)
    assert [(one.url, one.title) for one in found.results] == [(PEG.url, PEG.title)]


def test_lines_within_a_page_are_no_results():
    page = "Text: see\nURL: https://not.example/\n1. https://not.example/"
    text = f"Title: A\nURL: {PEG.url}\n{page}\nTitle: B\nURL: {ROSIN.url}"
    assert urls(text) == [PEG.url, ROSIN.url]


def test_an_address_with_parentheses_is_kept_whole():
    assert urls("[1] Pegs (https://w.example/Peg_(music))") == ["https://w.example/Peg_(music)"]


def test_bare_addresses_count_where_nothing_else_is_listed():
    assert urls("https://a.example/1\nhttps://b.example/2") == [
        "https://a.example/1",
        "https://b.example/2",
    ]


class TestGemini:
    redirect = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"

    def output(self, text):
        return [{"functionResponse": {"id": "1", "name": "s", "response": {"output": text}}}]

    def test_its_redirects_are_kept_as_results(self):
        text = (
            'Web search results for "x":\n\nRosin[1].\n\n1. **Dark** (https://not.example/)\n\n'
            f"Sources:\n[1] strings.example ({self.redirect}AA)\n[2] Untitled (No URI)\n"
            f"[3] wood.example ({self.redirect}BB)"
        )
        found = answer_of(self.output(text))
        assert [(one.title, one.url[-2:]) for one in found.results] == [
            ("strings.example", "AA"),
            ("wood.example", "BB"),
        ]
        assert answer_of({"llmContent": text, "returnDisplay": "done"}) == found

    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ('No search results or information found for query: "x"', EMPTY),
            ('Error: Error during web search for query "x": timeout', FAILED),
            ("Web search was cancelled by user.", FAILED),
            ('Search for "x" was cancelled', FAILED),
        ],
    )
    def test_its_three_sentences_are_told_apart(self, text, status):
        assert answer_of(self.output(text)) == (status, ())


@pytest.mark.parametrize(
    "response",
    [
        {"results": [{"title": ROSIN.title, "url": ROSIN.url, "text": ROSIN.snippet,
                      "publishedDate": ROSIN.published}]},
        {"query": "x", "answer": "a", "images": ["https://not.example/i.png"],
         "results": [{"title": ROSIN.title, "url": ROSIN.url, "content": ROSIN.snippet,
                      "published_date": ROSIN.published, "score": 0.9}]},
        {"web": {"results": [{"title": ROSIN.title, "url": ROSIN.url, "description": ROSIN.snippet,
                              "age": ROSIN.published, "meta_url": {"url": "https://not.example"}}]}},
        {"organic": [{"title": ROSIN.title, "link": ROSIN.url, "snippet": ROSIN.snippet,
                      "date": ROSIN.published}]},
        {"webPages": {"value": [{"name": ROSIN.title, "url": ROSIN.url, "snippet": ROSIN.snippet,
                                 "date": ROSIN.published}]}},
        [{"title": ROSIN.title, "href": ROSIN.url, "body": ROSIN.snippet, "date": ROSIN.published}],
        {"success": True, "data": [{"title": ROSIN.title, "url": ROSIN.url,
                                    "description": ROSIN.snippet, "published": ROSIN.published}]},
        [{"type": "text_result", "url": ROSIN.url, "title": ROSIN.title, "snippet": ROSIN.snippet,
          "date": ROSIN.published, "ref_id": "turn0search0"}],
        {"response": {"provider": "exa", "sources": [{
            "title": ROSIN.title, "url": ROSIN.url, "snippet": ROSIN.snippet,
            "published": ROSIN.published}]}},
    ],
)  # fmt: skip
def test_answers_of_search_services_are_read_as_objects_as_json_and_as_a_tools_content(response):
    text = json.dumps(response, indent=1)
    content = [{"type": "text", "text": text}]
    for form in (response, text, content, {"content": content}, json.dumps({"content": content})):
        assert answer_of(form) == (OK, (ROSIN,))


class TestCodex:
    def test_output_may_be_a_list_of_texts(self):
        text = f"Title: {PEG.title}\nURL: {PEG.url}"
        assert answer_of([{"type": "input_text", "text": text}]) == (OK, (PEG,))

    def test_a_list_of_texts_without_addresses_says_something_all_the_same(self):
        assert answer_of([{"type": "input_text", "text": "opaque"}]) == (OK, ())

    def test_a_commands_exit_code_tells_of_failure(self):
        response = {"output": "no network", "metadata": {"exit_code": 7}}
        assert answer_of(response) == (FAILED, ())


class TestOmp:
    def test_its_details_tell_of_a_failure_that_no_flag_tells(self):
        response = {
            "content": [{"type": "text", "text": "Error: no provider"}],
            "details": {"response": {"provider": "none", "sources": []}, "error": "no provider"},
        }
        assert answer_of(response) == (FAILED, ())

    def test_its_sources_and_its_text_count_once(self):
        response = {
            "content": [{"type": "text", "text": f"[1] {PEG.title} (2d ago)\n  {PEG.url}"}],
            "details": {"response": {"sources": [{"title": PEG.title, "url": PEG.url}]}},
        }
        assert answer_of(response) == (OK, (PEG,))


@pytest.mark.parametrize(
    "text",
    [
        "DUPLICATE - already covered: #42 violin rosin  [2026-05-11]\nPick another.",
        'DUPLICATE of #42 "violin rosin" (2026-05-11). Already found: https://a.example/',
        "PENDING - being searched now: violin rosin  [12 s ago]",
        "PreToolUse:WebSearch hook error: DUPLICATE of #42",
        "Command blocked by PreToolUse hook: DUPLICATE - already covered: #42",
        "Error: DUPLICATE - already covered: #42 violin",
        "PreToolUse:WebSearch hook error: [guard.py]: not on Sundays",
        "Hook PreToolUse:WebSearch denied this tool",
        "Tool execution blocked: not today",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "Permission to use WebSearch has been denied.",
    ],
)
def test_what_was_refused_before_it_ran_is_denied_however_it_is_kept(text):
    forms = [
        text,
        [{"type": "text", "text": text}],
        {"content": [{"type": "text", "text": text}]},
        {"query": "x", "results": [text], "durationSeconds": 0},
        {"message": text, "code": "denied"},
    ]
    for form in forms:
        assert answer_of(form) == (DENIED, ())
        assert answer_of(form, failed=True) == (DENIED, ())


def test_words_of_ours_within_a_result_are_no_refusal():
    text = 'Web search results for query: "DUPLICATE of #42"\n\nLinks: ' + links(PEG)
    assert urls(text) == [PEG.url]
    assert urls(f"Title: DUPLICATE - a film\nURL: {PEG.url}") == [PEG.url]


@pytest.mark.parametrize(
    "response",
    [
        {"success": False, "error": {"message": "timeout", "code": "timeout"}},
        {"isError": True, "content": [{"type": "text", "text": f"URL: {PEG.url}"}]},
        {"textResultForLlm": "no", "resultType": "failure"},
        {"error": "rate limited"},
        "429 Too Many Requests",
        "MCP error -32001: request timed out",
        "<tool_use_error>InputValidationError</tool_use_error>",
        "Failed to search: no network",
    ],
)
def test_failures_are_known_without_the_agents_flag(response):
    assert answer_of(response) == (FAILED, ())


def test_an_error_beside_results_does_not_spoil_them():
    assert urls({"results": [{"url": PEG.url}], "error": "one of two services failed"}) == [PEG.url]


def test_the_agents_flag_is_believed_when_it_is_set():
    assert answer_of(f"URL: {PEG.url}", failed=True) == (FAILED, ())
    assert answer_of(None, failed=True) == (FAILED, ())


@pytest.mark.parametrize("response", [None, "", "  \n", {}, "{}", 3, True, {"other": 1}])
def test_no_answer_is_missing(response):
    assert answer_of(response) == (MISSING, ())


@pytest.mark.parametrize(
    "response", ["No results found.", "0 results", {"results": []}, [], '{"results": []}',
                 {"content": []}, {"web": {"results": []}}, {"sources": [], "answer": "Nothing."}],
)  # fmt: skip
def test_an_answer_of_nothing_is_empty(response):
    assert answer_of(response) == (EMPTY, ())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(
        ["https://a.example/", "DUPLICATE - ", "Error: x", "Links: [", "Title: x\nURL: https://b/"]
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["results", "content", "url", "text", "title", "error", "status", "details",
                         "snippet", "isError", "metadata", "exit_code", "response", "output"]),
        inner, max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@given(json_values, st.booleans())
def test_any_value_has_an_answer_whose_results_the_ledger_takes(value, failed):
    for form in (value, json.dumps(value)):
        answer = answer_of(form, failed=failed)
        assert answer.status in {OK, EMPTY, FAILED, DENIED, MISSING}
        assert len(answer.results) <= MAX_RESULTS
        assert answer.status == OK or not answer.results
        assert len(as_results(answer.results)) == len(answer.results)


@given(st.text())
def test_any_text_has_an_answer(text):
    assert answer_of(text).status in {OK, EMPTY, FAILED, DENIED, MISSING}


@given(st.text(alphabet='TitleURL:[]()1. \nhtps/"{}-*#'))
def test_any_near_listing_has_results_with_addresses(text):
    assert all(one.url.lower().startswith("http") for one in answer_of(text).results)


def test_results_are_as_many_as_the_ledger_takes_and_each_once():
    assert answers.MAX_RESULTS == MAX_RESULTS
    rows = [{"url": f"https://a.example/{n // 2}"} for n in range(1000)]
    assert len(answer_of(rows).results) == MAX_RESULTS
    listing = "\n".join(f"{n}. [t](https://a.example/{n})" for n in range(1000))
    assert len(answer_of(listing).results) == MAX_RESULTS


HOSTILE = {
    "open brackets": "[" * 5_000_000,
    "open objects": '{"content":' * 400_000,
    "link blocks that never end": 'Links: ["a", ' * 380_000,
    "spaces": " " * 5_000_000,
    "line ends": "\n" * 5_000_000,
    "numbered spaces": "1. " + " " * 5_000_000,
    "hooks": "hook: " * 800_000,
    "labels": "[" + "a" * 5_000_000,
    "titles": "Title: x\n" * 550_000,
    "addresses": "1. https://" * 450_000,
    "one word": "x" * 5_000_000,
    "brackets and blanks": "[ " * 2_500_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_text_of_five_megabytes_is_answered(text):
    """Bounded by the test run's own limit: what is quadratic here takes hours."""
    assert answer_of(text).status in {OK, EMPTY, FAILED, DENIED, MISSING}


def test_values_nested_beyond_any_sense_are_answered():
    value = {"url": "https://a.example/"}
    for _ in range(5000):
        value = {"content": [value]}
    assert answer_of(value).status == MISSING
