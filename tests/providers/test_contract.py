"""Every hosted provider, end to end over HTTP against a local server with its shapes and quirks."""

from __future__ import annotations

import copy
import functools
import importlib
import logging
import secrets
import socket
import ssl
import time
import traceback

import httpx
import pytest

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers import http
from gemsearch.providers.base import Settings
from gemsearch.providers.http import HttpProvider
from tests.providers.servers import (
    BLOCKED_ENGINES,
    BRAVE_BAD_PARAMETER,
    BRAVE_BAD_TOKEN,
    BRAVE_NO_TOKEN,
    BRAVE_QUOTA,
    BRAVE_RATE,
    EMPTY,
    GOOD,
    SEARXNG,
    TAVILY,
    FreePace,
    Reply,
    U,
    V,
    cut_off,
    dripping,
    echo,
    html,
    huge,
    reply,
    rows_of,
    serving,
    stalled,
    tavily_limit,
    truncated,
    zipped_huge,
)

NAMES = ["searxng", "tavily", "brave", "exa", "serper", "you"]
ADAPTERS = {name: importlib.import_module(f"gemsearch.providers.{name}").ADAPTER for name in NAMES}
KEY = f"not-a-key-{secrets.token_hex(12)}"
KEYED = {name: None if name == "searxng" else KEY for name in NAMES}
TOPIC = "gitleaks hook"
TLS = ssl.create_default_context()
WANTED = [
    Result(U, "A & B", "some words", "2026-01-02T00:00:00"),
    Result(V, "Second"),
]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Short pauses, and one TLS context for all: loading certificates takes longer than a test."""
    monkeypatch.setattr(http, "BACKOFF", 0.01)
    monkeypatch.setattr(httpx, "Client", functools.partial(httpx.Client, verify=TLS))


every_provider = pytest.mark.parametrize("name", NAMES)
hosted = pytest.mark.parametrize("name", [name for name in NAMES if name != "searxng"])


def search(server, name, topic=TOPIC, *, key=None, pace=None, timeout=2.0, **options):
    settings = Settings({"url": server.url, **options}, key)
    return HttpProvider(ADAPTERS[name], settings).search(topic, pace or FreePace(), timeout)


def page(name, *replies, **how):
    with serving(*replies) as server:
        return search(server, name, **{"key": KEYED[name], **how})


def failure(name, *replies, **how):
    """The SearchFailed that these replies lead to."""
    with serving(*replies) as server, pytest.raises(SearchFailed) as caught:
        search(server, name, **{"key": KEYED[name], **how})
    assert caught.value.provider == name
    assert caught.value.exit_code == SearchFailed.KINDS[caught.value.kind]
    return caught.value


def changed(name, **row):
    """The provider's good answer, with its first row changed."""
    shape = copy.deepcopy(GOOD[name])
    rows_of(name, shape)[0].update(row)
    return shape


class TestAnswers:
    @every_provider
    def test_results_keep_their_order_and_come_as_plain_text(self, name):
        got = page(name, reply(GOOD[name]))
        assert list(got.results) == WANTED
        assert (got.altered_topic, list(got.partial), got.dropped) == (None, [], 0)

    @every_provider
    def test_finding_nothing_is_an_empty_page_and_no_failure(self, name):
        assert list(page(name, reply(EMPTY[name])).results) == []

    @pytest.mark.parametrize("name", ["tavily", "you"])
    def test_a_keyless_search_answers_in_the_same_shape(self, name):
        assert list(page(name, reply(GOOD[name]), key=None).results) == WANTED

    @every_provider
    def test_null_and_mistyped_texts_become_empty_texts(self, name):
        texts = ["title", "content", "description", "snippet", "highlights", "text", "snippets"]
        dates = ["published_date", "publishedDate", "page_age", "date"]
        for odd in (None, 7, {"a": 1}, [3]):
            got = page(name, reply(changed(name, **dict.fromkeys(texts + dates, odd))))
            assert got.results[0] == Result(U)
            assert got.results[1] == WANTED[1]

    @every_provider
    def test_rows_without_a_usable_url_are_dropped_and_counted(self, name):
        field = "link" if name == "serper" else "url"
        for odd in (None, "", 7, ["x"], "javascript:alert(1)", "/relative", "ftp://example.org/"):
            got = page(name, reply(changed(name, **{field: odd})))
            assert list(got.results) == WANTED[1:]
            assert got.dropped == 1

    @every_provider
    def test_rows_that_are_no_objects_are_dropped_and_counted(self, name):
        shape = copy.deepcopy(GOOD[name])
        rows_of(name, shape).extend([None, "row", 3, []])
        got = page(name, reply(shape))
        assert list(got.results) == WANTED
        assert got.dropped == 4

    @every_provider
    def test_plain_http_is_a_usable_url(self, name):
        field = "link" if name == "serper" else "url"
        got = page(name, reply(changed(name, **{field: "http://example.org/"})))
        assert got.results[0].url == "http://example.org/"

    @every_provider
    def test_unknown_fields_are_ignored(self, name):
        shape = changed(name, something={"new": [1]})
        shape["something"] = [{"new": 1}]
        assert list(page(name, reply(shape)).results) == WANTED

    @hosted
    def test_rows_of_an_unknown_shape_are_a_failure_not_an_empty_answer(self, name):
        shape = copy.deepcopy(GOOD[name])
        rows_of(name, shape)[:] = [{"href": U}, {"href": V}]
        assert failure(name, reply(shape)).kind == "bad_response"


