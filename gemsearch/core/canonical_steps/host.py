"""The host: one spelling, and whether it can be public at all.

Sources: WHATWG URL Standard, section 3.5 (host parsing); RFC 6761 and RFC 6762 (local names);
RFC 1918, RFC 3927, RFC 4193, RFC 4291, RFC 6598 (addresses that are nobody's public page).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from gemsearch.core.canonical_steps.parse import Refused
from gemsearch.core.canonical_steps.text import decode
from gemsearch.core.canonical_tables.hosts import (
    ALIASES,
    FAMILY_ALIASES,
    LOCAL_SUFFIXES,
    MOBILE_IS_ANOTHER_SITE,
    SHARED_PARENTS,
)

# Stricter than the standard, which lets `&` or `!` into names that no resolver can hold.
_NAME = re.compile(r"[a-z0-9._-]+")
_WWW = re.compile(r"www\d{0,2}\.")
_MOBILE = re.compile(r"(?:m|mobile|amp)\.")
_DEFAULT_PORTS = frozenset({80, 443})  # under either scheme: a key has none
_LONGEST_NAME = 253

# (first, last, why); the reasons are what `Ignored.reason` shows after "host:".
_CLOSED_V4 = (
    (0x00000000, 0x00FFFFFF, "loopback"),  # 0.0.0.0/8, "this host"
    (0x0A000000, 0x0AFFFFFF, "private"),  # 10/8
    (0x64400000, 0x647FFFFF, "private"),  # 100.64/10, carrier NAT and tailnets
    (0x7F000000, 0x7FFFFFFF, "loopback"),  # 127/8
    (0xA9FE0000, 0xA9FEFFFF, "private"),  # 169.254/16, link-local and cloud metadata
    (0xAC100000, 0xAC1FFFFF, "private"),  # 172.16/12
    (0xC0A80000, 0xC0A8FFFF, "private"),  # 192.168/16
    (0xC6120000, 0xC613FFFF, "private"),  # 198.18/15, benchmarks and local proxies
    (0xE0000000, 0xFFFFFFFF, "private"),  # multicast, reserved, broadcast
)


class Host(NamedTuple):
    """A public host: `name` is compared, `port` is "" or ":8080"."""

    name: str
    port: str


@lru_cache(maxsize=16384)
def read_host(authority: str) -> Host | Refused:
    """Give the one spelling of an authority's host and port, or why it is not a public host."""
    name, port = _split_port(authority)
    number = _read_port(port)
    if number is None:
        return Refused("malformed:port")
    spelled = _spell_host(name)
    if isinstance(spelled, Refused):
        return spelled
    suffix = f":{number}" if number and number not in _DEFAULT_PORTS else ""
    if spelled.startswith("[") or (not spelled[-1].isalpha() and _is_v4(spelled)):
        return Host(spelled, suffix)
    return Host(_fold(spelled), suffix)


def _split_port(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        name, bracket, rest = authority.partition("]")
        return name + bracket, rest.removeprefix(":") if rest.startswith(":") else rest and "?"
    name, _, port = authority.partition(":")
    return name, port


def _read_port(port: str) -> int | None:
    """0 stands for no port; None for no number or one past 65535."""
    if not port:
        return 0
    digits = port.lstrip("0") or "0"
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 5):
        return None
    number = int(digits)
    return number if number <= 0xFFFF else None


def _spell_host(raw: str) -> str | Refused:
    if raw.startswith("["):
        return _spell_v6(raw)
    name = decode(raw).lower() if raw.isascii() else decode(raw)
    if not name.isascii() or "xn--" in name:
        unicode_name = _to_ascii(name)
        if unicode_name is None:
            return Refused("malformed:host")
        name = unicode_name
    name = name.removesuffix(".")
    if len(name) > _LONGEST_NAME or _NAME.fullmatch(name) is None:
        return Refused("malformed:host")
    labels = name.split(".")
    if _is_numeric(labels[-1]):
        return _spell_v4(labels)
    if "" in labels:
        return Refused("malformed:host")
    return _refuse_local(name, labels)


def _refuse_local(name: str, labels: list[str]) -> str | Refused:
    if labels[-1] == "localhost":
        return Refused("host:loopback")
    if len(labels) == 1:
        return Refused("host:single label")
    if name.endswith(LOCAL_SUFFIXES):
        return Refused("host:local name")
    return name


def _to_ascii(name: str) -> str | None:
    """UTS 46, non-transitional, without the length and hyphen rules, as browsers do it.

    Symbols are plain punycode: IDNA 2008 forbids them, browsers do not.
    """
    if len(name) > _LONGEST_NAME:
        return None
    from idna import uts46_remap  # start-up: few hosts need its tables

    try:
        mapped = uts46_remap(name, std3_rules=False, transitional=False)
        return ".".join([_label_to_ascii(label) for label in mapped.split(".")])
    except (IndexError, ValueError):  # UnicodeError and IDNAError are ValueErrors
        return None


