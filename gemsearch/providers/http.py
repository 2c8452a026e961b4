"""The one module that imports httpx: it drives any adapter over HTTP.

The adapter builds the request and reads the answer. Here is all that goes wrong in between: length
limits, throttling, deadlines, retries, size limits, and keeping the key out of every message.
"""

from __future__ import annotations

import logging
import queue
import random
import socket
import ssl
import threading
import time
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import httpx

from gemsearch import __version__
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import Answer
from gemsearch.providers.outcome import HINTS, bad_response, is_private_host
from gemsearch.providers.pacing import await_turn, cool_down, refuse_while_cooling

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gemsearch.providers.base import Adapter, Pace, Page, Request, Settings

CONNECT = 3.0
READ = 10.0
READ_KEYLESS = 8.0  # also SearXNG: it has no key
BODY_LIMIT = 2 * 1024 * 1024
ATTEMPTS = 2
SHORT_WAIT = 5.0  # a longer Retry-After is left to the caller
BACKOFF = 0.5
SHORTEST_KEY = 6  # a shorter key isn't replaced in texts: it would be found everywhere

# httpx logs every URL at INFO, and some providers want the key in the URL.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class Attempt(NamedTuple):
    """One try: a page or a failure, the status if an answer came, whether anything was sent."""

    page: Page | None = None
    failure: SearchFailed | None = None
    status: int = 0
    sent: bool = False


class Unreadable(Exception):
    """A body that is too large, cut off or encoded in a way that was not asked for."""


class HttpProvider:
    """A provider over an HTTP adapter."""

    def __init__(self, adapter: Adapter, settings: Settings) -> None:
        self.name = adapter.name
        self.adapter = adapter
        self.settings = settings

    def search(self, topic: str, pace: Pace, timeout: float) -> Page:
        deadline = time.monotonic() + timeout
        self._check_key()
        self._check_length(topic)
        refuse_while_cooling(self.name, pace)
        request = self._build(topic)
        for number in range(1, ATTEMPTS + 1):
            await_turn(self.name, pace, self._interval(), deadline)
            attempt = self._try(request, topic, deadline)
            if attempt.page is not None:
                return attempt.page
            wait = retry_wait(attempt, self._failure_billed(), random.random())  # noqa: S311
            if number == ATTEMPTS or wait is None or wait >= deadline - time.monotonic():
                break
            time.sleep(wait)
        raise self._final(attempt, pace)

    def _check_key(self) -> None:
        if self.settings.key or not self.adapter.needs_key:
            return
        variable = next(iter(self.adapter.env), "")
        raise SearchFailed(
            "auth",
            f"{self.name} needs a key and none is set",
            provider=self.name,
            hint=f"Set it: `gemsearch keys set {self.name}`, or export {variable}.",
        )

    def _check_length(self, topic: str) -> None:
        limits = (
            (len(topic), self.adapter.max_chars, "characters"),
            (len(topic.split()), self.adapter.max_words, "words"),
        )
        for size, limit, unit in limits:
            if limit and size > limit:
                raise SearchFailed(
                    "query_too_long",
                    f"the topic has {size} {unit}, {self.name} takes {limit} at most",
                    provider=self.name,
                    hint=HINTS["query_too_long"],
                )

    def _build(self, topic: str) -> Request:
        try:
            return self.adapter.build(topic, self.settings)
        except UnicodeError:  # its text would show the topic and perhaps the key
            pass
        raise SearchFailed(
            "bad_query",
            f"the topic holds characters that can't be sent to {self.name}",
            provider=self.name,
            hint=HINTS["bad_query"],
        )

    def _interval(self) -> float:
        value = self.settings.options.get("min_interval")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        return self.adapter.min_interval

    def _failure_billed(self) -> bool:
        return self.adapter.failure_billed and self.settings.key is not None

    def _try(self, request: Request, topic: str, deadline: float) -> Attempt:
        read = READ if self.settings.key else READ_KEYLESS
        answer, sent = fetch(request, self.name, read, deadline)
        if isinstance(answer, SearchFailed):
            return Attempt(failure=answer, sent=sent)
        try:
            page = self.adapter.parse(self._without_key(answer), topic, self.settings)
        except SearchFailed as failure:
            return Attempt(failure=failure, status=answer.status, sent=True)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as fault:
            why = f"something its adapter can't read ({type(fault).__name__})"
            unread = bad_response(self._without_key(answer), self.name, why)
            return Attempt(failure=unread, status=answer.status, sent=True)
        return Attempt(page=page, status=answer.status, sent=True)

    def _without_key(self, answer: Answer) -> Answer:
        """Some services repeat the key in their error texts; adapters repeat those texts."""
        key = self.settings.key or ""
        if len(key) < SHORTEST_KEY:
            return answer
        return answer._replace(body=answer.body.replace(key.encode(), b"[key]"))

    def _final(self, attempt: Attempt, pace: Pace) -> SearchFailed:
        failure = attempt.failure
        if failure is None:  # an attempt has one or the other
            raise AssertionError
        failure.provider = failure.provider or self.name
        if failure.billed == "no":
            failure.billed = self._billed(attempt)
        cool_down(failure, self.name, pace)
        return failure

    def _billed(self, attempt: Attempt) -> str:
        """A key means a bill; a refusal of the call (4xx) is never on it."""
        if not attempt.sent or self.settings.key is None or 300 <= attempt.status < 500:
            return "no"
        if attempt.status >= 500 and not self.adapter.failure_billed:
            return "no"
        return "unknown"


