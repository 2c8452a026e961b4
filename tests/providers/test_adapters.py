"""The adapters alone: what they ask, and that any answer is a page or a SearchFailed."""

from __future__ import annotations

import importlib
import json
import secrets
import string
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemsearch.errors import SearchFailed
from gemsearch.providers.base import Answer, Page, Settings
from gemsearch.providers.searxng import is_private, quoted
from gemsearch.providers.tavily import asked_of

NAMES = ["searxng", "tavily", "brave", "exa", "serper", "you"]
ADAPTERS = {name: importlib.import_module(f"gemsearch.providers.{name}").ADAPTER for name in NAMES}
KEY = f"not-a-key-{secrets.token_hex(12)}"
OPTIONS = {"url": "http://127.0.0.1:9/base", "raw_syntax": True}
HOSTILE = [
    "AT&T",
    "a=b&q=c",
    "# heading",
    "100% café",
    "a + b",
    "/etc/passwd",
    "why?",
    'the "exact phrase"',
    "日本語 検索",
    "🎉 emoji 👩‍💻",
    "!!bang",
    "cats !!ddg",
    "vim :wq",
    "i <3 python",
    "css !important",
    "-flag --like",
    "back\\slash",
    "{curly} [square]",
    "%2F%00",
    "nul\x00byte",
    "x" * 3000,
    "two  spaces and a\ttab",
]

every_provider = pytest.mark.parametrize("name", NAMES)


def asked(name, topic, key=KEY, **options):
    """What the service would read out of the request that the adapter builds."""
    request = ADAPTERS[name].build(topic, Settings({**OPTIONS, **options}, key))
    if request.json is not None:
        body = json.loads(json.dumps(request.json))
        return body.get("q") or body.get("query")
    sent = httpx.Request(request.method, request.url, params=dict(request.params))
    params = parse_qs(urlsplit(str(sent.url)).query, keep_blank_values=True)
    (value,) = params.get("q") or params["query"]
    return value


class TestTopics:
    @pytest.mark.parametrize("topic", HOSTILE, ids=lambda topic: ascii(topic[:12]))
    @every_provider
    def test_a_hostile_topic_arrives_unchanged(self, name, topic):
        assert asked(name, topic) == topic

    @every_provider
    @given(topic=st.text(min_size=1, max_size=80))
    @settings(deadline=None)
    def test_any_topic_arrives_unchanged(self, name, topic):
        if "site:" not in topic:
            assert asked(name, topic) == topic

    @every_provider
    def test_the_key_is_in_a_header_and_in_no_other_part(self, name):
        request = ADAPTERS[name].build("gitleaks hook", Settings(OPTIONS, KEY))
        assert KEY not in f"{request.url} {request.params} {request.json}"
        holders = [value for value in request.headers.values() if KEY in value]
        assert len(holders) == (0 if name == "searxng" else 1)

    @pytest.mark.parametrize(
        ("name", "keyed", "url"),
        [
            ("tavily", True, "https://api.tavily.com/search"),
            ("tavily", False, "https://api.tavily.com/search"),
            ("brave", True, "https://api.search.brave.com/res/v1/web/search"),
            ("exa", True, "https://api.exa.ai/search"),
            ("serper", True, "https://google.serper.dev/search"),
            ("you", True, "https://ydc-index.io/v1/search"),
            ("you", False, "https://api.you.com/v1/agents/search"),
        ],
    )
    @pytest.mark.parametrize("options", [{}, {"url": ""}, {"url": 7}], ids=str)
    def test_without_a_url_option_the_provider_s_own_is_used(self, name, keyed, url, options):
        key = KEY if keyed else None
        assert ADAPTERS[name].build("x", Settings(options, key)).url == url

    def test_searxng_has_no_url_of_its_own(self):
        with pytest.raises(SearchFailed) as caught:
            ADAPTERS["searxng"].build("x", Settings())
        assert caught.value.kind == "config"
        assert "SEARXNG_URL" in caught.value.hint


class TestQuoting:
    words = st.text("ab!:<\"'12é ²\u00a0\x1c\t", max_size=30)

    @given(words)
    def test_no_word_is_left_that_searxng_would_obey(self, topic):
        for word in quoted(topic).split():
            assert not word.startswith(("!", ":"))
            assert not (word.startswith("<") and word[1:].isdigit())

    @given(words)
    def test_only_quotation_marks_are_added_or_taken_away(self, topic):
        assert quoted(topic).replace('"', "") == topic.replace('"', "")

    @given(words)
    def test_quoting_twice_changes_nothing_more(self, topic):
        assert quoted(quoted(topic)) == quoted(topic)

    @pytest.mark.parametrize(
        "topic", ["c++ & c# 100%", "a:b c!d", "<div> tag", "<3rd place", '"!!ddg"', "what? yes!"]
    )
    def test_words_that_searxng_leaves_alone_are_left_alone(self, topic):
        assert quoted(topic) == topic

    @pytest.mark.parametrize(
        ("topic", "sent"),
        [
            ("!g cats", '"!g" cats'),
            ("!! cats", '"!!" cats'),
            ('!"a" b', '"!a" b'),
            (":fr <850", '":fr" "<850"'),
        ],
    )
    def test_every_form_of_command_is_quoted(self, topic, sent):
        assert quoted(topic) == sent