class TestRequests:
    @pytest.mark.parametrize(
        ("name", "path", "params"),
        [
            ("searxng", "/search", {"q": TOPIC, "format": "json", "timeout_limit": "7"}),
            (
                "brave",
                "/res/v1/web/search",
                {"q": TOPIC, "count": "10", "text_decorations": "false", "spellcheck": "false"},
            ),
            ("you", "/v1/search", {"query": TOPIC, "count": "10"}),
        ],
    )
    def test_a_get_carries_the_topic_and_the_count_in_its_parameters(self, name, path, params):
        with serving(reply(GOOD[name])) as server:
            search(server, name, key=KEYED[name])
        assert (server.only.method, server.only.path, server.only.query) == ("GET", path, params)
        assert server.only.body == b""

    @pytest.mark.parametrize(
        ("name", "body"),
        [
            ("tavily", {"query": TOPIC, "max_results": 10, "search_depth": "basic"}),
            (
                "exa",
                {
                    "query": TOPIC,
                    "type": "auto",
                    "numResults": 10,
                    "contents": {"highlights": True},
                },
            ),
            ("serper", {"q": TOPIC, "num": 10}),
        ],
    )
    def test_a_post_carries_the_topic_and_the_count_as_json(self, name, body):
        with serving(reply(GOOD[name])) as server:
            search(server, name, key=KEYED[name])
        assert (server.only.method, server.only.path) == ("POST", "/search")
        assert server.only.query == {}
        assert server.only.json == body
        assert server.only.headers["content-type"] == "application/json"

    @pytest.mark.parametrize(
        ("name", "header", "value"),
        [
            ("tavily", "authorization", "Bearer {}"),
            ("brave", "x-subscription-token", "{}"),
            ("exa", "x-api-key", "{}"),
            ("serper", "x-api-key", "{}"),
            ("you", "x-api-key", "{}"),
        ],
    )
    def test_the_key_is_sent_in_its_header_and_nowhere_else(self, name, header, value):
        with serving(reply(GOOD[name])) as server:
            search(server, name, key=KEY)
        assert server.only.headers[header] == value.format(KEY)
        assert server.only.everything.count(KEY) == 1

    def test_searxng_gets_no_key_even_if_one_is_configured(self):
        with serving(reply(SEARXNG)) as server:
            search(server, "searxng", key=KEY)
        assert KEY not in server.only.everything

    def test_tavily_without_a_key_asks_for_keyless_access(self):
        with serving(reply(TAVILY)) as server:
            search(server, "tavily", key=None)
        assert server.only.headers["x-tavily-access-mode"] == "keyless"
        assert "authorization" not in server.only.headers

    def test_you_without_a_key_uses_the_other_endpoint_and_sends_no_key_header(self):
        with serving(reply(GOOD["you"])) as server:
            search(server, "you", key=None)
        assert server.only.path == "/v1/agents/search"
        assert "x-api-key" not in server.only.headers

    @every_provider
    def test_a_base_url_may_have_a_path_and_a_trailing_slash(self, name):
        with serving(reply(GOOD[name])) as server:
            search(server, name, key=KEYED[name], url=f"{server.url}/proxy/")
        assert server.only.path.startswith("/proxy/")
        assert "//" not in server.only.path

    @every_provider
    def test_the_request_says_who_asks(self, name):
        with serving(reply(GOOD[name])) as server:
            search(server, name, key=KEYED[name])
        assert server.only.headers["user-agent"].startswith("gemsearch/")


