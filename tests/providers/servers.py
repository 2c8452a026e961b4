"""Local servers that answer as the providers do, with their shapes, errors and quirks.

The bodies are written from the providers' documentation, none is a recording.
"""

from __future__ import annotations

import gzip
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

HTML = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome</body></html>"


class Reply(NamedTuple):
    """One answer. `stall` waits before it, `drip` between its bytes, `cut` stops half-way."""

    status: int = 200
    body: bytes = b""
    headers: Mapping = {}
    content_type: str | None = "application/json"
    stall: float = 0.0
    drip: float = 0.0
    cut: bool = False


def reply(shape, status=200, **headers):
    """`shape` as JSON. Header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps(shape).encode(), named)


def html(status=200, body=HTML, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, body, named, "text/html; charset=utf-8")


def truncated(shape):
    """The first half of the JSON: what a proxy that gives up leaves."""
    whole = json.dumps(shape).encode()
    return Reply(200, whole[: len(whole) // 2])


def cut_off(shape):
    """The connection ends before the announced length."""
    return reply(shape)._replace(cut=True)


def dripping(shape):
    """Every byte arrives in time, the whole never does: read timeouts alone don't end it."""
    return reply(shape)._replace(drip=0.05)


def stalled(shape):
    return reply(shape)._replace(stall=30.0)


def huge(shape, megabytes=3):
    return reply({**shape, "padding": "x" * megabytes * 1_000_000})


def zipped_huge(shape, megabytes=10):
    """A few kilobytes on the wire, megabytes once unpacked."""
    packed = gzip.compress(huge(shape, megabytes).body, compresslevel=1)
    return Reply(200, packed, {"Content-Encoding": "gzip"})


def echo(status):
    """A server that repeats the request in its error, as debugging proxies do."""

    def answer(seen):
        return reply({"error": f"{seen.headers} {seen.body!r}", "headers": seen.headers}, status)

    return answer


class Seen(NamedTuple):
    """One request as the server received it. Header names are lower case."""

    method: str
    path: str
    query: Mapping
    headers: Mapping
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def everything(self):
        return f"{self.path} {self.query} {self.headers} {self.body!r}"


