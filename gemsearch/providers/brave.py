"""Brave Search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import COUNT, Adapter, Request
from gemsearch.providers.outcome import HINTS, default_failure, json_object, page_of, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemsearch.providers.base import Answer, Page, Settings

NAME = "brave"
BASE = "https://api.search.brave.com"


class Brave(Adapter):
    name = NAME
    env = ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")
    needs_key = True
    failure_billed = False
    max_chars = 400
    max_words = 50
    min_interval = 1.0  # what the smallest plan allows

    def build(self, topic: str, settings: Settings) -> Request:
        params = {
            "q": topic,
            "count": str(COUNT),
            "text_decorations": "false",  # no <strong> in snippets
            "spellcheck": "false",  # search the topic, not Brave's idea of it
        }
        headers = {"Accept": "application/json", "X-Subscription-Token": settings.key or ""}
        url = (settings.text("url") or BASE).rstrip("/")
        return Request("GET", f"{url}/res/v1/web/search", params, headers)

    def parse(self, answer: Answer, topic: str, settings: Settings) -> Page:  # noqa: ARG002
        if answer.status != 200:
            raise _failure(answer)
        body = json_object(answer, NAME)
        page = page_of(_found(body), _result, answer, NAME)
        return page._replace(altered_topic=_altered(body))


def _found(body: Mapping[str, object]) -> object:
    """The rows. Brave leaves `web` out when it found nothing; `query` is always there."""
    web = body.get("web")
    if web is None and isinstance(body.get("query"), dict):
        return []
    return web.get("results") if isinstance(web, dict) else None


def _altered(body: Mapping[str, object]) -> str | None:
    query = body.get("query")
    altered = query.get("altered") if isinstance(query, dict) else None
    return altered if isinstance(altered, str) and altered else None


def _result(row: Mapping[str, object]) -> Result:
    return Result(
        url=str(row.get("url")),
        title=plain(row.get("title")),
        snippet=plain(row.get("description")),
        published=plain(row.get("page_age")),
    )


def _failure(answer: Answer) -> SearchFailed:
    error = _error(answer)
    if answer.status == 422 and _is_about_the_key(error):
        return SearchFailed(
            "auth",
            "brave answered 422: the key is missing or not valid",
            provider=NAME,
            hint=HINTS["auth"].format(provider=NAME),
        )
    if answer.status == 429 and (_quota_is_used_up(error) or _month_is_used_up(answer.headers)):
        return SearchFailed(
            "quota",
            "brave answered 429: the plan's searches are used up",
            provider=NAME,
            hint=HINTS["quota"],
            retry_after=_second(answer.headers, "x-ratelimit-reset"),
        )
    return default_failure(answer, NAME)


def _error(answer: Answer) -> dict[str, object]:
    try:
        error = json_object(answer, NAME).get("error")
    except SearchFailed:
        return {}
    return error if isinstance(error, dict) else {}


def _is_about_the_key(error: Mapping[str, object]) -> bool:
    """Brave answers 422 for a key as for a parameter; only the body tells them apart."""
    if "TOKEN" in str(error.get("code")).upper():
        return True
    meta = error.get("meta")
    return isinstance(meta, dict) and "x-subscription-token" in str(meta.get("errors")).lower()


def _quota_is_used_up(error: Mapping[str, object]) -> bool:
    meta = error.get("meta")
    if not isinstance(meta, dict):
        return False
    current, limit = meta.get("quota_current"), meta.get("quota_limit")
    if type(current) is not int or type(limit) is not int:
        return False
    return 0 < limit <= current


def _month_is_used_up(headers: Mapping[str, str]) -> bool:
    """The second number of each list is the month's; a limit of 0 means there is none."""
    limit = _second(headers, "x-ratelimit-limit")
    return bool(limit) and _second(headers, "x-ratelimit-remaining") == 0


def _second(headers: Mapping[str, str], name: str) -> float | None:
    """The second number of a header such as `1, 1419704` (per second, per month)."""
    numbers = headers.get(name, "").split(",")
    if len(numbers) < 2 or not numbers[1].strip().isdecimal():
        return None
    return float(numbers[1])


ADAPTER = Brave()
