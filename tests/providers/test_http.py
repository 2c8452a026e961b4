"""HTTP against servers on this machine that behave as badly as the real ones."""

from __future__ import annotations

import gzip
import json
import logging
import secrets
import socket
import ssl
import threading
import time
import traceback
import zlib
from contextlib import contextmanager
from email.utils import formatdate

import httpx
import pytest

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers import http
from gemsearch.providers.base import Adapter, Page, Request, Settings
from gemsearch.providers.http import Attempt, HttpProvider, decoded, is_private, retry_wait
from gemsearch.providers.outcome import default_failure, json_object, rows
from tests.providers.servers import Reply, cut_off, dripping, echo, reply, serving, stalled

FOUND = {"results": [{"url": "https://example.org/a"}]}


class Acme(Adapter):
    """A provider as simple as they come; tests change one fact at a time."""

    name = "acme"
    env = ("ACME_API_KEY",)
    needs_key = False
    failure_billed = False
    max_chars = 0
    max_words = 0
    min_interval = 0.0

    def __init__(self, **facts):
        for name, value in facts.items():
            setattr(self, name, value)

    def build(self, topic, settings):
        headers = {"X-Api-Key": settings.key} if settings.key else {}
        return Request("GET", settings.text("url"), {"q": topic}, headers)

    def parse(self, answer, topic, settings):  # noqa: ARG002 - the interface
        if answer.status != 200:
            raise default_failure(answer, self.name)
        found = rows(json_object(answer, self.name)["results"])
        return Page([Result(str(row["url"])) for row in found])


class MemoryPace:
    """What the ledger does, for one process."""

    def __init__(self, wait=0.0):
        self.wait = wait
        self.claims = []
        self.cooled = {}

    def cooling(self, provider):
        return self.cooled.get(provider)

    def claim(self, provider, interval):  # noqa: ARG002 - the interface
        self.claims.append(interval)
        return self.wait

    def cool_down(self, provider, kind, seconds):
        self.cooled[provider] = (kind, seconds)


@pytest.fixture(autouse=True)
def quick(monkeypatch, own_files):
    """No test waits for a real back-off."""
    monkeypatch.setattr(http, "BACKOFF", 0.01)


def ask(url, *, timeout=10.0, key=None, pace=None, topic="gitleaks hook", options=(), **facts):
    settings = Settings({"url": url, **dict(options)}, key)
    return HttpProvider(Acme(**facts), settings).search(topic, pace or MemoryPace(), timeout)


def failure_of(url, **how):
    with pytest.raises(SearchFailed) as caught:
        ask(url, **how)
    return caught.value


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextmanager
def raw_server(talk):
    """A server that speaks whatever `talk(connection, stopped)` writes; yields its URL."""
    stopped = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                if stopped.is_set():
                    connection.close()
                    return
                with connection:
                    try:
                        talk(connection, stopped)
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            stopped.set()
            with socket.create_connection(server.getsockname()):
                pass
            thread.join()


class TestAnswers:
    def test_a_page_comes_back(self):
        with serving(reply(FOUND)) as server:
            assert ask(server.url).results == [Result("https://example.org/a")]
            assert server.only.query == {"q": "gitleaks hook"}
            assert server.only.headers["accept-encoding"] == "gzip"
            assert server.only.headers["user-agent"].startswith("gemsearch/")

    @pytest.mark.parametrize("topic", ["a & b # c % d + e / ? \"'", "日本語 🙂", "x" * 3000, "-n"])
    def test_any_topic_arrives_unchanged(self, topic):
        with serving(reply(FOUND)) as server:
            ask(server.url, topic=topic)
            assert server.only.query == {"q": topic}

    def test_what_can_not_be_sent_is_a_bad_query(self):
        assert failure_of("http://127.0.0.1:9", topic="\ud800").kind == "bad_query"

    def test_a_redirect_is_not_followed_and_the_key_stays_here(self):
        with serving(reply(FOUND)) as other, serving(reply({}, 302, Location=other.url)) as server:
            assert failure_of(server.url, key="k" * 20).kind == "redirect"
            assert other.seen == []

    def test_a_fault_of_an_adapter_is_a_bad_response(self):
        with serving(reply({"surprise": 1})) as server:
            assert failure_of(server.url).kind == "bad_response"