class Server(ThreadingHTTPServer):
    """Gives its replies in order; the last one stays. `seen` holds the requests."""

    daemon_threads = True

    def __init__(self, *replies):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = list(replies)
        self.seen = []
        self.stopped = threading.Event()
        self._turn = threading.Lock()

    def server_bind(self):
        """Without HTTPServer's look-up of the host's name: it may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def only(self):
        """The one request that came."""
        (seen,) = self.seen
        return seen

    def answer_to(self, seen):
        with self._turn:
            self.seen.append(seen)
            answer = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return answer(seen) if callable(answer) else answer


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def _answer(self):
        answer = self.server.answer_to(self._seen())
        self.server.stopped.wait(answer.stall)
        self.close_connection = True
        try:
            self._write(answer)
        except (BrokenPipeError, ConnectionResetError):
            return  # the client has given up, which many tests are about

    do_GET = do_POST = _answer  # noqa: N815 - names that http.server looks for

    def _seen(self):
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        values = {name: given[0] for name, given in query.items() if len(given) == 1}
        assert len(values) == len(query), "a parameter was sent twice"
        return Seen(self.command, parts.path, values, headers, body)

    def _write(self, answer):
        self.send_response(answer.status)
        if answer.content_type:
            self.send_header("Content-Type", answer.content_type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if answer.drip:
            self._drip(answer)
            return
        end = len(answer.body) // 2 if answer.cut else len(answer.body)
        self.wfile.write(answer.body[:end])

    def _drip(self, answer):
        for byte in answer.body:
            if self.server.stopped.wait(answer.drip):
                return
            self.wfile.write(bytes([byte]))

    def log_message(self, *args):
        """Say nothing: the tests read `seen`."""


@contextmanager
def serving(*replies):
    """A server on 127.0.0.1 that gives these replies."""
    with Server(*replies) as server:
        # The default interval of half a second would be most of a test's time.
        thread = threading.Thread(target=server.serve_forever, args=(0.002,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stopped.set()
            server.shutdown()
            thread.join()


class FreePace:
    """A pace that never makes anyone wait; it keeps what it was told."""

    def __init__(self):
        self.cooled = []

    def cooling(self, provider):  # noqa: ARG002
        return None

    def claim(self, provider, interval):  # noqa: ARG002
        return 0.0

    def cool_down(self, provider, kind, seconds):
        self.cooled.append((provider, kind, seconds))


# What each provider answers. U is the row's URL; a second row shows that the order is kept.
U, V = "https://example.org/a?b=1&c=2", "https://example.com/"

SEARXNG = {
    "query": "gitleaks hook",
    "results": [
        {
            "url": U,
            "title": "A &amp; <b>B</b>",
            "content": "some <em>words</em>",
            "engine": "one",
            "engines": ["one"],
            "template": "default.html",
            "parsed_url": ["https", "example.org", "/a", "", "b=1&c=2", ""],
            "img_src": "",
            "thumbnail": "",
            "priority": "",
            "positions": [1],
            "score": 1.0,
            "category": "general",
            "publishedDate": "2026-01-02T00:00:00",
        },
        {"url": V, "title": "Second", "content": "", "publishedDate": None, "engine": "one"},
    ],
    "answers": [],
    "corrections": [],
    "infoboxes": [],
    "suggestions": [],
    "unresponsive_engines": [],
}
TAVILY = {
    "query": "gitleaks hook",
    "results": [
        {
            "title": "A &amp; <b>B</b>",
            "url": U,
            "content": "some <em>words</em>",
            "score": 0.9,
            "published_date": "2026-01-02T00:00:00",
        },
        {"title": "Second", "url": V, "content": "", "score": 0.8},
    ],
    "response_time": 1.1,
}
BRAVE = {
    "query": {"original": "gitleaks hook", "altered": None, "more_results_available": False},
    "web": {
        "results": [
            {
                "title": "A &amp; <b>B</b>",
                "url": U,
                "description": "some <em>words</em>",
                "age": "January 2, 2026",
                "page_age": "2026-01-02T00:00:00",
                "extra_snippets": [],
            },
            {"title": "Second", "url": V},
        ]
    },
    "news": {"results": [{"title": "News", "url": "https://example.net/news"}]},
}
EXA = {
    "requestId": "r",
    "costDollars": {"total": 0.007},
    "results": [
        {
            "title": "A &amp; <b>B</b>",
            "url": U,
            "highlights": ["some <em>words</em>"],
            "publishedDate": "2026-01-02T00:00:00",
            "author": None,
        },
        {"title": "Second", "url": V, "highlights": []},
    ],
}
SERPER = {
    "searchParameters": {"q": "gitleaks hook", "num": 10},
    "answerBox": {"title": "Box", "link": "https://example.net/box"},
    "organic": [
        {
            "title": "A &amp; <b>B</b>",
            "link": U,
            "snippet": "some <em>words</em>",
            "date": "2026-01-02T00:00:00",
            "position": 1,
        },
        {"title": "Second", "link": V, "position": 2},
    ],
    "peopleAlsoAsk": [{"question": "Why?", "link": "https://example.net/why"}],
}
YOU = {
    "results": {
        "web": [
            {
                "title": "A &amp; <b>B</b>",
                "url": U,
                "description": "some <em>words</em>",
                "snippets": ["other words"],
                "page_age": "2026-01-02T00:00:00",
            },
            {"title": "Second", "url": V},
        ],
        "news": [{"title": "News", "url": "https://example.net/news"}],
    },
    "metadata": {"search_uuid": "u"},
}
GOOD = {
    "searxng": SEARXNG,
    "tavily": TAVILY,
    "brave": BRAVE,
    "exa": EXA,
    "serper": SERPER,
    "you": YOU,
}

# What each answers when it found nothing.
EMPTY = {
    "searxng": {"query": "gitleaks hook", "results": [], "unresponsive_engines": []},
    "tavily": {"query": "gitleaks hook", "results": []},
    "brave": {"query": {"original": "gitleaks hook"}},  # no `web` at all
    "exa": {"requestId": "r", "results": []},
    "serper": {"searchParameters": {}, "organic": []},
    "you": {"results": {"web": [], "news": []}, "metadata": {}},
}

BLOCKED_ENGINES = {
    "query": "gitleaks hook",
    "results": [],
    "answers": [],
    "unresponsive_engines": [["one", "too many requests"], ["two", "access denied"]],
}


def rows_of(name, shape):
    """The list of rows inside a provider's answer."""
    if name == "brave":
        return shape["web"]["results"]
    if name == "serper":
        return shape["organic"]
    if name == "you":
        return shape["results"]["web"]
    return shape["results"]


BRAVE_QUOTA = {
    "error": {
        "code": "RATE_LIMITED",
        "meta": {
            "plan": "p",
            "rate_limit": 1,
            "rate_current": 1,
            "quota_limit": 2000,
            "quota_current": 2000,
        },
    }
}
BRAVE_RATE = {
    "error": {
        "code": "RATE_LIMITED",
        "meta": {
            "plan": "p",
            "rate_limit": 1,
            "rate_current": 1,
            "quota_limit": 2000,
            "quota_current": 17,
        },
    }
}
BRAVE_BAD_TOKEN = {
    "error": {
        "code": "SUBSCRIPTION_TOKEN_INVALID",
        "detail": "The provided subscription token is invalid.",
        "status": 422,
        "meta": {"component": "authentication"},
    }
}
BRAVE_NO_TOKEN = {
    "error": {
        "code": "VALIDATION",
        "meta": {"errors": [{"loc": ["header", "x-subscription-token"], "msg": "required"}]},
    }
}
BRAVE_BAD_PARAMETER = {
    "error": {"code": "VALIDATION", "meta": {"errors": [{"loc": ["query", "q"], "msg": "long"}]}}
}


def tavily_limit(window, seconds=3600):
    """What Tavily answers to a caller without a key whose allowance is used up."""
    return {
        "error": {
            "code": "limit",
            "message": "Allowance used up.",
            "window": window,
            "retry_after_seconds": seconds,
            "next_actions": [],
        }
    }
