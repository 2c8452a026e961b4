"""Redirectors and public caches: the address of the document they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.canonical_steps.parse import unescape
from gemsearch.core.canonical_steps.patterns import pattern
from gemsearch.core.canonical_steps.text import decode

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from gemsearch.core.canonical_steps.parse import Parts
    from gemsearch.core.canonical_tables.shapes import Wrapper

_ABSOLUTE = r"(?i)https?:/+[^/]"
_ESCAPED = r"(?i)https?(?:%3A|:)(?:/|%2F)"
_HOST_FIRST = r"(?s)(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?:[/?#].*)?"
_TRANSLATION = r"&?_x_tr_[a-z]+=[^&]*"
_CACHE = r"(?is)cache:(?:[A-Za-z0-9_-]+:)?(https?(?::|%3A).+)"
_SIGNATURE = r"(?<=[^:/]):[A-Za-z0-9_-]{6,}$"
_V2_ESCAPE = r"-([0-9A-Fa-f]{2})"


def target_of(host: str, parts: Parts, wrappers: tuple[Wrapper, ...]) -> str | None:
    """Return the absolute http(s) address inside a known wrapper; None when there is none."""
    for wrapper in wrappers:
        if wrapper.marker and wrapper.marker not in parts.path:
            continue
        path = pattern(wrapper.path).fullmatch(parts.path)
        if path is None:
            continue
        target = _take(wrapper.take, host, parts, path)
        if target is not None:
            return target
    return None


def _take(take: str, host: str, parts: Parts, path: re.Match[str]) -> str | None:
    kind, _, names = take.partition(":")
    if kind == "query":
        return _from_query(parts.query, names.split(","), _absolute)
    if kind == "bare":
        return _from_query(parts.query, names.split(","), _absolute_or_host)
    if kind == "local":
        local = _from_query(parts.query, names.split(","), _path)
        return f"https://{host}{local}" if local else None
    return _WAYS[kind](host, parts, path)


def _from_query(query: str, names: list[str], accept: Callable[[str], str | None]) -> str | None:
    values: dict[str, str] = {}
    for part in unescape(query).split("&"):
        name, _, value = part.partition("=")
        values.setdefault(name.lower(), value)
    for name in names:
        target = accept(decode(values.get(name, "").replace("+", "%20")).strip())
        if target is not None:
            return target
    return None


def _absolute(text: str) -> str | None:
    return text if pattern(_ABSOLUTE).match(text) else None


def _path(text: str) -> str | None:
    return text if text.startswith("/") and not text.startswith(("//", "/\\")) else None


def _absolute_or_host(text: str) -> str | None:
    if pattern(_ABSOLUTE).match(text):
        return text
    return "https://" + text if pattern(_HOST_FIRST).fullmatch(text) else None


def _tail(parts: Parts) -> str:
    query = f"?{parts.query}" if parts.query else ""
    return query + (f"#{parts.fragment}" if parts.fragment else "")


def _rest(_host: str, parts: Parts, path: re.Match[str]) -> str | None:
    """The rest of the path, plain or percent-encoded, with the query of the whole."""
    inner = path["url"]
    if pattern(_ABSOLUTE).match(inner):
        return inner + _tail(parts)
    return decode(inner) + _tail(parts) if pattern(_ESCAPED).match(inner) else None


def _rest_only(_host: str, _parts: Parts, path: re.Match[str]) -> str | None:
    """A part of the path, plain or percent-encoded; the outer query is not the document's."""
    return _absolute(path["url"]) or _absolute(decode(path["url"]))


def _search(_host: str, parts: Parts, _path: re.Match[str]) -> str | None:
    """The whole query is the address."""
    if pattern(_ABSOLUTE).match(parts.query):
        return parts.query + (f"#{parts.fragment}" if parts.fragment else "")
    return _absolute(decode(parts.query)) if pattern(_ESCAPED).match(parts.query) else None


def _secure(_host: str, parts: Parts, path: re.Match[str]) -> str:
    """An AMP cache: `s/` stands for https, the host follows without a scheme."""
    return f"{'https' if path['secure'] else 'http'}://{path['url']}{_tail(parts)}"


def _cached(_host: str, parts: Parts, _path: re.Match[str]) -> str | None:
    """`cache:ID:URL+words`: the words of the search follow the first space."""
    query = _from_query(parts.query, ["q"], str)
    if query is None:
        return None
    found = pattern(_CACHE).match(query)
    return decode(found[1].split(" ")[0]) if found else None


def _labels(host: str, parts: Parts, _path: re.Match[str]) -> str:
    """`my--site-example-org.translate.goog`: a dot is `-`, a hyphen is `--`."""
    label = host.removesuffix(".translate.goog")
    name = label.replace("--", "\0").replace("-", ".").replace("\0", "-")
    query = pattern(_TRANSLATION).sub("", parts.query).lstrip("&")
    return f"https://{name}{parts.path}" + (f"?{query}" if query else "")


def _base64(_host: str, parts: Parts, _path: re.Match[str]) -> str | None:
    """Bing's `u=a1...`: the address in URL-safe base 64 after two characters."""
    text = _from_query(parts.query, ["u"], str)
    if text is None or not text.startswith("a1"):
        return None
    import binascii  # start-up

    body = text[2:].replace("-", "+").replace("_", "/").rstrip("=")
    try:
        octets = binascii.a2b_base64(body + "=" * (-len(body) % 4))
        return _absolute(octets.decode("utf-8"))
    except ValueError:
        return None


def _tagged(_host: str, parts: Parts, _path: re.Match[str]) -> str | None:
    """Disqus: the last colon opens a signature."""
    text = _from_query(parts.query, ["url"], _absolute)
    return None if text is None else pattern(_SIGNATURE).sub("", text)


def _defended(_host: str, parts: Parts, _path: re.Match[str]) -> str | None:
    """Proofpoint v2: `-` opens an escape and `_` is a slash."""
    text = _from_query(parts.query, ["u"], str)
    if text is None:
        return None
    return _absolute(decode(pattern(_V2_ESCAPE).sub(r"%\1", text.replace("_", "/"))))


_WAYS: dict[str, Callable[[str, Parts, re.Match[str]], str | None]] = {
    "rest": _rest,
    "rest_only": _rest_only,
    "search": _search,
    "secure": _secure,
    "cached": _cached,
    "labels": _labels,
    "base64": _base64,
    "defended": _defended,
    "tagged": _tagged,
}