class TestSearXNGSettings:
    @pytest.mark.parametrize(
        "url",
        ["", "127.0.0.1:8888", "ftp://host", "http://", "http://[::1", "http://h:port", 5, None],
    )
    def test_an_unusable_address_is_a_configuration_error_before_anything_is_sent(self, url):
        with pytest.raises(SearchFailed) as caught:
            ADAPTERS["searxng"].build("x", Settings({"url": url}))
        assert (caught.value.kind, caught.value.exit_code) == ("config", 5)

    @pytest.mark.parametrize(
        ("url", "sent"),
        [
            ("http://h:8888", "http://h:8888/search"),
            ("http://h:8888/", "http://h:8888/search"),
            ("http://h/search?q=<query>", "http://h/search"),
            ("https://h/searx/", "https://h/searx/search"),
            ("https://h/search/", "https://h/search/search"),
            (" https://h ", "https://h/search"),
        ],
    )
    def test_an_address_is_taken_as_people_write_it(self, url, sent):
        assert ADAPTERS["searxng"].build("x", Settings({"url": url})).url == sent

    @pytest.mark.parametrize(
        "options", [{"safesearch": 9}, {"safesearch": True}, {"engines": 3}, {"engines": [1]}]
    )
    def test_an_unusable_option_is_a_configuration_error_that_names_it(self, options):
        with pytest.raises(SearchFailed) as caught:
            ADAPTERS["searxng"].build("x", Settings({**OPTIONS, **options}))
        assert caught.value.kind == "config"
        assert next(iter(options)) in caught.value.message

    @pytest.mark.parametrize("level", [0, 1, 2, "2"])
    def test_each_safesearch_level_is_sent_as_its_number(self, level):
        request = ADAPTERS["searxng"].build("x", Settings({**OPTIONS, "safesearch": level}))
        assert request.params["safesearch"] == str(level)

    @pytest.mark.parametrize(
        ("url", "private"),
        [
            ("http://127.0.0.1:8888", True),
            ("http://[::1]:8888", True),
            ("http://192.168.1.5", True),
            ("http://searxng:8080", True),
            ("http://search.lan", True),
            ("http://searx.localhost", True),
            ("http://box.local", True),
            ("http://search.corp.internal", True),
            ("http://nas.home.arpa", True),
            ("https://searx.example.org", False),
            ("https://203.0.113.9", True),  # documentation addresses are reachable by nobody
            ("https://8.8.8.8", False),
        ],
    )
    def test_an_instance_of_one_s_own_is_known_by_its_host(self, url, private):
        assert is_private(url) is private

    @pytest.mark.parametrize(("url", "wait"), [("https://s.example.org", 3600), ("http://s", 60)])
    def test_the_limiter_of_a_public_instance_means_an_hour(self, url, wait):
        answer = Answer(429, {"content-type": "text/html"}, b"Too Many Requests")
        with pytest.raises(SearchFailed) as caught:
            ADAPTERS["searxng"].parse(answer, "x", Settings({"url": url}))
        assert (caught.value.kind, caught.value.retry_after) == ("rate_limited", wait)

    @pytest.mark.parametrize(
        ("base", "own"),
        [
            ("http://s.example.org", "http://s.example.org:80/stats"),
            ("http://s.example.org:80", "http://s.example.org/stats"),
            ("https://s.example.org", "https://S.example.org:443/stats"),
        ],
    )
    def test_the_usual_port_is_the_same_as_none(self, base, own):
        body = json.dumps({"results": [{"url": own}, {"url": "http://s.example.org:81/"}]})
        answer = Answer(200, {}, body.encode())
        page = ADAPTERS["searxng"].parse(answer, "x", Settings({"url": base}))
        assert [result.url for result in page.results] == ["http://s.example.org:81/"]

    @pytest.mark.parametrize(
        ("body", "shown"),
        [(b"", "(an empty body)"), (b"\xff\xfe", "\ufffd"), (b"w" * 5000, "www")],
        ids=["empty", "bytes", "long"],
    )
    @pytest.mark.parametrize("status", [200, 400])
    def test_a_strange_page_is_shown_in_a_few_characters(self, status, body, shown):
        answer = Answer(status, {"content-type": "text/html"}, body)
        with pytest.raises(SearchFailed) as caught:
            ADAPTERS["searxng"].parse(answer, "x", Settings(OPTIONS))
        assert caught.value.kind == "config"
        assert shown in caught.value.message
        assert len(caught.value.message) < 150

    @pytest.mark.parametrize(("count", "more"), [(3, False), (4, True)])
    def test_three_failed_engines_are_named_and_the_rest_counted(self, count, more):
        engines = [[f"engine{number}", "timeout"] for number in range(count)]
        body = json.dumps({"results": [], "unresponsive_engines": engines})
        with pytest.raises(SearchFailed) as caught:
            ADAPTERS["searxng"].parse(Answer(200, {}, body.encode()), "x", Settings(OPTIONS))
        assert "engine2: timeout" in caught.value.message
        assert ("and 1 more" in caught.value.message) is more


