"""Response headers for the pages of a ledger, and a guard for the one that `serve` opens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from gemsearch.datasette_plugin.site import App, Scope, Send

# Set by `gemsearch serve`: only this machine's own names may be asked for.
LOOPBACK_ONLY = "GEMSEARCH_LOOPBACK_ONLY"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

# Datasette's own pages have inline scripts and styles.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; connect-src 'self'; form-action 'self'; object-src 'none';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"x-robots-tag": b"noindex, nofollow",
}


def wrap(app: App, is_ours: Callable[[str], bool]) -> App:
    """Add the headers to every response whose path `is_ours`; what is set already stays."""

    async def wrapped(scope: Scope, receive: Callable[[], Awaitable[object]], send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
        elif os.environ.get(LOOPBACK_ONLY) and host_of(scope) not in LOOPBACK:
            await _refuse(send)
        else:
            path = unquote(str(scope["path"]))
            await app(scope, receive, _with_headers(send) if is_ours(path) else send)

    return wrapped


def host_of(scope: Scope) -> str:
    """The name that the browser asked for, without its port."""
    name = _header(scope, b"host").decode("latin-1").lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]


def is_away(scope: Scope) -> bool:
    """Was this asked from, or under the name of, another machine than the one that serves?"""
    asked = {host_of(scope), *map(_first, (scope.get("server"), scope.get("client")))}
    return bool(asked - LOOPBACK - {"", "none"})


def _first(address: object) -> str:
    return str(address[0]).lower() if isinstance(address, (tuple, list)) else ""


def _header(scope: Scope, wanted: bytes) -> bytes:
    headers = scope.get("headers")
    assert isinstance(headers, (list, tuple))  # noqa: S101 - ASGI says so
    return next((bytes(value) for name, value in headers if name.lower() == wanted), b"")


def _with_headers(send: Send) -> Send:
    async def sending(event: dict[str, object]) -> None:
        if event["type"] == "http.response.start":
            event = event | {"headers": list(_added(event.get("headers", ())))}
        await send(event)

    return sending


def _added(sent: object) -> Iterable[tuple[bytes, bytes]]:
    assert isinstance(sent, (list, tuple))  # noqa: S101 - ASGI says so
    yield from sent
    names = {bytes(name).lower() for name, _ in sent}
    yield from ((name, value) for name, value in HEADERS.items() if name not in names)


async def _refuse(send: Send) -> None:
    # A page elsewhere whose name was pointed at 127.0.0.1 would read the ledger otherwise.
    plain = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 421, "headers": plain})
    body = b"This ledger answers under 127.0.0.1 and localhost only.\n"
    await send({"type": "http.response.body", "body": body})