def retry_wait(attempt: Attempt, failure_billed: bool, jitter: float) -> float | None:
    """Seconds to wait before another try; None: no other try.

    Never after something was sent and nothing came back: it may have been searched and billed.
    """
    failure = attempt.failure
    if failure is None or failure.kind not in {"network", "timeout", "rate_limited", "upstream"}:
        return None
    pause = BACKOFF * (1 + jitter)
    if not attempt.sent:
        return pause
    asked = failure.retry_after
    if attempt.status in {429, 503} and asked is not None:
        return max(asked, 0.0) + 0.1 * jitter if asked <= SHORT_WAIT else None
    if attempt.status in {502, 503, 504} and not failure_billed:
        return pause
    return None


# One request


class Wire:
    """What httpx tells while it works: the socket, to be cut off, and whether anything was sent."""

    def __init__(self) -> None:
        self.sent = False
        self.expired = False
        self.location = ""
        self.socket: socket.socket | None = None

    def trace(self, event: str, info: Mapping[str, object]) -> None:
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self.socket = info["return_value"].get_extra_info("socket")  # type: ignore[attr-defined]
        if event.endswith(".send_request_headers.started"):
            if self.expired:
                raise httpx.ReadTimeout("")
            # CONNECT only asks a proxy for a way to the service.
            self.sent = getattr(info.get("request"), "method", b"") != b"CONNECT"

    def put_location_aside(self, response: httpx.Response) -> None:
        """Or httpx would read it, though it is not to be followed, and break off at an odd one."""
        self.location = response.headers.pop("location", "")

    def cut(self) -> None:
        """End a transfer that another thread waits for; closing alone would not wake it."""
        self.expired = True
        if self.socket is not None:
            with suppress(OSError):
                # SSLSocket's own shutdown would let the other thread read undecrypted bytes.
                socket.socket.shutdown(self.socket, socket.SHUT_RDWR)


def fetch(
    request: Request, provider: str, read: float, deadline: float
) -> tuple[Answer | SearchFailed, bool]:
    """The answer or what prevented it, and whether the request was sent.

    The transfer runs in a thread of its own: no timeout of httpx covers a name look-up that hangs
    or headers that come in drops.
    """
    wire = Wire()
    seconds = max(deadline - time.monotonic(), 0.001)
    answers: queue.SimpleQueue[Answer | SearchFailed] = queue.SimpleQueue()

    def transfer() -> None:
        answers.put(_exchange(request, provider, wire, min(read, seconds)))

    threading.Thread(target=transfer, daemon=True, name=f"gemsearch-{provider}").start()
    try:
        return answers.get(timeout=seconds), wire.sent
    except queue.Empty:
        return _timeout(provider, f"no whole answer within {seconds:.0f} s"), wire.sent
    finally:
        wire.cut()


def _exchange(request: Request, provider: str, wire: Wire, read: float) -> Answer | SearchFailed:
    try:
        client = _client(request.url, read)
    except (ImportError, ValueError, TypeError, OSError, httpx.InvalidURL) as fault:
        return _unusable_environment(provider, fault)
    try:
        with client:
            return _receive(client, request, wire)
    except Unreadable as fault:
        return _failed("bad_response", f"{provider} sent {fault}", provider)
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as fault:
        return transport_failure(fault, provider)
    except UnicodeError:
        return _failed("bad_query", f"the topic or an option can't be sent to {provider}", provider)
    except Exception as fault:  # noqa: BLE001 - its text may hold the key; the type is enough
        return _failed(
            "network", f"{provider}: the call broke off ({type(fault).__name__})", provider
        )


def _client(url: str, read: float) -> httpx.Client:
    private = is_private(url)
    # Loading the trusted certificates takes longer than a local search; plain HTTP needs none.
    bare = private and url.lower().startswith("http:")
    return httpx.Client(
        follow_redirects=False,  # httpx would carry the key's header to another host
        trust_env=not private,
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if bare else True,
        timeout=httpx.Timeout(read, connect=min(CONNECT, read)),
        headers={"User-Agent": f"gemsearch/{__version__}"},
    )