# What a status alone means, where the provider has no rule of its own.
DEFAULTS = [
    (400, "bad_query"),
    (401, "auth"),
    (402, "quota"),
    (403, "auth"),
    (404, "config"),
    (408, "upstream"),
    (410, "config"),
    (422, "bad_query"),
    (429, "rate_limited"),
    (432, "quota"),
    (433, "quota"),
    (451, "blocked"),
    (500, "upstream"),
    (502, "upstream"),
    (503, "upstream"),
    (504, "upstream"),
    (529, "upstream"),
]
OWN_RULES = {("searxng", 403): "config"}


class TestStatuses:
    @pytest.mark.parametrize(("status", "kind"), DEFAULTS, ids=str)
    @every_provider
    def test_a_status_has_its_kind(self, name, status, kind):
        got = failure(name, reply({"error": "m"}, status))
        assert got.kind == OWN_RULES.get((name, status), kind)
        assert got.hint
        may_be_billed = status >= 500 and name in {"tavily", "exa", "you"}
        assert got.billed == ("unknown" if may_be_billed else "no")

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503])
    @every_provider
    def test_an_error_page_of_html_has_the_kind_of_its_status(self, name, status):
        got = failure(name, html(status))
        if (name, status) != ("searxng", 400):  # SearXNG itself explains a 400 in JSON
            assert got.kind == failure(name, reply({"error": "m"}, status)).kind
        assert len(got.message) < 250

    @every_provider
    def test_a_429_says_how_long_to_wait_when_the_provider_does(self, name):
        assert failure(name, reply({}, 429, Retry_After="30")).retry_after == 30

    @every_provider
    def test_a_429_puts_the_provider_on_hold_for_every_agent(self, name):
        pace = FreePace()
        got = failure(name, reply({}, 429, Retry_After="30"), pace=pace)
        assert got.kind == "rate_limited"
        assert pace.cooled[-1] == (name, "rate_limited", 30.0)

    @every_provider
    def test_a_redirect_is_never_followed(self, name):
        with (
            serving(reply(GOOD[name])) as elsewhere,
            serving(html(302, b"", Location=f"{elsewhere.url}/other")) as server,
            pytest.raises(SearchFailed) as caught,
        ):
            search(server, name, key=KEYED[name])
        assert caught.value.kind == "redirect"
        assert caught.value.exit_code == 5
        assert elsewhere.seen == []
        assert len(server.seen) == 1


class TestBrokenAnswers:
    @every_provider
    def test_open_webui_2797_html_instead_of_json_is_named_and_shown(self, name):
        got = failure(name, html(200))
        assert got.kind == ("config" if name == "searxng" else "bad_response")
        assert "Expecting value" not in got.message
        assert "Sign in" in got.message or "html" in got.message.lower()
        assert len(got.message) < 250

    @every_provider
    def test_truncated_json_is_a_bad_response(self, name):
        got = failure(name, truncated(GOOD[name]))
        assert (got.kind, got.exit_code) == ("bad_response", 4)
        assert got.billed == ("no" if name == "searxng" else "unknown")

    @pytest.mark.parametrize(
        "body",
        [b"", b"null", b"[]", b'"no results"', b"7", b"\xff\xfe", b"[" * 100_000],
        ids=["nothing", "null", "list", "text", "number", "bytes", "deep"],
    )
    @every_provider
    def test_a_body_that_is_no_object_is_a_bad_response(self, name, body):
        assert failure(name, Reply(200, body)).kind == "bad_response"

    @pytest.mark.parametrize("odd", [None, "none", 3, {"a": 1}], ids=str)
    @hosted
    def test_a_list_of_results_that_is_no_list_is_a_bad_response(self, name, odd):
        shape = copy.deepcopy(GOOD[name])
        if name == "brave":
            shape["web"]["results"] = odd
        elif name == "you":
            shape["results"]["web"] = odd
        else:
            shape["organic" if name == "serper" else "results"] = odd
        assert failure(name, reply(shape)).kind == "bad_response"

    @pytest.mark.parametrize("shape", [{}, {"status": "ok"}, {"error": "no"}], ids=str)
    @every_provider
    def test_an_object_without_the_list_is_a_failure_not_an_empty_answer(self, name, shape):
        assert failure(name, reply(shape)).kind in {"bad_response", "config"}

    @every_provider
    def test_an_answer_cut_off_half_way_is_a_failure(self, name):
        got = failure(name, cut_off(GOOD[name]))
        assert got.exit_code == 4

    @every_provider
    def test_a_huge_answer_is_refused(self, name):
        assert failure(name, huge(GOOD[name])).kind == "bad_response"

    @every_provider
    def test_an_answer_that_unpacks_to_a_huge_one_is_refused(self, name):
        assert failure(name, zipped_huge(GOOD[name])).kind == "bad_response"


