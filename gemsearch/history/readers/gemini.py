"""Gemini CLI: `tmp/<project>/chats/session-*.jsonl`, or one JSON document in older versions.

A message may be written again with the same id, sets of messages may replace all before them, and
a rewind drops messages; a search that was rewound still happened. So tool calls are put together by
their own ids. Addresses are Google's redirects, another one each time.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gemsearch.history.readers.base import (
    MISSING,
    Told,
    calls_of,
    instant,
    listed,
    mapping,
    richer,
    text,
)
from gemsearch.history.readers.files import document, opened_log, walk
from gemsearch.toolcalls import answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.history.readers.base import Asked, Call, Reading
    from gemsearch.toolcalls.answers import Answer

NAME = "gemini"

_BROKEN = frozenset({"error", "cancelled"})
_RUNNING = frozenset({"validating", "scheduled", "executing", "awaiting_approval"})


def paths(reading: Reading, root: str) -> Iterator[str]:
    return walk(reading, root, _is_session)


def calls(reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001 - one shape
    chat = _Chat(reading, path)
    if path.endswith(".json"):
        chat.take(mapping(document(reading, path)), path, 0)
        yield from chat.calls()
        return
    with opened_log(reading, path) as log:
        if log is None:
            return
        for start, line in log.lines(headed=True):
            if start and not (b'"toolCalls"' in line and reading.hint.search(line)):
                continue
            found = log.parsed(start, line)
            if found is not None:
                chat.take(found, log.place(start), start)
        yield from chat.calls()
        log.read_again_from(chat.first_running())


def _is_session(path: str) -> bool:
    folder, name = os.path.split(path)
    below_chats = "chats" in folder.split(os.sep)
    return name.endswith((".jsonl", ".json")) and (below_chats or name.startswith("session-"))


class _Chat:
    """The tool calls of one session file, by their ids."""

    def __init__(self, reading: Reading, path: str) -> None:
        self._reading = reading
        self._session = ""
        self._project = _project(path)
        self._found: dict[str, tuple[Asked, str, Told, Answer]] = {}
        self._running: dict[str, int] = {}

    def take(self, found: Mapping[str, object], place: str, start: int) -> None:
        """One line, a document, or the set of messages within a line."""
        self._session = self._session or text(found.get("sessionId"))
        for message in [found, *listed(found.get("messages"))]:
            for call in listed(mapping(message).get("toolCalls")):
                self._take_call(mapping(call), mapping(message), place, start)
        changed = mapping(found.get("$set"))
        if changed:
            self.take(changed, place, start)

    def calls(self) -> Iterator[Call]:
        for asked, call_id, told, answer in self._found.values():
            yield from calls_of(asked, call_id, told, answer)

    def first_running(self) -> int | None:
        return min(self._running.values(), default=None)

    def _take_call(
        self, call: Mapping[str, object], message: Mapping[str, object], place: str, start: int
    ) -> None:
        context = mapping(call.get("mcp_context") or call.get("mcpContext"))
        server = text(context.get("server_name")) or text(context.get("serverName"))
        asked = self._reading.asked(text(call.get("name")), call.get("args"), server)
        if asked is None:
            return
        if not asked.topics:
            self._reading.skip("search without a topic", place)
            return
        call_id = text(call.get("id"))
        time = instant(call.get("timestamp")) or instant(message.get("timestamp"))
        told = Told(NAME, self._session, time, self._project, NAME, place, start)
        answer = _answer(call)
        key = call_id or f"{place} {len(self._found)}"
        if key in self._found:
            *_, first, known = self._found[key]
            told, answer = first, richer(known, answer)
        self._found[key] = (asked, call_id, told, answer)
        if text(call.get("status")) in _RUNNING:
            self._running.setdefault(key, start)
        else:
            self._running.pop(key, None)


def _answer(call: Mapping[str, object]) -> Answer:
    status = text(call.get("status"))
    if status in _RUNNING:
        return MISSING
    return answers.answer_of(call.get("result"), failed=status in _BROKEN)


def _project(path: str) -> str | None:
    """The working folder, which newer versions keep beside the chats."""
    folder = os.path.dirname(path)
    while os.path.basename(folder) not in {"", "chats"}:
        folder = os.path.dirname(folder)
    note = os.path.join(os.path.dirname(folder), ".project_root")
    if os.path.basename(folder) != "chats" or os.path.islink(note) or not os.path.isfile(note):
        return None
    try:
        with open(note, "rb") as file:
            return file.read(4096).decode("utf-8").strip() or None
    except (OSError, ValueError):
        return None
