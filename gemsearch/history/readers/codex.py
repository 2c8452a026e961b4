"""Codex: rollouts, `sessions/YYYY/MM/DD/rollout-*.jsonl`, and archived ones.

Searches that OpenAI runs are told twice, as `web_search_call` and as `web_search_end`, of which
either may lack the id; they have queries and no results. Other tools are `function_call` and
`function_call_output`. A fork begins with a copy of its parent's turns.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from gemsearch.history.readers.base import (
    MISSING,
    Asked,
    Pairing,
    Told,
    calls_of,
    instant,
    mapping,
    richer,
    text,
)
from gemsearch.history.readers.files import opened_log, walk
from gemsearch.toolcalls import answers, names, topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.history.readers.base import Call, Reading
    from gemsearch.history.readers.files import Log

NAME = "codex"

_ID = re.compile(rb'"call_id"\s*:\s*"([^"\\]+)"')
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_ON_PAGES = frozenset({"open_page", "find_in_page"})
_BROKEN = frozenset({"failed", "incomplete"})


def paths(reading: Reading, root: str) -> Iterator[str]:
    return walk(reading, root, lambda path: path.endswith((".jsonl", ".jsonl.zst")))


def calls(reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001 - one shape
    if path.endswith(".zst"):
        reading.skip("compressed log", path)
        return
    with opened_log(reading, path) as log:
        if log is not None:
            yield from _Rollout(reading, log).calls()


class _Hosted:
    """A search that OpenAI ran: its two lines, of which one may have the id or be missing."""

    def __init__(self, asked: tuple[str, ...], told: Told) -> None:
        self.asked = asked
        self.told = told
        self.call_id = ""
        self.answer = MISSING
        self.lines: set[str] = set()  # the types of the lines met


class _Rollout:
    def __init__(self, reading: Reading, log: Log) -> None:
        self._reading = reading
        self._log = log
        self._session = ""
        self._project: str | None = None
        self._waiting = Pairing(reading)
        self._hosted: list[_Hosted] = []
        self._by_id: dict[str, _Hosted] = {}
        self._halves: dict[tuple[str, ...], list[_Hosted]] = {}  # whose other line hasn't come

    def calls(self) -> Iterator[Call]:
        start = 0
        for start, line in self._log.lines(headed=True):
            if b'"turn_context"' in line[:400]:
                self._move(line)
            elif self._is_wanted(line):
                found = self._log.parsed(start, line)
                if found is not None:
                    yield from self._calls_in(found, start)
        for hosted in self._hosted:
            asked = Asked(names.SEARCH, hosted.asked)
            yield from calls_of(asked, hosted.call_id, hosted.told, hosted.answer)
            if len(hosted.lines) == 1 and hosted.told.start == start:
                self._log.read_again_from(start)  # its other line is about to come
        yield from self._waiting.rest()
        self._log.read_again_from(self._waiting.first_start())

    def _is_wanted(self, line: bytes) -> bool:
        if b'"session_meta"' in line[:400]:
            return True
        if self._waiting and b"_output" in line:
            found = _ID.search(line)
            if found and found[1].decode("utf-8", "replace") in self._waiting:
                return True
        is_call = b'_call"' in line or b'"web_search_end"' in line
        return is_call and self._reading.hint.search(line) is not None

    def _move(self, line: bytes) -> None:
        """A turn may be in another folder; the line is long, so only that is looked for."""
        found = _CWD.search(line)
        if found:
            with suppress(ValueError):
                self._project = text(json.loads(found[1])) or self._project

    def _calls_in(self, found: Mapping[str, object], start: int) -> Iterator[Call]:
        payload = mapping(found.get("payload", found))
        kind = text(payload.get("type"))
        if found.get("type") == "session_meta":
            if not self._session:  # a fork holds its parent's as well
                self._session = text(payload.get("id"))
                self._project = text(payload.get("cwd")) or None
        elif kind == "web_search_call":
            yield from self._hosted_line(payload, text(payload.get("id")), start, found)
        elif kind == "web_search_end":
            yield from self._ended(payload, start, found)
        elif kind in _CALLS:
            yield from self._waiting.ask(
                text(payload.get("call_id")),
                text(payload.get("name")) or "shell",
                payload.get("arguments", payload.get("input", payload.get("action"))),
                self._told(start, found),
                text(payload.get("namespace")),
            )
        elif kind in _OUTPUTS:
            call_id = text(payload.get("call_id"))
            yield from self._waiting.answer(call_id, answers.answer_of(payload.get("output")))

    def _told(self, start: int, found: Mapping[str, object]) -> Told:
        return Told(
            NAME,
            self._session,
            instant(found.get("timestamp")),
            self._project,
            NAME,
            self._log.place(start),
            start,
        )

    def _ended(
        self, payload: Mapping[str, object], start: int, found: Mapping[str, object]
    ) -> Iterator[Call]:
        call_id = text(payload.get("call_id"))
        if call_id not in self._waiting:
            yield from self._hosted_line(payload, call_id, start, found)
        elif payload.get("results"):  # of the tool web.run, whose output is only text
            yield from self._waiting.answer(call_id, answers.answer_of(payload.get("results")))

    def _hosted_line(
        self, payload: Mapping[str, object], call_id: str, start: int, found: Mapping[str, object]
    ) -> Iterator[Call]:
        told = self._told(start, found)
        action = mapping(payload.get("action"))
        kind = text(payload.get("type"))
        asked = topics.topics_of(action)
        if action.get("type") == "open_page" and kind == "web_search_call":
            address = (text(action.get("url")),)
            yield from calls_of(Asked(names.FETCH, address), call_id, told, MISSING)
        elif asked:
            hosted = self._hosted_of(asked, call_id, kind, told)
            broken = text(payload.get("status")) in _BROKEN
            answer = answers.answer_of(payload.get("results"), failed=broken)
            hosted.answer = richer(hosted.answer, answer)
        elif text(action.get("type")) not in _ON_PAGES and kind == "web_search_call":
            self._reading.skip("search without a topic", told.place)

    def _hosted_of(self, asked: tuple[str, ...], call_id: str, kind: str, told: Told) -> _Hosted:
        """The search that a line tells of: by id, else by order among those asking the same."""
        hosted = self._by_id.get(call_id)
        if hosted is None:
            hosted = self._half(asked, call_id, kind)
        if hosted is None:
            hosted = _Hosted(asked, told)
            self._hosted.append(hosted)
            self._halves.setdefault(asked, []).append(hosted)
        hosted.lines.add(kind)
        if call_id and not hosted.call_id:
            hosted.call_id = call_id
            self._by_id[call_id] = hosted
        return hosted

    def _half(self, asked: tuple[str, ...], call_id: str, kind: str) -> _Hosted | None:
        halves = self._halves.get(asked, [])
        for place, half in enumerate(halves):
            if kind not in half.lines and not (call_id and half.call_id):
                return halves.pop(place)
        return None