class TestLimitsBeforeTheCall:
    @pytest.mark.parametrize(
        ("facts", "shown"), [({"max_chars": 5}, "5 at most"), ({"max_words": 1}, "2 words")]
    )
    def test_a_long_topic_is_refused_with_the_limit_and_the_provider(self, facts, shown):
        with serving(reply(FOUND)) as server:
            failure = failure_of(server.url, **facts)
            assert (failure.kind, failure.exit_code, server.seen) == ("query_too_long", 1, [])
            assert shown in failure.message
            assert "acme" in failure.message

    def test_a_missing_key_says_where_to_put_one(self):
        failure = failure_of("http://127.0.0.1:9", needs_key=True)
        assert failure.kind == "auth"
        assert "ACME_API_KEY" in failure.hint

    def test_nothing_is_sent_while_the_provider_is_cooling(self):
        pace = MemoryPace()
        pace.cool_down("acme", "quota", 500.0)
        with serving(reply(FOUND)) as server:
            failure = failure_of(server.url, pace=pace)
            assert (failure.kind, failure.retry_after, server.seen) == ("quota", 500.0, [])

    def test_an_unknown_cooling_kind_is_a_rate_limit(self):
        pace = MemoryPace()
        pace.cool_down("acme", "from a newer version", 5.0)
        assert failure_of("http://127.0.0.1:9", pace=pace).kind == "rate_limited"

    def test_a_queue_beyond_the_deadline_is_not_joined(self):
        with serving(reply(FOUND)) as server:
            failure = failure_of(server.url, min_interval=1.0, pace=MemoryPace(60.0))
            assert (failure.kind, failure.retry_after, server.seen) == ("rate_limited", 60.0, [])

    def test_a_short_queue_is_joined(self):
        pace = MemoryPace(0.01)
        with serving(reply(FOUND)) as server:
            ask(server.url, min_interval=1.0, pace=pace)
        assert pace.claims == [1.0]

    def test_the_interval_can_be_configured(self):
        pace = MemoryPace()
        with serving(reply(FOUND)) as server:
            ask(server.url, min_interval=1.0, pace=pace, options={"min_interval": 0.02})
        assert pace.claims == [0.02]


class TestDeadline:
    """The limits are generous: they tell a kept deadline from none at all."""

    def expect_timeout(self, url, **how):
        start = time.monotonic()
        failure = failure_of(url, timeout=0.8, **how)
        assert failure.kind == "timeout"
        assert time.monotonic() - start < 8
        return failure

    def test_a_body_in_drops(self):
        with serving(dripping({**FOUND, "padding": "x" * 5000})) as server:
            self.expect_timeout(server.url)

    def test_headers_in_drops(self):
        def talk(connection, stopped):
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while not stopped.wait(0.05):
                connection.sendall(b"X-Drop: 1\r\n")

        with raw_server(talk) as url:
            assert self.expect_timeout(url, key="k" * 20).billed == "unknown"

    def test_a_name_look_up_that_hangs(self, monkeypatch):
        released = threading.Event()

        def hang(*args, **kwargs):
            released.wait(20)
            raise socket.gaierror

        monkeypatch.setattr(socket, "getaddrinfo", hang)
        try:
            assert self.expect_timeout("http://search.internal/", key="k" * 20).billed == "no"
        finally:
            released.set()

    def test_a_server_that_says_nothing_is_asked_once(self):
        with serving(stalled(FOUND)) as server:
            failure = self.expect_timeout(server.url, key="k" * 20)
            assert failure.billed == "unknown"
            assert len(server.seen) == 1

    def test_a_read_timeout_is_never_tried_again(self, monkeypatch):
        monkeypatch.setattr(http, "READ_KEYLESS", 0.5)
        with serving(stalled(FOUND)) as server:
            failure = failure_of(server.url)
            assert (failure.kind, failure.billed) == ("timeout", "no")
            assert len(server.seen) == 1


