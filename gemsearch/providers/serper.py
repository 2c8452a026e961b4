"""Serper: Google's results as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

NAME = "serper"
BASE = "https://google.serper.dev"


class Serper(Adapter):
    name = NAME
    env = ("SERPER_API_KEY",)
    needs_key = True
    failure_billed = False
    max_chars = 0
    max_words = 0
    min_interval = 0.0

    def build(self, topic: str, settings: Settings) -> Request:
        headers = {"X-API-KEY": settings.key or ""}
        url = (settings.text("url") or BASE).rstrip("/")
        body = {"q": topic, "num": COUNT}  # more than ten would cost a second credit
        return Request("POST", f"{url}/search", headers=headers, json=body)

    def parse(self, answer: Answer, topic: str, settings: Settings) -> Page:  # noqa: ARG002
        if answer.status != 200:
            raise _failure(answer)
        found = json_object(answer, NAME).get("organic")
        return page_of(found, _result, answer, NAME)


def _result(row: Mapping[str, object]) -> Result:
    return Result(
        url=str(row.get("link")),
        title=plain(row.get("title")),
        snippet=plain(row.get("snippet")),
        published=plain(row.get("date")),
    )


def _failure(answer: Answer) -> SearchFailed:
    """Serper reports spent credits as a bad request."""
    if answer.status == 400 and "credits" in complaint(answer).lower():
        return SearchFailed(
            "quota",
            "serper answered 400: not enough credits",
            provider=NAME,
            hint=HINTS["quota"],
        )
    return default_failure(answer, NAME)


ADAPTER = Serper()