class TestTime:
    @every_provider
    def test_gsd_core_308_a_slow_drip_ends_at_the_deadline(self, name):
        start = time.monotonic()
        got = failure(name, dripping(GOOD[name]), timeout=0.25)
        assert got.kind == "timeout"
        assert time.monotonic() - start < 2

    @every_provider
    def test_gsd_core_308_a_read_timeout_is_not_tried_again(self, name):
        with serving(stalled(GOOD[name])) as server, pytest.raises(SearchFailed) as caught:
            search(server, name, key=KEYED[name], timeout=0.4)
        assert caught.value.kind == "timeout"
        assert caught.value.exit_code == 4
        assert caught.value.billed == ("no" if name == "searxng" else "unknown")
        assert len(server.seen) == 1

    @every_provider
    def test_a_refused_connection_is_a_network_failure(self, name):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
        provider = HttpProvider(ADAPTERS[name], Settings({"url": url}, KEYED[name]))
        with pytest.raises(SearchFailed) as caught:
            provider.search(TOPIC, FreePace(), 2.0)
        assert caught.value.kind == "network"
        assert caught.value.billed == "no"

    @pytest.mark.parametrize("name", ["searxng", "brave", "serper"])
    def test_a_503_is_tried_once_more_where_failures_cost_nothing(self, name):
        with serving(reply({}, 503), reply(GOOD[name])) as server:
            got = search(server, name, key=KEYED[name], timeout=5)
        assert list(got.results) == WANTED
        assert len(server.seen) == 2

    @pytest.mark.parametrize("name", ["tavily", "exa", "you"])
    def test_a_503_is_not_tried_again_where_it_might_cost(self, name):
        with serving(reply({}, 503), reply(GOOD[name])) as server:
            with pytest.raises(SearchFailed) as caught:
                search(server, name, key=KEYED[name], timeout=5)
            assert len(server.seen) == 1
        assert caught.value.kind == "upstream"