class TestBodies:
    @pytest.mark.parametrize(
        ("encoding", "pack"),
        [
            ("gzip", gzip.compress),
            ("x-gzip", gzip.compress),
            ("deflate", zlib.compress),
            ("deflate", lambda body: zlib.compress(body, wbits=-15)),
            ("identity", bytes),
        ],
        ids=["gzip", "x-gzip", "deflate", "bare deflate", "identity"],
    )
    def test_known_encodings_are_undone(self, encoding, pack):
        body = pack(json.dumps(FOUND).encode())
        with serving(Reply(200, body, {"Content-Encoding": encoding})) as server:
            assert ask(server.url).results

    @pytest.mark.parametrize(
        ("encoding", "body"),
        [
            ("gzip", gzip.compress(b"\0" * 50_000_000, 1)),
            ("deflate", zlib.compress(b"\0" * 50_000_000, 1)),
            ("", b" " * 2_100_000),
            ("br", b"whatever"),
            ("gzip, gzip", gzip.compress(gzip.compress(b"{}"))),
            ("gzip", gzip.compress(json.dumps(FOUND).encode())[:-12]),
            ("gzip", b"no gzip at all"),
        ],
        ids=["bomb", "deflate bomb", "large", "brotli", "twice", "cut off", "damaged"],
    )
    def test_other_bodies_are_bad_responses(self, encoding, body):
        with serving(Reply(200, body, {"Content-Encoding": encoding})) as server:
            assert failure_of(server.url).kind == "bad_response"
            assert len(server.seen) == 1

    def test_an_empty_compressed_body_is_empty(self):
        assert decoded([], "gzip") == b""

    def test_a_connection_that_ends_half_way_is_a_network_failure(self):
        with serving(cut_off(FOUND)) as server:
            failure = failure_of(server.url, key="k" * 20)
            assert (failure.kind, failure.billed) == ("network", "unknown")
            assert len(server.seen) == 1

    def test_another_protocol_is_a_network_failure(self):
        with raw_server(lambda connection, _: connection.sendall(b"SSH-2.0-x\r\n")) as url:
            assert failure_of(url).kind == "network"


class TestRetries:
    @pytest.mark.parametrize("status", [502, 503, 504])
    def test_an_unbilled_failure_is_tried_once_more(self, status):
        with serving(reply({}, status), reply(FOUND)) as server:
            assert ask(server.url, key="k" * 20).results
            assert len(server.seen) == 2

    def test_twice_is_enough(self):
        with serving(reply({}, 503)) as server:
            assert failure_of(server.url).kind == "upstream"
            assert len(server.seen) == 2

    @pytest.mark.parametrize("status", [502, 503, 504])
    def test_a_billed_failure_is_not_tried_again(self, status):
        with serving(reply({}, status), reply(FOUND)) as server:
            failure = failure_of(server.url, key="k" * 20, failure_billed=True)
            assert (failure.kind, failure.billed) == ("upstream", "unknown")
            assert len(server.seen) == 1

    def test_without_a_key_nothing_is_billed(self):
        with serving(reply({}, 503), reply(FOUND)) as server:
            assert ask(server.url, failure_billed=True).results
            assert len(server.seen) == 2

    @pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 408, 422, 500, 529])
    def test_other_statuses_are_not_tried_again(self, status):
        with serving(reply({}, status), reply(FOUND)) as server:
            failure_of(server.url)
            assert len(server.seen) == 1

    @pytest.mark.parametrize("status", [429, 503])
    @pytest.mark.parametrize("wait", ["0", "0.01", "0, 1419704"])
    def test_a_short_wait_that_is_asked_for_is_kept(self, status, wait):
        with serving(reply({}, status, Retry_After=wait), reply(FOUND)) as server:
            assert ask(server.url, key="k" * 20, failure_billed=True).results
            assert len(server.seen) == 2

    def test_a_refused_connection_is_tried_again_and_never_billed(self, monkeypatch):
        tried = []
        send = httpx.Client.send
        monkeypatch.setattr(
            httpx.Client, "send", lambda *args, **how: tried.append(1) or send(*args, **how)
        )
        failure = failure_of(f"http://127.0.0.1:{closed_port()}", key="k" * 20, failure_billed=True)
        assert (failure.kind, failure.exit_code, failure.billed) == ("network", 4, "no")
        assert len(tried) == 2

    @pytest.mark.parametrize("kind", ["config", "auth", "quota", "bad_query", "bad_response"])
    def test_what_will_not_change_is_not_tried_again(self, kind):
        assert retry_wait(Attempt(failure=SearchFailed(kind, "x")), False, 0.5) is None

    def test_a_wait_of_its_own_is_never_negative(self):
        failure = SearchFailed("rate_limited", "x", retry_after=-5.0)
        assert retry_wait(Attempt(failure=failure, status=429, sent=True), True, 0.0) == 0


