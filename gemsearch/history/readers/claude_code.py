"""Claude Code: `projects/**/*.jsonl`, one file a session, subagents in files of their own.

A call is a `tool_use` in an assistant's line, its result a `tool_result` in a later line that also
has the tool's own answer as `toolUseResult`. Searches that the API runs itself are
`server_tool_use` and `web_search_tool_result`. Forked and resumed sessions repeat lines with
another session id.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gemsearch.history.readers.base import (
    MISSING,
    Pairing,
    Told,
    instant,
    listed,
    mapping,
    richer,
    text,
)
from gemsearch.history.readers.files import opened_log, walk
from gemsearch.toolcalls import answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.history.readers.base import Call, Reading
    from gemsearch.history.readers.files import Log
    from gemsearch.toolcalls.answers import Answer

NAME = "claude-code"

_SERVER_CALL = re.compile(rb'"server_tool_use"(?!\s*:)')  # usage counts under the same name
_ANSWERED = re.compile(rb'"tool_use_id"\s*:\s*"([^"\\]+)"')
_CALLS = frozenset({"tool_use", "server_tool_use"})
_RESULTS = frozenset({"tool_result", "web_search_tool_result"})


def paths(reading: Reading, root: str) -> Iterator[str]:
    return walk(reading, root, lambda path: path.endswith(".jsonl"))


def calls(reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001 - one shape
    with opened_log(reading, path) as log:
        if log is None:
            return
        waiting = Pairing(reading)
        for start, line in log.lines():
            if not (_may_call(reading, line) or (waiting and _may_answer(waiting, line))):
                continue
            found = log.parsed(start, line)
            if found is not None:
                yield from _calls_in(found, start, log, waiting)
        yield from waiting.rest()
        log.read_again_from(waiting.first_start())


def _may_call(reading: Reading, line: bytes) -> bool:
    if b'"tool_use"' not in line and not (
        b'"server_tool_use"' in line and _SERVER_CALL.search(line)
    ):
        return False
    return reading.hint.search(line) is not None


def _may_answer(waiting: Pairing, line: bytes) -> bool:
    if b'tool_result"' not in line:
        return False
    return any(found.decode("utf-8", "replace") in waiting for found in _ANSWERED.findall(line))


def _calls_in(
    found: Mapping[str, object], start: int, log: Log, waiting: Pairing
) -> Iterator[Call]:
    told = Told(
        NAME,
        text(found.get("sessionId")),
        instant(found.get("timestamp")),
        text(found.get("cwd")) or None,
        NAME,
        log.place(start),
        start,
    )
    blocks = [mapping(block) for block in listed(mapping(found.get("message")).get("content"))]
    results = [block for block in blocks if text(block.get("type")) in _RESULTS]
    for block in blocks:
        kind = text(block.get("type"))
        if kind in _CALLS:
            yield from waiting.ask(
                text(block.get("id")), text(block.get("name")), block.get("input"), told
            )
        elif kind in _RESULTS:
            own = found.get("toolUseResult") if len(results) == 1 else None
            yield from waiting.answer(text(block.get("tool_use_id")), _answer(block, own))


def _answer(block: Mapping[str, object], own: object) -> Answer:
    """From the text that the model saw and the tool's own answer, which is text if it was denied.

    Where both are there the tool's own says more, unless the results were refused.
    """
    failed = block.get("is_error") is True
    content = block.get("content")
    told = answers.answer_of(own, failed=failed) if isinstance(own, dict | list) else MISSING
    if told.results and not answers.is_refusal(content):
        return told
    seen = answers.answer_of(content, failed=failed)
    return seen if seen.status == answers.DENIED else richer(told, seen)
