"""Percent-encoding: one spelling for every way to write the same octets.

Decoding stops where meaning starts: `%2F`, `%3F`, `%23`, `%25` and, in a query, `%26` and `%2B`
stay as they are (RFC 3986, section 2.2), everything a browser would encode is encoded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gemsearch.core.canonical_steps.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_PATH_EQUALS = _UNRESERVED + "!$&'()*+,=:@"  # not ";": it opens a path parameter

_PATH_TOKEN = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/]")
_QUERY_TOKEN = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&()*,;=:@/?]")
_FRAGMENT_TOKEN = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?#]")
_ESCAPES = r"(?:%[0-9A-Fa-f]{2})+"
_BAD_OCTET = "[\udc80-\udcff]"


def _spell(decoded: str) -> Callable[[re.Match[str]], str]:
    """Return the substitution that decodes exactly the characters in `decoded`."""

    def one(token: re.Match[str]) -> str:
        text = token[0]
        if len(text) != 3:
            return "".join([f"%{octet:02X}" for octet in text.encode("utf-8", "replace")])
        char = chr(int(text[1:], 16))
        return char if char in decoded else text.upper()

    return one


_spell_path = _spell(_PATH_EQUALS)
_spell_plain = _spell(_UNRESERVED)


def spell_path(text: str) -> str:
    """One spelling of a path: equal octets give equal text, a stray `%` becomes `%25`."""
    return _PATH_TOKEN.sub(_spell_path, text)


def spell_query(text: str) -> str:
    """One spelling of a part of a query: `+` is a space here, as forms send it."""
    if "+" in text:
        text = text.replace("+", "%20")
    return _QUERY_TOKEN.sub(_spell_plain, text)


def spell_fragment(text: str) -> str:
    """One spelling of a fragment: as written, but for unreserved characters."""
    return _FRAGMENT_TOKEN.sub(_spell_plain, text)


def decode(text: str) -> str:
    """Percent-decode UTF-8. Octets that are no UTF-8 stay encoded, so none are ever confused."""
    if "%" not in text:
        return text
    return pattern(_ESCAPES).sub(_decode_run, text)


def _decode_run(run: re.Match[str]) -> str:
    octets = bytes.fromhex(run[0].replace("%", ""))
    text = octets.decode("utf-8", "surrogateescape")
    return pattern(_BAD_OCTET).sub(lambda bad: f"%{ord(bad[0]) - 0xDC00:02X}", text)