class TestTavilySites:
    @pytest.mark.parametrize(
        ("topic", "query", "include", "exclude"),
        [
            ("hooks site:github.com", "hooks", ["github.com"], []),
            ("site:github.com hooks", "hooks", ["github.com"], []),
            ("a site:x.org b -site:y.org c", "a b c", ["x.org"], ["y.org"]),
            ("a (site:x.org OR site:y.org)", "a", ["x.org", "y.org"], []),
            ("a site:x.org | site:y.org", "a", ["x.org", "y.org"], []),
            ("a Site:https://X.org/", "a", ["x.org"], []),
            ("a site:x.org/docs", "a", ["x.org/docs"], []),
            ("site:x.org", "x.org", ["x.org"], []),
            ("-site:x.org", "x.org", [], ["x.org"]),
            ("error in site: connection refused", "error in site: connection refused", [], []),
            ("what is site:foo", "what is site:foo", [], []),
            ("website:x.org", "website:x.org", [], []),
            ("cats OR dogs", "cats OR dogs", [], []),
        ],
    )
    def test_sites_become_domains_and_the_rest_stays(self, topic, query, include, exclude):
        assert asked_of(topic) == (query, include, exclude)

    @given(st.text(string.ascii_letters + "-:./() |OR site", max_size=60))
    def test_a_query_is_never_empty_unless_the_topic_is(self, topic):
        assert asked_of(topic).query.strip() or not topic.strip()


class TestAnswers:
    leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    field = st.sampled_from(
        ["url", "link", "title", "content", "snippet", "highlights", "text", "description"]
    )
    row = st.dictionaries(field, leaf | st.lists(leaf, max_size=2), max_size=4)
    rows = st.lists(row | leaf, max_size=3) | leaf
    tops = st.sampled_from(
        ["results", "organic", "web", "query", "error", "message", "tag", "unresponsive_engines"]
    )
    parts = st.sampled_from(["results", "web", "altered", "code", "meta", "error", "window"])
    shape = st.dictionaries(tops, rows | st.dictionaries(parts, rows, max_size=3), max_size=4)

    @every_provider
    @given(
        shape=shape | leaf,
        status=st.sampled_from([200, 200, 200, 302, 400, 402, 403, 422, 429, 500, 599]),
    )
    @settings(deadline=None, max_examples=200)
    def test_any_json_of_any_status_is_a_page_or_a_search_failed(self, name, shape, status):
        answer = Answer(status, {"content-type": "application/json"}, json.dumps(shape).encode())
        try:
            page = ADAPTERS[name].parse(answer, "x", Settings(OPTIONS, KEY))
        except SearchFailed:
            return
        assert isinstance(page, Page)
        assert status == 200
        assert all(result.url.startswith("http") for result in page.results)

    @every_provider
    @given(body=st.binary(max_size=40), status=st.integers(100, 599))
    @settings(deadline=None)
    def test_any_bytes_of_any_status_are_a_search_failed(self, name, body, status):
        answer = Answer(status, {"location": body.decode("latin-1")}, body)
        with pytest.raises(SearchFailed):
            ADAPTERS[name].parse(answer, "x", Settings(OPTIONS, KEY))

    @every_provider
    def test_a_message_never_repeats_the_url_s_password(self, name):
        url = f"http://me:{KEY}@127.0.0.1:9"
        for status in (200, 302, 400, 401, 403, 404, 429, 500):
            answer = Answer(status, {"location": f"{url}/else", "content-type": "text/html"}, b"x")
            with pytest.raises(SearchFailed) as caught:
                ADAPTERS[name].parse(answer, "x", Settings({"url": url}, None))
            assert KEY not in f"{caught.value.message} {caught.value.hint}"


class TestFacts:
    def test_the_variables_that_hold_a_key_have_their_usual_names(self):
        assert {name: tuple(ADAPTERS[name].env) for name in NAMES} == {
            "searxng": (),
            "tavily": ("TAVILY_API_KEY",),
            "brave": ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"),
            "exa": ("EXA_API_KEY",),
            "serper": ("SERPER_API_KEY",),
            "you": ("YDC_API_KEY", "YOUCOM_API_KEY"),
        }

    @every_provider
    def test_a_provider_is_named_as_its_module(self, name):
        assert ADAPTERS[name].name == name

    def test_the_pace_is_that_of_the_smallest_plan(self):
        intervals = {name: ADAPTERS[name].min_interval for name in NAMES}
        assert {name: pause for name, pause in intervals.items() if pause} == {
            "brave": 1.0,
            "exa": 0.1,
        }

    def test_length_limits_are_those_that_the_providers_state(self):
        limits = {name: (ADAPTERS[name].max_chars, ADAPTERS[name].max_words) for name in NAMES}
        assert {name: limit for name, limit in limits.items() if any(limit)} == {
            "tavily": (400, 0),
            "brave": (400, 50),
        }
