"""The canonical key of a URL: do two results name the same document?

The key is only compared, never fetched and never shown. A wrong merge blocks a search that is
new, a missed one only lets a repeat through: where a rule is not certain, keys stay apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.canonical_steps.fragment import route
from gemsearch.core.canonical_steps.host import read_host
from gemsearch.core.canonical_steps.ignore import reason_to_ignore
from gemsearch.core.canonical_steps.lookup import ANY_HOST, rules_of
from gemsearch.core.canonical_steps.parse import LONGEST, Refused, clean, parse
from gemsearch.core.canonical_steps.path import off_endings, spell
from gemsearch.core.canonical_steps.query import read_query, write_query
from gemsearch.core.canonical_steps.site import find_site
from gemsearch.core.canonical_steps.unwrap import target_of
from gemsearch.core.canonical_tables.hosts import HASHBANG_PATHS

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from gemsearch.core.canonical_steps.host import Host
    from gemsearch.core.canonical_steps.lookup import HostRules
    from gemsearch.core.canonical_steps.parse import Parts
    from gemsearch.core.canonical_steps.query import Param
    from gemsearch.core.canonical_steps.site import Found

CANON_VERSION = 2  # raise it with every change that changes a key: ledgers are then re-keyed
MOST_HOPS = 5

_NO_HOSTS: frozenset[str] = frozenset()
_GENERIC = "generic"
_MOST_PASSES = MOST_HOPS + 8
_OWN_PATHS = frozenset({"", "/search", "/image_proxy"})


class Canonical(NamedTuple):
    """`key` is `host[:port]/path[?query][#route]`; `rule` tells which rule made it."""

    key: str
    rule: str
    host: str
    hops: int


class Ignored(NamedTuple):
    """Not a source, and why: `host:loopback`, `serp:google`, `malformed:relative` ..."""

    reason: str


class _Reading(NamedTuple):
    """One pass over a URL. `settled` says that a pass over the key would give the key again."""

    key: str
    rule: str
    host: str
    settled: bool


def canonicalise(url: str, own_hosts: AbstractSet[str] = _NO_HOSTS) -> Canonical | Ignored:
    """Give any text its key, or the reason why it has none. Pure; never raises for a `str`.

    `own_hosts` are the hosts of configured SearXNG instances: their result pages are no sources.
    `canonicalise("https://" + key).key == key` for every key this function returns: a key is read
    again until it does not change.
    """
    text, hops, rule = url, 0, _GENERIC
    for _ in range(_MOST_PASSES):
        reading = _read(text, own_hosts)
        if isinstance(reading, Ignored):
            return reading
        if isinstance(reading, str):
            if hops == MOST_HOPS:
                return Ignored("malformed:too many hops")
            text, hops = reading, hops + 1
            continue
        rule = reading.rule if rule == _GENERIC else rule  # the first that knew it
        again = "https://" + reading.key
        if reading.settled or text == again:
            return Canonical(reading.key, rule, reading.host, hops)
        text = again
    return Ignored("malformed:unsettled")


def host_of(key: str) -> str:
    """Return the host of a key, without its port."""
    authority = key.partition("/")[0]
    if authority.startswith("["):
        return authority.partition("]")[0] + "]"
    return authority.partition(":")[0]


def _read(text: str, own_hosts: AbstractSet[str]) -> _Reading | str | Ignored:
    """Read a URL once: its key, or the address of the document it leads to."""
    if len(text) > LONGEST:
        return Ignored("malformed:too long")
    parts = parse(clean(text))
    if isinstance(parts, Refused):
        return Ignored(parts.reason)
    host = read_host(parts.authority)
    if isinstance(host, Refused):
        return Ignored(host.reason)
    rules = ANY_HOST if host.port else rules_of(host.name)
    path = spell(parts.path)
    if own_hosts and host.name in own_hosts and path in _OWN_PATHS:
        return Ignored("serp:searxng")
    reason = reason_to_ignore(path, parts.query, rules.ignored)
    if reason:
        return Ignored(reason)
    target = target_of(host.name, parts, rules.wrappers) if rules.wrappers else None
    return target or _key(host, path, parts, rules)


def _key(host: Host, path: str, parts: Parts, rules: HostRules) -> _Reading | Ignored:
    """Apply the site's rule, or the generic steps where no rule knows the document."""
    params = read_query(parts.query) if parts.query else []
    found = _find_hashbang(host, parts, params, rules)
    found = found or find_site(host.name + host.port, path, params, rules.sites)
    if found and found.place:
        key = _with_query(found.place, found.params)
        settled = _is_settled(host.name, found, rules)
        reading = _Reading(key, found.rule, host_of(key), settled)
    else:
        reading = _generic_key(host, path, parts, found, found.params if found else params)
        if rules.wrappers:  # one may match the path without its slash
            reading = reading._replace(settled=False)
    if len(reading.key) + len("https://") > LONGEST:
        return Ignored("malformed:too long")
    return reading


def _is_settled(host: str, found: Found, rules: HostRules) -> bool:
    """Whether a plain path on the same host is its own key: cheaper than a whole pass."""
    if found.params or rules.wrappers or not found.place.startswith(host + "/"):
        return False
    path = found.place[len(host) :]
    if "?" in path or spell(path) != path or reason_to_ignore(path, "", rules.ignored):
        return False
    again = find_site(host, path, [], rules.sites)
    return again is not None and again.place == found.place


def _generic_key(
    host: Host, path: str, parts: Parts, found: Found | None, params: list[Param]
) -> _Reading:
    """Host, path without its ending, query, route. Settled when nothing of it was respelled."""
    place = off_endings(path)
    query = write_query(params) if params else ""
    kept = route(parts.fragment, path) if parts.fragment else ""
    key = f"{host.name}{host.port}{place or '/'}"
    key = f"{key}?{query}" if query else key
    settled = place == path and query == parts.query and parts.path in {path, path + "/"}
    rule = found.rule if found else _GENERIC
    return _Reading(f"{key}#{kept}" if kept else key, rule, host.name, settled)


def _find_hashbang(host: Host, parts: Parts, params: list[Param], rules: HostRules) -> Found | None:
    """Follow `#!` on the few sites that have since made a path of it."""
    if not parts.fragment.startswith("!") or host.name not in HASHBANG_PATHS:
        return None
    path = spell(HASHBANG_PATHS[host.name] + parts.fragment[1:])
    found = find_site(host.name, path, params, rules.sites)
    return found if found and found.place else None


def _with_query(place: str, params: list[Param]) -> str:
    return f"{place}?{write_query(params)}" if params else place
