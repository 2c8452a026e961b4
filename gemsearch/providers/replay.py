"""Recorded result lists from a JSON Lines file: for tests and demonstrations, never the network.

::

    {"topic": "gitleaks hook", "results": [{"url": "https://example.org/a", "title": "A"}]}
    {"topic": "slow topic", "delay": 0.5, "results": []}
    {"topic": "bad day", "error": "rate_limited", "retry_after": 30}
"""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import Page
from gemsearch.providers.outcome import plain, rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemsearch.providers.base import Pace, Settings


class Replay:
    """Options: `path`; else the file that GEMSEARCH_REPLAY names. The last line of a topic wins."""

    def __init__(self, settings: Settings, name: str = "replay") -> None:
        self.name = name
        self.path = settings.text("path") or os.environ.get("GEMSEARCH_REPLAY", "")

    def search(self, topic: str, pace: Pace, timeout: float) -> Page:  # noqa: ARG002 - no network
        recorded = self._recordings().get(folded(topic))
        if recorded is None:
            raise SearchFailed(
                "replay_miss",
                f"{self.path} holds no results for this topic",
                provider=self.name,
                hint="Add a line for it, or choose a provider that searches.",
            )
        self._wait(_number(recorded.get("delay")), timeout)
        if "error" in recorded:
            raise self._failure(recorded)
        return _page(recorded)

    def _recordings(self) -> dict[str, Mapping[str, object]]:
        lines = enumerate(self._text().splitlines(), start=1)
        read = [self._line(line, number) for number, line in lines if line.strip()]
        return {folded(str(row["topic"])): row for row in read}

    def _text(self) -> str:
        if not self.path:
            raise self._misconfigured("no file of recorded results is named")
        try:
            path = Path(self.path).expanduser()
            if not stat.S_ISREG(path.stat().st_mode):
                raise self._misconfigured(f"{self.path} is no regular file")
            return path.read_text("utf-8")
        except OSError as fault:
            raise self._misconfigured(f"{self.path} can't be read: {fault.strerror}") from None
        except UnicodeDecodeError:
            raise self._misconfigured(f"{self.path} isn't UTF-8 text") from None
        except ValueError:
            raise self._misconfigured(f"{self.path} is no name of a file") from None

    def _line(self, line: str, number: int) -> Mapping[str, object]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict) and isinstance(row.get("topic"), str):
            return row
        raise self._misconfigured(f"{self.path}, line {number}: no JSON object with a topic")

    def _wait(self, delay: float, timeout: float) -> None:
        time.sleep(min(delay, timeout))
        if delay > timeout:
            raise SearchFailed(
                "timeout",
                f"{self.name}: no answer within {timeout:g} s",
                provider=self.name,
                hint="Try the same topic later.",
            )

    def _failure(self, recorded: Mapping[str, object]) -> SearchFailed:
        kind = recorded["error"]
        if not isinstance(kind, str) or kind not in SearchFailed.KINDS:
            return self._misconfigured(f"{self.path} names an unknown kind of error: {kind!r}")
        return SearchFailed(
            kind,
            f"{self.name}: recorded failure ({kind.replace('_', ' ')})",
            provider=self.name,
            retry_after=_number(recorded.get("retry_after")) or None,
        )

    def _misconfigured(self, what: str) -> SearchFailed:
        return SearchFailed(
            "config",
            what,
            provider=self.name,
            hint=f"Set GEMSEARCH_REPLAY or providers.{self.name}.path to a JSON Lines file.",
        )


def folded(topic: str) -> str:
    return " ".join(topic.casefold().split())


def _page(recorded: Mapping[str, object]) -> Page:
    listed = rows(recorded.get("results"))
    results = [
        Result(
            str(row["url"]),
            plain(row.get("title")),
            plain(row.get("snippet")),
            plain(row.get("published")),
        )
        for row in listed
        if isinstance(row.get("url"), str) and row["url"]
    ]
    return Page(results, dropped=len(listed) - len(results))


def _number(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return max(float(value), 0.0)
    return 0.0