class TestCoolingDown:
    @pytest.mark.parametrize(
        ("header", "low", "high"),
        [
            ("7", 7, 7),
            ("7.5", 7.5, 7.5),
            ("30, 1419704", 30, 30),
            ("999999", 3600, 3600),
            (formatdate(time.time() + 1800, usegmt=True), 1000, 1800),
            ("soon", 60, 60),
            (None, 60, 60),
        ],
        ids=["integer", "float", "list", "huge", "date", "garbage", "missing"],
    )
    def test_a_rate_limit_is_shared(self, header, low, high):
        pace = MemoryPace()
        headers = {} if header is None else {"Retry_After": header}
        with serving(reply({}, 429, **headers)) as server:
            failure = failure_of(server.url, pace=pace)
            assert len(server.seen) == 1
            assert failure_of(server.url, pace=pace).kind == "rate_limited"
            assert len(server.seen) == 1
        kind, seconds = pace.cooled["acme"]
        assert kind == "rate_limited"
        assert low <= seconds <= high
        assert failure.retry_after == seconds

    def test_a_quota_rests_for_an_hour(self):
        pace = MemoryPace()
        with serving(reply({}, 402)) as server:
            failure_of(server.url, pace=pace)
        assert pace.cooled == {"acme": ("quota", 3600.0)}

    def test_a_service_that_asks_for_time_gets_it(self):
        pace = MemoryPace()
        with serving(reply({}, 503, Retry_After="90")) as server:
            assert failure_of(server.url, pace=pace).kind == "upstream"
        assert pace.cooled == {"acme": ("upstream", 90.0)}

    @pytest.mark.parametrize("status", [401, 404, 500])
    def test_other_failures_block_nothing(self, status):
        pace = MemoryPace()
        with serving(reply({}, status)) as server:
            failure_of(server.url, pace=pace)
        assert pace.cooled == {}


