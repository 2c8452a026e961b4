"""The `ddgs` package, an optional extra that reads the result pages of search engines.

It can't tell "blocked" from "nothing found", so its "No results found." is never an empty page.
It runs in a child: its HTTP client has been seen to hang where no signal reaches it.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gemsearch.core.text import clean_line
from gemsearch.errors import SearchFailed
from gemsearch.providers import child
from gemsearch.providers.base import COUNT
from gemsearch.providers.command import FIELDS, page_of
from gemsearch.providers.pacing import await_turn, cool_down, refuse_while_cooling

if TYPE_CHECKING:
    from gemsearch.providers.base import Pace, Page, Settings

# Never "auto": it starts with two encyclopedias, whose pages recur and make false duplicates.
BACKEND = "duckduckgo,brave,mojeek,startpage,yahoo"
INTERVAL = 2.0
READ = 8
CHILD = Path(__file__).with_name("ddgs_child.py")


class Ddgs:
    """Options: `backend`, `min_interval`."""

    name = "ddgs"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def search(self, topic: str, pace: Pace, timeout: float) -> Page:
        deadline = time.monotonic() + timeout
        refuse_while_cooling(self.name, pace)
        await_turn(self.name, pace, self._interval(), deadline)
        question = {
            "query": topic,
            "backend": self.settings.text("backend", BACKEND),
            "max_results": COUNT,
            "timeout": READ,
        }
        try:
            return self._ask(question, deadline - time.monotonic())
        except SearchFailed as failure:
            cool_down(failure, self.name, pace)
            raise

    def _interval(self) -> float:
        value = self.settings.options.get("min_interval", INTERVAL)
        return float(value) if isinstance(value, (int, float)) else INTERVAL

    def _ask(self, question: dict[str, object], seconds: float) -> Page:
        finished = child.run(
            [sys.executable, "-P", str(CHILD)],
            json.dumps(question).encode(),
            child.environment(["PYTHONPATH", "VIRTUAL_ENV", "DDGS_PROXY"]),
            seconds,
        )
        if finished.ended == "timeout":
            raise _failed("timeout", f"was ended after {seconds:.0f} s")
        if finished.ended == "too_long":
            raise _failed("bad_response", "printed more than 2 MB")
        return page(_answer(finished))


def page(answer: dict[str, object]) -> Page:
    """The page in a child's answer, or the failure it tells of."""
    if "missing" in answer:
        raise SearchFailed(
            "config",
            "the provider ddgs needs a package that isn't installed",
            provider="ddgs",
            hint="Install it: `pip install 'gemsearch[ddgs]'`.",
        )
    if "error" in answer:
        raise failure(str(answer["error"]), str(answer.get("text", "")))
    if not answer.get("results"):
        raise failure("DDGSException", "No results found.")
    return page_of(json.dumps(answer["results"]).encode(), FIELDS, "ddgs")


def failure(name: str, text: str) -> SearchFailed:
    said = clean_line(text, 80)
    if "No results found" in text:
        return _failed("ambiguous", "found nothing or was blocked: it can't tell which")
    if name == "TimeoutException" or "timed out" in text:
        return _failed("timeout", "got no answer in time")
    if text.startswith(("DNSError", "ConnectError")):
        return _failed("network", "could not reach the search engines")
    if name == "RatelimitException":
        return _failed("rate_limited", "was told to slow down")
    return _failed("bad_response", f"could not read an engine's answer: {said or name}")


def _answer(finished: child.Finished) -> dict[str, object]:
    if finished.code:
        said = clean_line(finished.complaint.decode("utf-8", "replace"))[-80:]
        raise _failed("upstream", f"broke off with exit code {finished.code}: {said}")
    try:
        found = json.loads(finished.output)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    raise _failed("bad_response", "answered without JSON")


def _failed(kind: str, what: str) -> SearchFailed:
    return SearchFailed(
        kind, f"ddgs {what}", provider="ddgs", hint="Try the same topic later, or another provider."
    )