class TestSearXNG:
    def test_mcp_searxng_262_all_engines_blocked_is_a_failure_not_an_empty_answer(self):
        got = failure("searxng", reply(BLOCKED_ENGINES))
        assert (got.kind, got.exit_code) == ("upstream", 4)
        assert "one: too many requests" in got.message
        assert "two: access denied" in got.message

    @pytest.mark.parametrize(
        "reason",
        [
            "too many requests",
            "access denied",
            "HTTP error",
            "timeout",
            "parsing error",
            "HTTP connection error",
            "unexpected crash",
            "Suspended: too many requests",
            "trop de requêtes",
        ],
    )
    def test_hermes_agent_104030_any_reason_in_any_language_is_a_failure(self, reason):
        shape = {**BLOCKED_ENGINES, "unresponsive_engines": [["one", reason]]}
        assert failure("searxng", reply(shape)).kind == "upstream"

    def test_minisearch_2409_a_true_empty_beside_one_timeout_counts_as_a_failure(self):
        shape = {**EMPTY["searxng"], "unresponsive_engines": [["slow", "timeout"]]}
        assert failure("searxng", reply(shape)).kind == "upstream"

    @pytest.mark.parametrize("odd", [{"one": "timeout"}, "one", [["one"]], [None], [[1, 2, 3]]])
    def test_engines_of_an_unknown_shape_still_count_as_failed(self, odd):
        shape = {**EMPTY["searxng"], "unresponsive_engines": odd}
        assert failure("searxng", reply(shape)).kind == "upstream"

    def test_a_row_without_a_url_does_not_hide_that_the_engines_failed(self):
        shape = {**BLOCKED_ENGINES, "results": [{"url": None, "title": "kv"}]}
        assert failure("searxng", reply(shape)).kind == "upstream"

    def test_only_rows_without_a_url_and_no_failed_engine_is_an_empty_page(self):
        got = page("searxng", reply({**SEARXNG, "results": [{"url": None, "title": "kv"}]}))
        assert list(got.results) == []
        assert got.dropped == 1

    def test_results_beside_a_failed_engine_are_kept_and_the_engine_is_named(self):
        shape = {**SEARXNG, "unresponsive_engines": [["one", "timeout"]]}
        got = page("searxng", reply(shape))
        assert list(got.results) == WANTED
        assert list(got.partial) == ["one: timeout"]

    def test_open_webui_2824_a_403_names_the_setting_to_change(self):
        for answer in (html(403), reply({"error": "Forbidden"}, 403)):
            got = failure("searxng", answer)
            assert (got.kind, got.exit_code) == ("config", 5)
            assert "search.formats" in got.message + got.hint
            assert "settings.yml" in got.hint

    def test_searxng_5186_the_headers_that_its_limiter_asks_for_are_sent(self):
        with serving(reply(SEARXNG)) as server:
            search(server, "searxng")
        headers = server.only.headers
        assert headers["accept"] == "application/json, text/html;q=0.5"
        assert headers["accept-language"] == "en"
        assert headers["user-agent"].startswith("gemsearch/")

    def test_searxng_5186_no_address_is_forged(self):
        with serving(reply(SEARXNG)) as server:
            search(server, "searxng")
        assert not {"x-forwarded-for", "x-real-ip", "forwarded"} & set(server.only.headers)

    def test_the_limiter_of_a_local_instance_means_a_minute(self):
        got = failure("searxng", Reply(429, b"Too Many Requests", {}, "text/html"))
        assert (got.kind, got.exit_code, got.retry_after) == ("rate_limited", 4, 60)
        assert "limiter" in got.message

    def test_a_redirect_to_the_start_page_is_the_limiter(self):
        for location in ("/", "http://127.0.0.1:{}/"):
            with serving(Reply(302)) as server:
                target = location.format(server.server_port)
                server.replies[:] = [html(302, b"", Location=target)]
                with pytest.raises(SearchFailed) as caught:
                    search(server, "searxng")
            assert (caught.value.kind, caught.value.retry_after) == ("rate_limited", 60)

    def test_a_redirect_to_the_start_page_below_a_path_is_the_limiter(self):
        with (
            serving(html(302, b"", Location="/searx/")) as server,
            pytest.raises(SearchFailed) as caught,
        ):
            search(server, "searxng", url=f"{server.url}/searx")
        assert caught.value.kind == "rate_limited"

    def test_a_redirect_to_another_host_is_a_bang_and_is_not_followed(self):
        location = "http://duckduckgo.com/?q=cats"
        got = failure("searxng", html(302, b"", Location=location), raw_syntax=True)
        assert (got.kind, got.exit_code) == ("redirect", 5)
        assert "duckduckgo.com" in got.message
        assert "cats" not in got.message
        assert "!!bang" in got.hint

    @pytest.mark.parametrize("location", ["/login?next=/search", "https://127.0.0.1/", "", "//["])
    def test_any_other_redirect_asks_for_the_final_url(self, location):
        got = failure("searxng", html(302, b"", Location=location))
        assert (got.kind, got.exit_code) == ("redirect", 5)

    def test_another_server_s_json_is_a_configuration_error(self):
        for odd in ({}, {"results": None}, {"results": {"a": 1}}, {"results": "x"}):
            got = failure("searxng", reply(odd))
            assert (got.kind, got.exit_code) == ("config", 5)
            assert "Is this a SearXNG base URL?" in got.hint

    def test_another_server_s_page_is_a_configuration_error(self):
        got = failure("searxng", html(200))
        assert (got.kind, got.exit_code) == ("config", 5)
        assert "Is this a SearXNG base URL?" in got.hint

    def test_a_400_explained_in_json_is_about_the_topic(self):
        got = failure("searxng", reply({"error": "No query"}, 400))
        assert (got.kind, got.exit_code) == ("bad_query", 1)
        assert "No query" in got.message

    def test_a_400_in_html_comes_from_something_else_at_that_address(self):
        got = failure("searxng", html(400))
        assert (got.kind, got.exit_code) == ("config", 5)

    def test_a_401_is_the_proxy_s_password(self):
        got = failure("searxng", html(401))
        assert (got.kind, got.exit_code) == ("auth", 5)
        assert "PASSWORD" in got.hint

    def test_links_to_the_instance_itself_are_no_sources(self):
        with serving(Reply()) as server:
            own = [
                f"{server.url}/image_proxy?url=https%3A%2F%2Fexample.org%2Fi.png",
                f"{server.url}/stats",
                f"{server.url.upper()}/stats",
                server.url,
                "/stats",
                "//127.0.0.1/x",
                "javascript:alert(1)",
                "ftp://example.org/x",
                "http://[broken",
                "https:///nowhere",
            ]
            shape = {**SEARXNG, "results": [{"url": url} for url in own] + SEARXNG["results"]}
            server.replies[:] = [reply(shape)]
            got = search(server, "searxng")
        assert list(got.results) == WANTED
        assert got.dropped == len(own)

    def test_other_pages_of_a_host_that_has_its_instance_below_a_path_are_sources(self):
        with serving(Reply()) as server:
            blog = f"{server.url}/blog"
            rows = [{"url": f"{server.url}/searx/stats"}, {"url": blog}]
            server.replies[:] = [reply({**SEARXNG, "results": rows})]
            got = search(server, "searxng", url=f"{server.url}/searx")
        assert [result.url for result in got.results] == [blog]

    def test_a_url_pasted_from_the_browser_works(self):
        with serving(reply(SEARXNG)) as server:
            search(server, "searxng", url=f"{server.url}/search?q=x#top")
        assert server.only.path == "/search"
        assert server.only.query["q"] == TOPIC

    def test_a_password_in_the_url_is_sent_as_a_header_and_never_shown(self):
        word = secrets.token_hex(8)
        with serving(html(401)) as server, pytest.raises(SearchFailed) as caught:
            search(server, "searxng", url=server.url.replace("://", f"://me:{word}@"))
        assert server.only.headers["authorization"].startswith("Basic ")
        assert word not in caught.value.message + caught.value.hint

    @pytest.mark.parametrize(
        ("topic", "sent"),
        [
            ("cats !!ddg", 'cats "!!ddg"'),
            ("!!ddg cats", '"!!ddg" cats'),
            (" !!ddg cats", ' "!!ddg" cats'),
            ("vim :wq", 'vim ":wq"'),
            ("i <3 python", 'i "<3" python'),
            ('"foo !!ddg bar"', '"foo "!!ddg" bar"'),
        ],
    )
    def test_a_word_that_searxng_would_obey_is_sent_in_quotes_and_reported(self, topic, sent):
        with serving(reply({**SEARXNG, "query": sent})) as server:
            got = search(server, "searxng", topic)
        assert server.only.query["q"] == sent
        assert got.altered_topic == sent

    def test_raw_syntax_sends_the_topic_as_it_is_and_reports_what_was_searched(self):
        with serving(reply({**SEARXNG, "query": "chat"})) as server:
            got = search(server, "searxng", "chat :fr", raw_syntax=True)
        assert server.only.query["q"] == "chat :fr"
        assert got.altered_topic == "chat"

    def test_engines_language_and_safesearch_are_options(self):
        with serving(reply(SEARXNG)) as server:
            options = {"engines": ["one", "two"], "language": "de", "safesearch": 0}
            search(server, "searxng", **options)
        assert server.only.query["engines"] == "one,two"
        assert server.only.query["language"] == "de"
        assert server.only.query["safesearch"] == "0"


