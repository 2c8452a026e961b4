"""Exa."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import COUNT, Adapter, Request
from gemsearch.providers.outcome import HINTS, default_failure, json_object, page_of, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemsearch.providers.base import Answer, Page, Settings

NAME = "exa"
BASE = "https://api.exa.ai"
LONGEST_SNIPPET = 500  # `text` may be a whole page

_OUT_OF_CREDIT = {"NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED"}


class Exa(Adapter):
    name = NAME
    env = ("EXA_API_KEY",)
    needs_key = True
    failure_billed = True
    max_chars = 0
    max_words = 0
    min_interval = 0.1

    def build(self, topic: str, settings: Settings) -> Request:
        body = {
            "query": topic,
            "type": "auto",
            "numResults": COUNT,
            "contents": {"highlights": True},
        }
        headers = {"x-api-key": settings.key or ""}
        url = (settings.text("url") or BASE).rstrip("/")
        return Request("POST", f"{url}/search", headers=headers, json=body)

    def parse(self, answer: Answer, topic: str, settings: Settings) -> Page:  # noqa: ARG002
        if answer.status != 200:
            raise _failure(answer)
        found = json_object(answer, NAME).get("results")
        return page_of(found, _result, answer, NAME)


def _result(row: Mapping[str, object]) -> Result:
    return Result(
        url=str(row.get("url")),
        title=plain(row.get("title")),  # null for pages without one
        snippet=_snippet(row),
        published=plain(row.get("publishedDate")),
    )


def _snippet(row: Mapping[str, object]) -> str:
    highlights = row.get("highlights")
    texts = highlights if isinstance(highlights, list) and highlights else [row.get("text")]
    whole = " … ".join(filter(None, map(plain, texts)))
    return whole[:LONGEST_SNIPPET]


def _failure(answer: Answer) -> SearchFailed:
    if _tag(answer) not in _OUT_OF_CREDIT:
        return default_failure(answer, NAME)
    return SearchFailed(
        "quota",
        f"exa answered {answer.status}: the credits or the key's budget are used up",
        provider=NAME,
        hint=HINTS["quota"],
    )


def _tag(answer: Answer) -> str:
    try:
        tag = json_object(answer, NAME).get("tag")
    except SearchFailed:
        return ""
    return tag if isinstance(tag, str) else ""


ADAPTER = Exa()
