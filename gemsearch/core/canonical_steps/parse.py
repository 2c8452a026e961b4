"""Read one URL the way browsers do (WHATWG URL Standard), on the standard library alone.

Only http and https are read. What the standard tolerates is tolerated: missing or extra slashes,
backslashes, tabs and line ends inside, dot segments in any spelling. Userinfo is dropped: a
password must never reach the ledger.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gemsearch.core.canonical_steps.patterns import pattern

LONGEST = 8192  # no real page has a longer address; it also bounds the time of every step

_C0_AND_SPACE = "".join(map(chr, range(0x21)))
_ESCAPED_AMPERSANDS = r"&(?:amp;)+"
_SCRAPED_TAIL = r"(?:</[A-Za-z][A-Za-z0-9]{0,15}>|&(?:quot|gt|lt|#34|#39);)$"
_LONGEST_TAIL = 20
# The usual URL in one look: no port, no userinfo, no backslash, two slashes.
_USUAL = re.compile(r"https?://([^/\\?#@:\[\]]+)(/[^\\?#]*)?(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_SCHEME = r"([A-Za-z][A-Za-z0-9+.-]*):"
_AUTHORITY_END = r"[/\\?#]"
_NAMED_SCHEMES = frozenset(
    (
        "about blob chrome data file ftp git javascript magnet mailto sms ssh tel urn view-source "
        "ws wss"
    ).split()
)


class Parts(NamedTuple):
    """A URL taken apart. `authority` has no userinfo; the rest is raw but for backslashes."""

    authority: str
    path: str
    query: str
    fragment: str


class Refused(NamedTuple):
    """Why a text is no web address."""

    reason: str


def clean(text: str) -> str:
    """Take off what scraping leaves around a URL; surrogate pairs become characters."""
    if _is_plain(text):
        return text
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.strip(_C0_AND_SPACE).translate({9: None, 10: None, 13: None})
    if text.startswith("<") and text.endswith(">"):
        text = text[1:-1].strip(_C0_AND_SPACE)
    text = _off_scraped_tail(text)
    return unescape(text).rstrip(_C0_AND_SPACE)


def _is_plain(text: str) -> bool:
    """Nothing to clean; five searches in C are faster than one pattern."""
    if not (text.isascii() and text.isprintable()):
        return False
    return not (" " in text or '"' in text or "<" in text or ">" in text or ";" in text)


def _off_scraped_tail(text: str) -> str:
    """Cut a closing tag, an unpaired quote or a lone `>` that belonged to the markup around."""
    while True:
        tail = pattern(_SCRAPED_TAIL).search(text, max(0, len(text) - _LONGEST_TAIL))
        shorter = text[: tail.start()] if tail else text
        if (shorter.endswith('"') and shorter.count('"') % 2 == 1) or (
            shorter.endswith(">") and "<" not in shorter
        ):
            shorter = shorter[:-1]
        if shorter == text:
            return text
        text = shorter


def unescape(text: str) -> str:
    """`&amp;` is `&`, however often it was escaped."""
    return pattern(_ESCAPED_AMPERSANDS).sub("&", text) if "&amp;" in text else text


def parse(text: str) -> Parts | Refused:
    """Split a cleaned text. Source: WHATWG URL Standard, section 4.4 (special schemes)."""
    usual = _USUAL.fullmatch(text)
    if usual is not None:
        return Parts(*usual.groups(""))
    if text.startswith("//"):
        text = "https:" + text  # a link without a scheme, as engines print it
    elif text.startswith("/l/?") and "uddg=" in text:
        text = "https://duckduckgo.com" + text  # that page's own relative form
    scheme = pattern(_SCHEME).match(text)
    if scheme is None:
        return Refused("malformed:relative")
    name = scheme[1].lower()
    if name not in {"http", "https"}:
        return Refused("scheme:" + (name if _is_named(name) else "other"))
    return _split(text[scheme.end() :].lstrip("/\\"))


def _is_named(scheme: str) -> bool:
    return scheme in _NAMED_SCHEMES or scheme.endswith("-extension")


def _split(rest: str) -> Parts | Refused:
    end = pattern(_AUTHORITY_END).search(rest)
    authority = rest[: end.start()] if end else rest
    tail = rest[end.start() :] if end else ""
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    if not authority:
        return Refused("malformed:no host")
    if "#" in tail:
        tail, _, fragment = tail.partition("#")
    else:
        fragment = ""
    path, _, query = tail.partition("?")
    if "\\" in path:
        path = path.replace("\\", "/")
    return Parts(authority, path, query, fragment)