class TestTavily:
    @pytest.mark.parametrize("window", ["day", "month"])
    def test_a_used_up_keyless_allowance_is_a_quota(self, window):
        got = failure("tavily", reply(tavily_limit(window, 7200), 429), key=None)
        assert (got.kind, got.exit_code, got.retry_after) == ("quota", 5, 7200)

    def test_a_minute_s_limit_is_a_rate(self):
        got = failure("tavily", reply(tavily_limit("minute", 12), 429), key=None)
        assert (got.kind, got.exit_code, got.retry_after) == ("rate_limited", 4, 12)

    @pytest.mark.parametrize("odd", [None, "soon", -1, [], float("nan")], ids=str)
    def test_a_nonsense_wait_falls_back_to_the_header(self, odd):
        answer = reply(tavily_limit("minute", odd), 429, Retry_After="9")
        assert failure("tavily", answer, key=None).retry_after == 9

    def test_cherry_studio_2201_a_topic_over_the_limit_is_refused_before_it_is_sent(self):
        with serving(reply(TAVILY)) as server, pytest.raises(SearchFailed) as caught:
            search(server, "tavily", "word " * 100, key=KEY)
        assert (caught.value.kind, caught.value.exit_code) == ("query_too_long", 1)
        assert "400" in caught.value.message
        assert server.seen == []

    def test_gpt_researcher_1263_a_too_long_answer_is_not_a_crash(self):
        words = "Query is too long. Max query length is 400 characters."
        got = failure("tavily", reply({"detail": {"error": words}}, 400))
        assert (got.kind, got.exit_code) == ("query_too_long", 1)
        assert "400 characters" in got.message

    def test_a_site_in_the_topic_becomes_a_list_of_domains(self):
        with serving(reply(TAVILY)) as server:
            got = search(server, "tavily", "hooks site:github.com -site:x.org", key=KEY)
        assert server.only.json["query"] == "hooks"
        assert server.only.json["include_domains"] == ["github.com"]
        assert server.only.json["exclude_domains"] == ["x.org"]
        assert got.altered_topic is None


