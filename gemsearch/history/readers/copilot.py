"""Copilot CLI: `session-state/<id>/events.jsonl`, or one file a session in older versions.

Tools are asked for in a message and begin and end in events of their own. Searches that the
model's provider ran come with the message, in the provider's own shape.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from gemsearch.history.readers.base import (
    MISSING,
    Asked,
    Pairing,
    Told,
    calls_of,
    instant,
    listed,
    mapping,
    text,
)
from gemsearch.history.readers.files import opened_log, walk
from gemsearch.toolcalls import answers, names, topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.history.readers.base import Call, Reading
    from gemsearch.history.readers.files import Log

NAME = "copilot"

_COMPLETE = b'"tool.execution_complete"'
_ANSWERED = re.compile(rb'"toolCallId"\s*:\s*"([^"\\]+)"')
_CALLS = (b'"toolRequests"', b'"tool.execution_start"', b'"serverTools"')


def paths(reading: Reading, root: str) -> Iterator[str]:
    return walk(reading, root, lambda path: path.endswith(".jsonl"))


def calls(reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001 - one shape
    with opened_log(reading, path) as log:
        if log is not None:
            yield from _Events(reading, log).calls()


class _Events:
    def __init__(self, reading: Reading, log: Log) -> None:
        self._reading = reading
        self._log = log
        self._session = _session(log.path)
        self._project: str | None = None
        self._waiting = Pairing(reading)
        self._answered: set[str] = set()

    def calls(self) -> Iterator[Call]:
        for start, line in self._log.lines(headed=True):
            if self._is_wanted(line):
                found = self._log.parsed(start, line)
                if found is not None:
                    yield from self._calls_in(found, start)
        yield from self._waiting.rest()
        self._log.read_again_from(self._waiting.first_start())

    def _is_wanted(self, line: bytes) -> bool:
        if _COMPLETE in line:
            found = _ANSWERED.search(line)
            return found is not None and found[1].decode("utf-8", "replace") in self._waiting
        if any(mark in line for mark in _CALLS):
            return self._reading.hint.search(line) is not None
        return b'"session.start"' in line or b'"session.resume"' in line

    def _calls_in(self, found: Mapping[str, object], start: int) -> Iterator[Call]:
        content = mapping(found.get("data"))
        kind = text(found.get("type"))
        if kind in {"session.start", "session.resume"}:
            self._session = text(content.get("sessionId")) or self._session
            self._project = text(mapping(content.get("context")).get("cwd")) or self._project
        elif kind == "tool.execution_complete":
            call_id = text(content.get("toolCallId"))
            self._answered.add(call_id)
            yield from self._waiting.answer(call_id, _answer(content))
        else:
            told = self._told(found, start)
            requests = listed(content.get("toolRequests"))
            for request in map(mapping, requests or [content]):
                yield from self._asked(request, told)
            yield from self._provided(mapping(content.get("serverTools")), told)

    def _told(self, found: Mapping[str, object], start: int) -> Told:
        time = instant(found.get("timestamp"))
        place = self._log.place(start)
        return Told(NAME, self._session, time, self._project, NAME, place, start)

    def _asked(self, request: Mapping[str, object], told: Told) -> Iterator[Call]:
        call_id = text(request.get("toolCallId"))
        if not call_id or call_id in self._waiting or call_id in self._answered:
            return
        server = text(request.get("mcpServerName"))
        name = text(request.get("mcpToolName")) if server else ""
        name = name or text(request.get("name")) or text(request.get("toolName"))
        yield from self._waiting.ask(call_id, name, request.get("arguments"), told, server)

    def _provided(self, tools: Mapping[str, object], told: Told) -> Iterator[Call]:
        for one in map(mapping, listed(tools.get("items"))):
            asked = topics.topics_of(one.get("action")) or topics.topics_of(one.get("input"))
            if "search" in text(one.get("type")) and asked:
                broken = one.get("status") == "failed"
                answer = answers.answer_of(one.get("results"), failed=broken)
                call = Asked(names.SEARCH, asked)
                yield from calls_of(call, text(one.get("id")), told, answer if broken else MISSING)


def _answer(content: Mapping[str, object]) -> answers.Answer:
    failed = content.get("success") is False
    return answers.answer_of(content.get("error" if failed else "result"), failed=failed)


def _session(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.basename(folder) if name == "events.jsonl" else name.removesuffix(".jsonl")
