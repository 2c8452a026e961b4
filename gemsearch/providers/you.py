"""You.com, with a key or without one: two endpoints that answer in the same shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.model import Result
from gemsearch.providers.base import COUNT, Adapter, Request
from gemsearch.providers.outcome import bad_response, default_failure, json_object, page_of, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemsearch.errors import SearchFailed
    from gemsearch.providers.base import Answer, Page, Settings

NAME = "you"
KEYED = ("https://ydc-index.io", "/v1/search")
KEYLESS = ("https://api.you.com", "/v1/agents/search")
ALLOWANCE = "Without a key You.com allows 100 searches a day; a key (YDC_API_KEY) lifts that."


class You(Adapter):
    name = NAME
    env = ("YDC_API_KEY", "YOUCOM_API_KEY")
    needs_key = False
    failure_billed = True
    max_chars = 0
    max_words = 0
    min_interval = 0.0

    def build(self, topic: str, settings: Settings) -> Request:
        base, path = KEYED if settings.key else KEYLESS
        # The keyless endpoint refuses a key, so no header at all is sent there.
        headers = {"X-API-Key": settings.key} if settings.key else {}
        url = (settings.text("url") or base).rstrip("/")
        return Request("GET", f"{url}{path}", {"query": topic, "count": str(COUNT)}, headers)

    def parse(self, answer: Answer, topic: str, settings: Settings) -> Page:  # noqa: ARG002
        if answer.status != 200:
            raise _failure(answer, settings)
        return page_of(_found(answer), _result, answer, NAME)


def _found(answer: Answer) -> object:
    sections = json_object(answer, NAME).get("results")
    if not isinstance(sections, dict):
        raise bad_response(answer, NAME, "no results section")
    return sections.get("web", [])  # left out where only news was found


def _result(row: Mapping[str, object]) -> Result:
    return Result(
        url=str(row.get("url")),
        title=plain(row.get("title")),
        snippet=plain(row.get("description")) or _first(row.get("snippets")),
        published=plain(row.get("page_age")),
    )


def _first(snippets: object) -> str:
    return plain(snippets[0]) if isinstance(snippets, list) and snippets else ""


def _failure(answer: Answer, settings: Settings) -> SearchFailed:
    failure = default_failure(answer, NAME)
    if answer.status == 429 and not settings.key:
        failure.hint = ALLOWANCE
    return failure


ADAPTER = You()