class TestBrave:
    def test_a_bad_or_missing_token_is_told_from_a_bad_parameter(self):
        for body in (BRAVE_BAD_TOKEN, BRAVE_NO_TOKEN):
            got = failure("brave", reply(body, 422))
            assert (got.kind, got.exit_code) == ("auth", 5)
        got = failure("brave", reply(BRAVE_BAD_PARAMETER, 422))
        assert (got.kind, got.exit_code) == ("bad_query", 1)

    def test_groktocrawl_213_a_used_up_month_is_a_quota_until_it_is_reset(self):
        answer = reply(BRAVE_QUOTA, 429, X_RateLimit_Reset="1, 86400")
        got = failure("brave", answer)
        assert (got.kind, got.exit_code, got.retry_after) == ("quota", 5, 86400)

    def test_a_used_up_month_is_also_read_from_the_headers(self):
        limits = {"X_RateLimit_Limit": "1, 2000", "X_RateLimit_Remaining": "1, 0"}
        got = failure("brave", reply({}, 429, **limits, X_RateLimit_Reset="1, 86400"))
        assert (got.kind, got.retry_after) == ("quota", 86400)

    def test_a_plan_without_a_monthly_limit_has_no_quota_to_use_up(self):
        limits = {"X_RateLimit_Limit": "50, 0", "X_RateLimit_Remaining": "0, 0"}
        got = failure("brave", reply({}, 429, **limits, X_RateLimit_Reset="30, 0"))
        assert (got.kind, got.retry_after) == ("rate_limited", 30)

    def test_open_webui_15134_the_first_number_of_the_reset_is_the_wait(self):
        got = failure("brave", reply(BRAVE_RATE, 429, X_RateLimit_Reset="20, 1419704"))
        assert (got.kind, got.exit_code, got.retry_after) == ("rate_limited", 4, 20)

    def test_open_webui_15134_a_short_wait_is_waited_and_the_search_succeeds(self):
        limited = reply(BRAVE_RATE, 429, X_RateLimit_Reset="1, 1419704")
        with serving(limited, reply(GOOD["brave"])) as server:
            got = search(server, "brave", key=KEY, timeout=8)
        assert list(got.results) == WANTED
        assert len(server.seen) == 2

    @pytest.mark.parametrize("header", ["", ",", "1", "x, y", "1, -5", "1, 9999999999999"])
    def test_a_nonsense_reset_is_no_crash(self, header):
        assert failure("brave", reply(BRAVE_QUOTA, 429, X_RateLimit_Reset=header)).kind == "quota"

    @pytest.mark.parametrize("odd", [None, True, "2000", [], 0])
    @pytest.mark.parametrize("current", [None, 2000])
    def test_nonsense_counters_are_a_rate_limit(self, odd, current):
        meta = {"quota_limit": odd, "quota_current": odd if current is None else current}
        shape = {"error": {"code": "RATE_LIMITED", "meta": meta}}
        assert failure("brave", reply(shape, 429, Retry_After="9")).kind == "rate_limited"

    def test_a_topic_of_too_many_words_is_refused_before_it_is_sent(self):
        with serving(reply(GOOD["brave"])) as server, pytest.raises(SearchFailed) as caught:
            search(server, "brave", "w " * 51, key=KEY)
        assert caught.value.kind == "query_too_long"
        assert "50" in caught.value.message
        assert server.seen == []

    def test_a_topic_that_brave_changed_is_reported(self):
        shape = {**GOOD["brave"], "query": {"original": TOPIC, "altered": "git leaks hook"}}
        assert page("brave", reply(shape)).altered_topic == "git leaks hook"

    @pytest.mark.parametrize("odd", [None, "", 7, {"a": 1}], ids=str)
    def test_a_topic_that_brave_left_alone_is_not_reported(self, odd):
        shape = {**GOOD["brave"], "query": {"original": TOPIC, "altered": odd}}
        assert page("brave", reply(shape)).altered_topic is None

    def test_searxng_6375_tags_in_a_snippet_are_taken_out(self):
        got = page("brave", reply(changed("brave", description="<strong>git</strong>leaks")))
        assert got.results[0].snippet == "gitleaks"