def _receive(client: httpx.Client, request: Request, wire: Wire) -> Answer:
    call = client.build_request(
        request.method,
        request.url,
        params=dict(request.params) or None,
        headers=dict(request.headers),
        json=request.json,
        extensions={"trace": wire.trace},
    )
    call.headers["Accept-Encoding"] = "gzip"
    client.event_hooks = {"response": [wire.put_location_aside]}
    response = client.send(call, stream=True)
    try:
        headers = {name.lower(): value for name, value in response.headers.items()}
        headers |= {"location": wire.location} if wire.location else {}
        body = decoded(response.iter_raw(), headers.get("content-encoding", ""))
        return Answer(response.status_code, headers, body)
    finally:
        response.close()


def decoded(chunks: Iterable[bytes], encoding: str) -> bytes:
    """The body, at most BODY_LIMIT before and after decompression."""
    raw = _capped(chunks)
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        return raw
    if name in {"gzip", "x-gzip"}:
        return _inflate(raw, 16 + zlib.MAX_WBITS)
    if name == "deflate":
        bare = len(raw) > 1 and (raw[0] & 0x0F != 8 or int.from_bytes(raw[:2], "big") % 31)
        return _inflate(raw, -zlib.MAX_WBITS if bare else zlib.MAX_WBITS)
    raise Unreadable("a body in an encoding that was not asked for")


def _capped(chunks: Iterable[bytes]) -> bytes:
    raw = bytearray()
    for chunk in chunks:
        raw += chunk
        if len(raw) > BODY_LIMIT:
            raise Unreadable("a body of more than 2 MB")
    return bytes(raw)


def _inflate(raw: bytes, window: int) -> bytes:
    if not raw:
        return b""
    inflater = zlib.decompressobj(window)
    try:
        body = inflater.decompress(raw, BODY_LIMIT + 1)
    except zlib.error:
        raise Unreadable("a damaged compressed body") from None
    if len(body) > BODY_LIMIT:
        raise Unreadable("a body of more than 2 MB when decompressed")
    if not inflater.eof:
        raise Unreadable("a compressed body that is cut off")
    return body


# What went wrong


def transport_failure(fault: Exception, provider: str) -> SearchFailed:
    """Says in our own words what httpx met: its texts hold URLs, and URLs hold keys."""
    if isinstance(fault, httpx.TimeoutException):
        connecting = isinstance(fault, (httpx.ConnectTimeout, httpx.PoolTimeout))
        return _timeout(provider, "no connection in time" if connecting else "no answer in time")
    if isinstance(fault, (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
        return _failed("config", f"{provider}: its URL or an option can't be used", provider)
    if _caused_by(fault, ssl.SSLCertVerificationError):
        return _failed(
            "config",
            f"{provider}: its TLS certificate isn't trusted",
            provider,
            "Check the URL and the clock; for an authority of your own set SSL_CERT_FILE.",
        )
    if isinstance(fault, httpx.ProxyError):
        refused = str(fault)[:3] in {"401", "403", "407"}
        return _failed(
            "config" if refused else "network",
            f"{provider}: the proxy {'refused' if refused else 'could not make'} the connection",
            provider,
            "Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY." if refused else "",
        )
    if isinstance(fault, httpx.ConnectError):
        unknown = _caused_by(fault, socket.gaierror)
        why = "its host name was not found" if unknown else "no connection could be made"
        return _failed("network", f"{provider}: {why}", provider)
    return _failed("network", f"{provider}: the connection broke off", provider)


def _unusable_environment(provider: str, fault: Exception) -> SearchFailed:
    if isinstance(fault, ImportError):
        return _failed(
            "config",
            f"{provider}: the environment names a SOCKS proxy and its support isn't installed",
            provider,
            "Install `httpx[socks]`, or unset ALL_PROXY.",
        )
    if isinstance(fault, OSError):
        return _failed(
            "config",
            f"{provider}: the trusted certificates can't be read",
            provider,
            "Check SSL_CERT_FILE and SSL_CERT_DIR.",
        )
    return _failed(
        "config",
        f"{provider}: the proxy settings in the environment can't be used",
        provider,
        "Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; NO_PROXY takes host names only.",
    )


def _timeout(provider: str, why: str) -> SearchFailed:
    return _failed("timeout", f"{provider}: {why}", provider)


def _failed(kind: str, message: str, provider: str, hint: str = "") -> SearchFailed:
    usual = HINTS.get(kind, "Try the same topic later.").format(provider=provider)
    return SearchFailed(kind, message, provider=provider, hint=hint or usual)


def _caused_by(fault: BaseException | None, kind: type[BaseException]) -> bool:
    while fault is not None:
        if isinstance(fault, kind):
            return True
        fault = fault.__cause__ or fault.__context__
    return False


def is_private(url: str) -> bool:
    """Whether a URL stays on this machine or network: no proxy leads there."""
    try:
        host = httpx.URL(url).host.lower().rstrip(".")
    except httpx.InvalidURL:
        return False
    return is_private_host(host)
