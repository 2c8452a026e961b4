"""What a provider is. An HTTP adapter is two pure functions: build a request, parse an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gemsearch.core.model import Result

COUNT = 10  # results asked for: the source gate compares ten sources, so more would be unused


class Settings(NamedTuple):
    """A provider's own settings: `[providers.NAME]` of the configuration, and its key if any."""

    options: Mapping[str, object] = {}
    key: str | None = None

    def text(self, name: str, default: str = "") -> str:
        value = self.options.get(name, default)
        return value if isinstance(value, str) else default

    def __repr__(self) -> str:
        # The key must not appear in a traceback, a log or a failed assertion.
        return f"Settings(options={sorted(self.options)}, key={'set' if self.key else None})"


class Request(NamedTuple):
    method: str
    url: str
    params: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    json: object | None = None


class Answer(NamedTuple):
    """An HTTP answer. Header names are lower case; `body` is at most 2 MB, decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Page(NamedTuple):
    """What a search returned. `results` may be empty: the provider answered and found nothing.

    `altered_topic` is what was really searched where it differs from the topic; `partial` names
    engines that failed behind a provider that still answered; `dropped` counts rows without a URL;
    `served_by` names the provider that answered where a list of providers was asked.
    """

    results: Sequence[Result]
    altered_topic: str | None = None
    partial: Sequence[str] = ()
    dropped: int = 0
    served_by: str = ""


class Pace(Protocol):
    """Throttling shared by all processes of one ledger; the ledger implements it."""

    def cooling(self, provider: str) -> tuple[str, float] | None:
        """(kind, seconds left) while the provider is to be left alone, else None."""

    def claim(self, provider: str, interval: float) -> float:
        """Take the next slot, `interval` seconds after the last one; seconds to sleep until it."""

    def cool_down(self, provider: str, kind: str, seconds: float) -> None:
        """Leave the provider alone for so long; `kind` is what SearchFailed will say."""


class Provider(Protocol):
    """Anything that can run a search. Raises SearchFailed; a fault is never an empty page."""

    name: str

    def search(self, topic: str, pace: Pace, timeout: float) -> Page:
        """Search once. `timeout` is the total deadline in seconds."""


class Adapter(Protocol):
    """An HTTP provider as `http.HttpProvider` drives it: facts and two pure functions."""

    name: str
    env: Sequence[str]  # environment variables that hold the key, in order
    needs_key: bool
    failure_billed: bool  # False: a 502/503/504 may be tried once more
    max_chars: int  # 0: no limit known
    max_words: int
    min_interval: float  # seconds between two requests, over all processes

    def build(self, topic: str, settings: Settings) -> Request: ...

    def parse(self, answer: Answer, topic: str, settings: Settings) -> Page:
        """Turn an answer of any status into a page, or raise SearchFailed."""