class TestExa:
    @pytest.mark.parametrize("tag", ["NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED"])
    @pytest.mark.parametrize("status", [402, 403, 429])
    def test_spent_credits_are_a_quota_whatever_the_status(self, tag, status):
        shape = {"requestId": "r", "error": "m", "tag": tag}
        got = failure("exa", reply(shape, status))
        assert (got.kind, got.exit_code) == ("quota", 5)

    def test_atomic_agent_179_a_429_with_only_an_error_is_a_rate_limit(self):
        got = failure("exa", reply({"error": "slow down"}, 429, Retry_After="12"))
        assert (got.kind, got.exit_code, got.retry_after) == ("rate_limited", 4, 12)

    def test_several_highlights_make_one_snippet(self):
        got = page("exa", reply(changed("exa", highlights=["one", None, "two"])))
        assert got.results[0].snippet == "one … two"

    def test_text_stands_in_for_highlights_and_a_long_one_is_shortened(self):
        got = page("exa", reply(changed("exa", highlights=None, text="w" * 9000)))
        assert got.results[0].snippet == "w" * 500


class TestSerper:
    def test_not_enough_credits_is_a_quota_though_the_status_is_400(self):
        got = failure("serper", reply({"message": "Not enough credits"}, 400))
        assert (got.kind, got.exit_code) == ("quota", 5)

    def test_another_400_is_about_the_topic(self):
        assert failure("serper", reply({"message": "Bad q"}, 400)).kind == "bad_query"

    def test_a_403_is_the_key(self):
        got = failure("serper", reply({"message": "Unauthorized.", "statusCode": 403}, 403))
        assert (got.kind, got.exit_code) == ("auth", 5)


class TestYou:
    def test_a_page_of_news_alone_is_empty(self):
        shape = {"results": {"news": [{"title": "News", "url": U}]}}
        assert list(page("you", reply(shape)).results) == []

    def test_a_keyless_429_says_what_a_key_would_change(self):
        got = failure("you", reply({}, 429, Retry_After="30"), key=None)
        assert got.kind == "rate_limited"
        assert "YDC_API_KEY" in got.hint

    def test_snippets_stand_in_for_a_description(self):
        got = page("you", reply(changed("you", description=None, snippets=["one", "two"])))
        assert got.results[0].snippet == "one"


class TestReports:
    @every_provider
    def test_gpt_researcher_1047_a_429_is_a_failure_not_an_empty_answer(self, name):
        got = failure(name, reply({"error": "slow down"}, 429, Retry_After="60"))
        assert (got.kind, got.exit_code) == ("rate_limited", 4)

    @pytest.mark.parametrize(
        "topic",
        [
            "AT&T merger",
            'a & b # c % d + e / f ? g " h',
            "日本語 検索",
            "100% café 🎉",
            "site example.org/path?x=1&y=2#z",
            "-flag --like",
            "a=b&q=c&format=html",
            "nul\x00byte",
        ],
    )
    @every_provider
    def test_gpt_researcher_at_t_a_topic_arrives_as_it_was_written(self, name, topic):
        with serving(reply(GOOD[name])) as server:
            search(server, name, topic, key=KEYED[name])
        seen = server.only
        asked = seen.query if seen.method == "GET" else seen.json
        assert (asked.get("q") or asked.get("query")) == topic

    @pytest.mark.parametrize("status", [200, 302, 400, 401, 402, 403, 404, 418, 422, 429, 500])
    @every_provider
    def test_a_key_that_the_server_repeats_is_in_no_message_and_no_log(self, name, status, caplog):
        caplog.set_level(logging.INFO)
        got = failure(name, echo(status), key=KEY)
        told = "".join(traceback.format_exception(got)) + got.message + got.hint + repr(got)
        assert KEY not in told
        assert KEY not in caplog.text

    @every_provider
    def test_a_topic_is_in_no_log(self, name, caplog):
        caplog.set_level(logging.INFO)
        page(name, reply(GOOD[name]), topic="confidential matter")
        assert "confidential" not in caplog.text