class TestEnvironment:
    @pytest.mark.parametrize(
        "variables",
        [
            {"HTTP_PROXY": "http://127.0.0.1:9"},
            {"ALL_PROXY": "socks5://127.0.0.1:9"},
            {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.0/8"},
            {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "[::1],localhost"},
        ],
        ids=["proxy", "socks", "CIDR", "bracketed"],
    )
    def test_no_proxy_stands_before_this_machine(self, monkeypatch, variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with serving(reply(FOUND)) as server:
            assert ask(server.url).results

    def test_a_proxy_is_used_for_the_rest_of_the_world(self, monkeypatch):
        with serving(reply(FOUND)) as proxy:
            monkeypatch.setenv("HTTP_PROXY", proxy.url)
            assert ask("http://search.invalid/find").results
            assert proxy.only.headers["host"] == "search.invalid"

    @pytest.mark.parametrize(
        "variables",
        [
            {"ALL_PROXY": "socks5://user:canary@127.0.0.1:9"},
            {"HTTP_PROXY": "odd://user:canary@127.0.0.1:9"},
            {"HTTP_PROXY": "http://user:canary@127.0.0.1:9", "NO_PROXY": "[::1]"},
            {"SSL_CERT_FILE": "/nonexistent/canary.pem"},
        ],
        ids=["socks without its extra", "odd scheme", "bracketed NO_PROXY", "no certificates"],
    )
    def test_an_unusable_environment_is_a_configuration_failure(self, monkeypatch, variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        failure = failure_of("http://search.invalid/")
        assert (failure.kind, failure.exit_code) == ("config", 5)
        assert "canary" not in f"{failure.message} {failure.hint}"

    @pytest.mark.parametrize(("status", "kind"), [(407, "config"), (502, "network")])
    def test_a_proxy_that_refuses_to_connect(self, monkeypatch, status, kind):
        def talk(connection, _):
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % status)

        with raw_server(talk) as url:
            monkeypatch.setenv("HTTPS_PROXY", url)
            failure = failure_of("https://search.invalid/", key="k" * 20, failure_billed=True)
        assert (failure.kind, failure.billed) == (kind, "no")

    @pytest.mark.parametrize(
        "url", ["", "http://host:port/", "ftp://127.0.0.1/", "example", "http://"]
    )
    def test_a_bad_url_is_a_configuration_failure(self, url):
        assert failure_of(url).kind == "config"

    def test_an_untrusted_certificate_is_a_configuration_failure(self):
        fault = httpx.ConnectError("")
        fault.__cause__ = ssl.SSLCertVerificationError("x")
        assert http.transport_failure(fault, "acme").kind == "config"

    def test_no_tls_at_the_other_end_is_a_network_failure(self):
        with raw_server(lambda connection, _: connection.sendall(b"hello\r\n")) as url:
            assert failure_of(url.replace("http:", "https:")).kind == "network"

    @pytest.mark.parametrize(
        ("url", "private"),
        [
            ("http://127.0.0.1:8888", True),
            ("http://[::1]/", True),
            ("http://10.1.2.3/", True),
            ("http://192.168.0.9/", True),
            ("http://localhost:1", True),
            ("http://searxng:8080/", True),
            ("http://box.lan/", True),
            ("https://api.example.org/", False),
            ("https://1.1.1.1/", False),
            ("http://host:port/", False),
        ],
    )
    def test_private_hosts_are_told_apart(self, url, private):
        assert is_private(url) is private


class TestSecrecy:
    """A canary key goes through every failure and must not come out anywhere."""

    def test_the_key_is_in_no_message_log_or_output(self, caplog, capsys, monkeypatch):
        canary = f"canary-{secrets.token_hex(16)}"
        caplog.set_level(logging.DEBUG)
        told = []
        statuses = (200, 301, 400, 401, 402, 403, 404, 418, 422, 429, 451, 500, 503)
        for status in statuses:
            with serving(echo(status)) as server:
                told.append(failure_of(server.url, key=canary))
        cut = b'{"error": "' + b"x" * 50 + canary.encode() + b'"}'
        for answer in (cut_off(FOUND), Reply(200, cut[:-2]), Reply(401, cut), stalled(FOUND)):
            with serving(answer) as server:
                told.append(failure_of(server.url, key=canary, timeout=0.5))
        keyed = f"http://127.0.0.1:{closed_port()}/?api_key={canary}"
        told += [failure_of(keyed, key=canary), failure_of(f"ftp://x/{canary}", key=canary)]
        told.append(failure_of("http://127.0.0.1:9", key=canary, max_chars=1))
        told.append(failure_of("http://127.0.0.1:9", key=f"{canary}\u20ac"))
        monkeypatch.setenv("ALL_PROXY", f"socks5://{canary}@127.0.0.1:9")
        told.append(failure_of("http://search.invalid/", key=canary))
        for failure in told:
            shown = [repr(failure), failure.message, failure.hint, failure.provider]
            shown += traceback.format_exception(failure)
            assert not [text for text in shown if canary[:14] in text]
        output = capsys.readouterr()
        assert canary not in output.out + output.err + caplog.text
        assert canary not in repr(Settings({"url": "x"}, canary))

    def test_the_loggers_of_httpx_do_not_tell_urls(self):
        assert logging.getLogger("httpx").level == logging.WARNING
        assert logging.getLogger("httpcore").level == logging.WARNING
