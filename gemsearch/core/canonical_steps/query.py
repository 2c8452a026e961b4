"""The query: filtered as written, never parsed and written anew.

Every part that is not known to be a tracker or a session names the document and stays.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gemsearch.core.canonical_steps.patterns import pattern
from gemsearch.core.canonical_steps.text import spell_query
from gemsearch.core.canonical_tables.trackers import (
    DROPPED,
    DROPPED_PREFIXES,
    DROPPED_VALUES,
    NETWORKS,
    SESSIONS_BY_VALUE,
    SHAPED,
    SITE_LIKE_ENDINGS,
)

_CLEAN = re.compile(r"[A-Za-z0-9\-._~!$&()*,;=:@/]*")
_SESSION_VALUE = r"[0-9A-Fa-f]{32}"
_HOST_VALUE = r"(?:[A-Za-z0-9-]+\.)+([A-Za-z]{2,})"
_SECOND_START = r"[A-Za-z_][A-Za-z0-9_.-]*="
_GOOGLE_LEFTOVER = r"(?:AOvVaw|AFQjCN)[\w-]*|[02]ah[A-Z][\w-]*"


class Param(NamedTuple):
    """One part of a query: both sides in their one spelling, `value` is "" for `a` and `a=`."""

    name: str
    value: str


def read_query(raw: str) -> list[Param]:
    """Return the parts that name the document, in the order given, exact repeats once."""
    params: list[Param] = []
    clean = _CLEAN.fullmatch(raw) is not None
    for part in raw.split("&"):
        for text in [part] if clean else _spell_parts(part):
            param = _read_part(text.removeprefix("amp;") if "amp;" in text else text)
            if param is not None:
                params.append(param)
    return _off_cold_fusion(list(dict.fromkeys(params)) if len(params) > 1 else params)


def write_query(params: list[Param]) -> str:
    """Sort by name, keeping the order of equal names: `a=1&a=2` is not `a=2&a=1`."""
    ordered = sorted(params, key=_name) if len(params) > 1 else params
    return "&".join([f"{name}={value}" if value else name for name, value in ordered])


def is_tracker(name: str, value: str) -> bool:
    """True when this part tells where a reader came from, not what is read."""
    folded = name.lower()
    if folded in DROPPED or folded.startswith(DROPPED_PREFIXES):
        return True
    if folded in DROPPED_VALUES:
        return value.lower() in DROPPED_VALUES[folded]
    if folded in SESSIONS_BY_VALUE:
        return pattern(_SESSION_VALUE).fullmatch(value) is not None
    return folded in SHAPED and _has_shape(SHAPED[folded], value)


def _name(param: Param) -> str:
    return param.name


def _spell_parts(part: str) -> list[str]:
    """Spell a part; `a=1?b=2` was glued by hand and is two parts, `u=/x?b=2` is one."""
    text = spell_query(part)
    parts = []
    while "?" in text:
        head, _, tail = text.partition("?")
        if "/" in head or "%" in head or pattern(_SECOND_START).match(tail) is None:
            break
        parts.append(head)
        text = tail
    return [*parts, text]


def _read_part(text: str) -> Param | None:
    while text.startswith("amp;"):  # left of an `&amp;` that was escaped twice
        text = text[4:]
    name, _, value = text.partition("=")
    if not name and not value:
        return None
    if is_tracker(name, value):
        return None
    return Param(name, value.replace("%3D", "=") if "%3D" in value else value)


def _has_shape(shape: str, value: str) -> bool:
    if shape == "site":
        return value.lower() in NETWORKS or _is_site(value)
    if shape == "word":
        return not value.isdigit()
    if shape == "dotted":
        return "." in value
    return pattern(_GOOGLE_LEFTOVER).fullmatch(value) is not None


def _is_site(value: str) -> bool:
    host = pattern(_HOST_VALUE).fullmatch(value)
    return host is not None and host[1].lower() in SITE_LIKE_ENDINGS


def _off_cold_fusion(params: list[Param]) -> list[Param]:
    """CFID with CFTOKEN is a session; either alone may be a document's number."""
    names = {param.name.lower() for param in params}
    if not names >= {"cfid", "cftoken"}:
        return params
    return [param for param in params if param.name.lower() not in {"cfid", "cftoken"}]
