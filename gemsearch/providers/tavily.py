"""Tavily, with a key or without one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import COUNT, Adapter, Request
from gemsearch.providers.outcome import (
    HINTS,
    complaint,
    default_failure,
    json_object,
    page_of,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemsearch.providers.base import Answer, Page, Settings

NAME = "tavily"
BASE = "https://api.tavily.com"
MONTH = 31 * 86_400.0

# `site:a.org`, `-site:a.org`, and the usual `(site:a.org OR site:b.org)` around them.
_SITE = r"-?site:(?:https?://)?[\w-]+(?:\.[\w-]+)+(?:/[^\s()]*)?"
_SITES = re.compile(rf"(?<!\S)\(?{_SITE}(?:\s+(?:OR|\|)\s+{_SITE})*\)?(?!\S)", re.IGNORECASE)
_ONE_SITE = re.compile(_SITE, re.IGNORECASE)


class Tavily(Adapter):
    name = NAME
    env = ("TAVILY_API_KEY",)
    needs_key = False
    failure_billed = True
    max_chars = 400
    max_words = 0
    min_interval = 0.0

    def build(self, topic: str, settings: Settings) -> Request:
        asked = asked_of(topic)
        body: dict[str, object] = {
            "query": asked.query,
            "max_results": COUNT,
            "search_depth": "basic",
        }
        if asked.include:
            body["include_domains"] = asked.include
        if asked.exclude:
            body["exclude_domains"] = asked.exclude
        url = (settings.text("url") or BASE).rstrip("/")
        return Request("POST", f"{url}/search", headers=_headers(settings.key), json=body)

    def parse(self, answer: Answer, topic: str, settings: Settings) -> Page:  # noqa: ARG002
        if answer.status != 200:
            raise _failure(answer)
        found = json_object(answer, NAME).get("results")
        return page_of(found, _result, answer, NAME)


class Asked(NamedTuple):
    query: str
    include: list[str]
    exclude: list[str]


def asked_of(topic: str) -> Asked:
    """The topic in Tavily's terms: it finds nothing for a `site:` left among the words."""
    sites = [site for group in _SITES.findall(topic) for site in _ONE_SITE.findall(group)]
    include = [_domain(site) for site in sites if not site.startswith("-")]
    exclude = [_domain(site) for site in sites if site.startswith("-")]
    if not sites:
        return Asked(topic, [], [])
    words = " ".join(_SITES.sub(" ", topic).split())
    # A query can't be empty: a topic of sites alone asks for the sites themselves.
    return Asked(words or " ".join(include or exclude), include, exclude)


def _domain(site: str) -> str:
    """The domain of `site:https://example.org/`: example.org."""
    named = re.sub(r"^-?site:(https?://)?", "", site, flags=re.IGNORECASE)
    return named.rstrip("/").lower()


def _headers(key: str | None) -> dict[str, str]:
    if key:
        return {"Authorization": f"Bearer {key}"}
    return {"X-Tavily-Access-Mode": "keyless"}


def _result(row: Mapping[str, object]) -> Result:
    return Result(
        url=str(row.get("url")),
        title=plain(row.get("title")),
        snippet=plain(row.get("content")),
        published=plain(row.get("published_date")),
    )


def _failure(answer: Answer) -> SearchFailed:
    if answer.status == 400 and "too long" in complaint(answer).lower():
        return SearchFailed(
            "query_too_long",
            f"tavily answered 400: {complaint(answer)}",
            provider=NAME,
            hint=HINTS["query_too_long"],
        )
    failure = default_failure(answer, NAME)
    if answer.status != 429:
        return failure
    return _limited(answer, failure)


def _limited(answer: Answer, failure: SearchFailed) -> SearchFailed:
    """Without a key the body says which allowance is used up, and for how long."""
    envelope = _envelope(answer)
    wait = _wait(envelope.get("retry_after_seconds"))
    kind = "quota" if envelope.get("window") in {"day", "week", "month"} else "rate_limited"
    return SearchFailed(
        kind,
        failure.message,
        provider=NAME,
        hint=HINTS[kind],
        retry_after=failure.retry_after if wait is None else wait,
    )


def _envelope(answer: Answer) -> dict[str, object]:
    try:
        error = json_object(answer, NAME).get("error")
    except SearchFailed:
        return {}
    return error if isinstance(error, dict) else {}


def _wait(seconds: object) -> float | None:
    if isinstance(seconds, int | float) and seconds >= 0:
        return min(float(seconds), MONTH)
    return None


ADAPTER = Tavily()