def _label_to_ascii(label: str) -> str:
    if not label.startswith("xn--"):
        return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
    from idna import uts46_remap  # start-up

    decoded = label[4:].encode("ascii").decode("punycode")
    mapped = uts46_remap(decoded, std3_rules=False, transitional=False)
    if mapped != decoded or decoded.isascii() or "." in decoded:
        raise UnicodeError(label)
    return "xn--" + decoded.encode("punycode").decode("ascii")


def _is_numeric(label: str) -> bool:
    if not label:
        return False
    return label.isdigit() or (label.startswith("0x") and _digits(label[2:], 16) is not None)


def _digits(text: str, base: int) -> int | None:
    """An unsigned number in digits of `base` alone; too long is too large."""
    alphabet = "0123456789abcdef"[:base]
    text = text.lstrip("0")
    if len(text) > 16 or any(char not in alphabet for char in text):
        return None
    return int(text, base) if text else 0


def _spell_v4(labels: list[str]) -> str | Refused:
    """Octal, hexadecimal and short forms are the same address. Source: WHATWG URL, IPv4 parser."""
    numbers = [_v4_number(label) for label in labels]
    if len(numbers) > 4 or None in numbers:
        return Refused("malformed:address")
    known = [number for number in numbers if number is not None]
    if any(number > 0xFF for number in known[:-1]) or known[-1] >= 256 ** (5 - len(known)):
        return Refused("malformed:address")
    address = known[-1] + sum(n << 8 * (3 - place) for place, n in enumerate(known[:-1]))
    closed = closed_v4(address)
    if closed:
        return Refused("host:" + closed)
    return ".".join([str(address >> shift & 0xFF) for shift in (24, 16, 8, 0)])


def _v4_number(label: str) -> int | None:
    if not label:
        return None
    if label.startswith("0x"):
        return _digits(label[2:], 16)
    return _digits(label, 8 if label.startswith("0") and len(label) > 1 else 10)


def _is_v4(name: str) -> bool:
    return name.replace(".", "").isdigit()


def closed_v4(address: int) -> str:
    """Name the reason why an IPv4 address is no public page; "" when it may be one."""
    for first, last, why in _CLOSED_V4:
        if first <= address <= last:
            return why
    return ""


def _spell_v6(raw: str) -> str | Refused:
    import ipaddress  # start-up: hardly any page lives at a bare address

    if not raw.endswith("]") or "%" in raw:
        return Refused("malformed:address")
    try:
        address = int(ipaddress.IPv6Address(raw[1:-1]))
    except ValueError:
        return Refused("malformed:address")
    closed = _closed_v6(address)
    return Refused("host:" + closed) if closed else f"[{_compress(address)}]"


def _closed_v6(address: int) -> str:
    if address >> 32 in {0xFFFF, 0x64FF9B << 64, 0}:  # v4-mapped, NAT64, ::, ::1, v4-compatible
        return closed_v4(address & 0xFFFFFFFF)
    if address >> 121 == 0x7E:  # fc00::/7
        return "private"
    if address >> 118 in {0x3FA, 0x3FB}:  # fe80::/10, fec0::/10
        return "private"
    return "private" if address >> 120 == 0xFF else ""  # multicast


def _compress(address: int) -> str:
    """The first longest run of two or more zero groups is `::`. Source: RFC 5952, section 4.2."""
    groups = [f"{address >> shift & 0xFFFF:x}" for shift in range(112, -1, -16)]
    best, length = 0, 1
    for start in range(8):
        run = next((n for n in range(8 - start) if groups[start + n] != "0"), 8 - start)
        if run > length:
            best, length = start, run
    if length < 2:
        return ":".join(groups)
    return ":".join(groups[:best]) + "::" + ":".join(groups[best + length :])


def _fold(name: str) -> str:
    """Take off `www`, mobile and AMP labels, then follow the alias table; repeat until stable."""
    while True:
        shorter = _alias(_off_mobile(_off_www(name)))
        if shorter == name:
            return name
        name = shorter


def _off_www(name: str) -> str:
    prefix = _WWW.match(name)
    if prefix is None:
        return name
    rest = name[prefix.end() :]
    return rest if "." in rest else name


def _off_mobile(name: str) -> str:
    prefix = _MOBILE.match(name)
    if prefix is None or name in MOBILE_IS_ANOTHER_SITE:
        return name
    rest = name[prefix.end() :]
    return rest if "." in rest and rest not in SHARED_PARENTS else name


def _alias(name: str) -> str:
    target = ALIASES.get(name)
    if target is not None:
        return target
    for suffix, replacement in FAMILY_ALIASES:
        if name.endswith(suffix):
            return name.removesuffix(suffix) + replacement
    return name
