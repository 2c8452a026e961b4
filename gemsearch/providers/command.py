"""Any program that prints results as JSON, named in the user's own configuration.

::

    [providers.ddgr]
    type = "command"
    argv = ["ddgr", "--json", "--np", "-n", "10", "--", "{query}"]
"""

from __future__ import annotations

import json
import time
from itertools import pairwise
from typing import TYPE_CHECKING

from gemsearch.core.model import Result
from gemsearch.core.text import clean_line
from gemsearch.errors import SearchFailed
from gemsearch.providers import child
from gemsearch.providers.base import Page
from gemsearch.providers.outcome import plain, rows
from gemsearch.providers.pacing import await_turn, cool_down, refuse_while_cooling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gemsearch.providers.base import Pace, Settings

PLACE = "{query}"
CODE_FOLLOWS = {"-c", "-lc", "-e", "--eval"}  # of a shell or an interpreter
FIELDS: Mapping[str, tuple[str, ...]] = {
    "url": ("url", "href", "link"),
    "title": ("title", "name"),
    "snippet": ("snippet", "body", "abstract", "content", "description"),
    "published": ("date", "published", "age"),
}


class Command:
    """Options: `argv`, `map` (field to name), `env` (names to pass on), `min_interval`."""

    def __init__(self, settings: Settings, name: str = "command") -> None:
        self.name = name
        self.settings = settings

    def search(self, topic: str, pace: Pace, timeout: float) -> Page:
        deadline = time.monotonic() + timeout
        argv = self._argv(topic)
        refuse_while_cooling(self.name, pace)
        await_turn(self.name, pace, self._interval(), deadline)
        try:
            output = self._run(argv, topic, deadline - time.monotonic())
            return page_of(output, self._fields(), self.name)
        except SearchFailed as failure:
            failure.billed = "unknown" if failure.kind != "config" else "no"
            cool_down(failure, self.name, pace)
            raise

    def _argv(self, topic: str) -> list[str]:
        template = self.settings.options.get("argv")
        if not isinstance(template, list) or not template:
            raise self._misconfigured("has no `argv`, a list of words")
        if not all(isinstance(word, str) for word in template):
            raise self._misconfigured("has an `argv` that isn't a list of words")
        if not template[0] or PLACE in template[0]:
            raise self._misconfigured("has no fixed program as the first word of `argv`")
        if any(PLACE in code for flag, code in pairwise(template) if flag in CODE_FOLLOWS):
            raise self._misconfigured(f"has {PLACE} inside code: any topic could run programs")
        return [self._word(template, place, topic) for place in range(len(template))]

    def _word(self, template: Sequence[str], place: int, topic: str) -> str:
        """The argument at a place. A topic must never be read as an option."""
        word = template[place].replace(PLACE, topic)
        starts_with_topic = template[place].startswith(PLACE)
        if starts_with_topic and word.startswith("-") and "--" not in template[:place]:
            raise SearchFailed(
                "bad_query",
                f"the topic begins with `-`: {self.name} would read it as an option",
                provider=self.name,
                hint=f'Put "--" before "{PLACE}" in `providers.{self.name}.argv`, or rephrase.',
            )
        return word

    def _run(self, argv: Sequence[str], topic: str, seconds: float) -> bytes:
        on_input = not any(PLACE in str(word) for word in self._template())
        text = topic.encode("utf-8", "replace") if on_input else b""
        try:
            finished = child.run(argv, text, child.environment(self._passed_on()), seconds)
        except OSError as fault:
            raise self._misconfigured(f"can't run {argv[0]}: {fault.strerror}") from None
        except ValueError:  # a NUL or a lone surrogate
            raise SearchFailed(
                "bad_query",
                f"the topic holds characters that can't be passed to {self.name}",
                provider=self.name,
                hint="Rephrase the topic.",
            ) from None
        return self._output(finished, seconds)

    def _output(self, finished: child.Finished, seconds: float) -> bytes:
        if finished.ended == "timeout":
            raise self._failed("timeout", f"was ended after {seconds:.0f} s", finished)
        if finished.ended == "too_long":
            raise self._failed("bad_response", "was ended: it printed more than 2 MB", finished)
        if finished.code < 0:
            raise self._failed("upstream", f"was killed by signal {-finished.code}", finished)
        if finished.code:
            raise self._failed("upstream", f"failed with exit code {finished.code}", finished)
        return finished.output

    def _failed(self, kind: str, why: str, finished: child.Finished) -> SearchFailed:
        said = clean_line(finished.complaint.decode("utf-8", "replace"))[-200:]
        return SearchFailed(
            kind,
            f"{self.name} {why}{': ' if said else ''}{said}",
            provider=self.name,
            hint="Try the same topic later; if it stays, run the program by hand.",
        )

    def _misconfigured(self, what: str) -> SearchFailed:
        return SearchFailed(
            "config",
            f"the provider {self.name} {what}",
            provider=self.name,
            hint=f"Correct [providers.{self.name}] in config.toml (`gemsearch config path`).",
        )

    def _template(self) -> Sequence[object]:
        found = self.settings.options.get("argv")
        return found if isinstance(found, list) else ()

    def _passed_on(self) -> list[str]:
        names = self.settings.options.get("env")
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def _interval(self) -> float:
        value = self.settings.options.get("min_interval", 0)
        return float(value) if isinstance(value, (int, float)) else 0.0

    def _fields(self) -> Mapping[str, Sequence[str]]:
        own = self.settings.options.get("map")
        if not isinstance(own, dict):
            return FIELDS
        return {**FIELDS, **{field: (name,) for field, name in own.items() if field in FIELDS}}


def page_of(output: bytes, fields: Mapping[str, Sequence[str]], provider: str) -> Page:
    """Read what a program printed. Only an empty list means that nothing was found."""
    listed = _listed(output, provider)
    found = [_result(row, fields) for row in rows(listed)]
    results = [result for result in found if result.url.startswith(("https://", "http://"))]
    if listed and not results:
        raise _unreadable(
            provider,
            f"printed {len(listed)} rows and none has a web address under "
            + ", ".join(fields["url"]),
            hint=f'Say where it is: providers.{provider}.map = {{ url = "NAME" }}.',
        )
    return Page(results, dropped=len(listed) - len(results))


def _result(row: Mapping[str, object], fields: Mapping[str, Sequence[str]]) -> Result:
    def first(field: str) -> str:
        values = (row.get(name) for name in fields[field])
        return next((value for value in values if isinstance(value, str) and value), "")

    return Result(
        first("url").strip(),
        plain(first("title")),
        plain(first("snippet")),
        plain(first("published")),
    )


def _listed(output: bytes, provider: str) -> list[object]:
    text = output.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if not text:
        raise _unreadable(provider, "printed nothing; a search that finds nothing prints []")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return _lines(text, provider)
    if isinstance(found, dict) and "results" in found:
        found = found["results"]
    if isinstance(found, list):
        return found
    return _lines(text, provider)


def _lines(text: str, provider: str) -> list[object]:
    """JSON lines: every line an object, or it is no answer."""
    try:
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        found = [None]
    if all(isinstance(row, dict) for row in found) and "results" not in found[0]:
        return found
    raise _unreadable(provider, f"printed no list of results: {clean_line(text[:640], 80)}")


def _unreadable(provider: str, what: str, hint: str = "") -> SearchFailed:
    return SearchFailed(
        "bad_response",
        f"{provider} {what}",
        provider=provider,
        hint=hint or "Run the program by hand and look at what it prints.",
    )
