"""The topics of a search call."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TOPICS = 50  # of one call; no agent is known to send more than ten
_MAX_SITES = 20

_ASKED = (
    "query",
    "q",
    "search_query",
    "queries",
    "search_queries",
    "searchQuery",
    "search_term",
    "searchTerm",
)
_ASKED_OTHERWISE = ("objective", "keywords")
_ONLY = ("allowed_domains", "include_domains", "includeDomains", "domains")
_NOT = ("blocked_domains", "exclude_domains", "excludeDomains")
_SHOWN_SHORT = " ..."  # Codex writes the first of several queries so, for people


def topics_of(arguments: object) -> tuple[str, ...]:
    """Every topic that a call's arguments propose, in order, each once; raw text, not cleaned.

    Arguments may be a mapping or JSON text of one: query, q, queries[], search_query[].q. A search
    limited to sites is another search: ` site:HOST` and ` -site:HOST` are added to its topic.
    Anything else gives none.
    """
    found = mapping_of(arguments)
    sites = _sites(found)
    asked = [topic for name in _ASKED for topic in _topics(found.get(name))]
    asked = asked or [topic for name in _ASKED_OTHERWISE for topic in _joined(found.get(name))]
    if len(asked) > 1:
        asked = [topic for topic in asked if not topic.endswith(_SHOWN_SHORT)] or asked
    return tuple(dict.fromkeys(topic + sites for topic in asked))[:MAX_TOPICS]


def mapping_of(arguments: object) -> Mapping[str, object]:
    """Arguments as a mapping, which agents keep as such or as JSON text; empty for all else."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return {}
    return arguments if isinstance(arguments, Mapping) else {}


def _topics(asked: object) -> Iterator[str]:
    if isinstance(asked, str):
        if asked.strip():
            yield asked
    elif isinstance(asked, Mapping):
        sites = _sites(asked)
        for name in ("q", "query"):
            topic = asked.get(name)
            if isinstance(topic, str) and topic.strip():
                yield topic + sites
                return
    elif isinstance(asked, Sequence):
        for one in asked[:MAX_TOPICS]:
            if isinstance(one, str | Mapping):
                yield from _topics(one)


def _joined(asked: object) -> Iterator[str]:
    """Keywords in a list are one search."""
    if isinstance(asked, list):
        asked = " ".join(word for word in asked[:MAX_TOPICS] if isinstance(word, str))
    yield from _topics(asked)


def _sites(arguments: Mapping[str, object]) -> str:
    only = [f" site:{host}" for name in _ONLY for host in _hosts(arguments.get(name))]
    never = [f" -site:{host}" for name in _NOT for host in _hosts(arguments.get(name))]
    return "".join(dict.fromkeys(only + never))


def _hosts(named: object) -> Iterator[str]:
    if isinstance(named, str):
        named = re.split(r"[,\s]+", named[:2000])
    if not isinstance(named, list):
        return
    for host in named[:_MAX_SITES]:
        if isinstance(host, str) and host.strip() and len(host) < 256:
            yield host.strip().lower()
