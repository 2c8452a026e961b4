"""pi and oh-my-pi: `sessions/**/*.jsonl`, a tree of messages whose branches all stay in the file.

pi searches by running scripts in its shell; omp has a tool, whose failures only `details` tells.
What a person ran (`bashExecution`) is no call.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from gemsearch.history.readers.base import Pairing, Told, instant, listed, mapping, text
from gemsearch.history.readers.files import opened_log, walk
from gemsearch.toolcalls import answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gemsearch.history.readers.base import Call, Reading

_ANSWERED = re.compile(rb'"toolCallId"\s*:\s*"([^"\\]+)"')


def paths(reading: Reading, root: str) -> Iterator[str]:
    return walk(reading, root, lambda path: path.endswith(".jsonl"))


def reader_of(agent: str) -> Callable[[Reading, str, str], Iterator[Call]]:
    """The two agents' logs differ in nothing but the place."""
    return partial(_calls, agent)


def _calls(agent: str, reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001
    with opened_log(reading, path) as log:
        if log is None:
            return
        head: Mapping[str, object] = {}
        waiting = Pairing(reading)
        for start, line in log.lines(headed=True):
            if not (start == 0 or _is_wanted(reading, waiting, line)):
                continue
            found = log.parsed(start, line)
            if found is None:
                continue
            if found.get("type") == "session":
                head = found
                continue
            message = mapping(found.get("message"))
            if message.get("role") == "toolResult":
                yield from waiting.answer(text(message.get("toolCallId")), _answer(message))
                continue
            told = Told(
                agent,
                text(head.get("id")),
                instant(found.get("timestamp")) or instant(message.get("timestamp")),
                text(head.get("cwd")) or None,
                agent,
                log.place(start),
                start,
            )
            for block in map(mapping, listed(message.get("content"))):
                if block.get("type") == "toolCall":
                    name, arguments = text(block.get("name")), block.get("arguments")
                    yield from waiting.ask(text(block.get("id")), name, arguments, told)
        yield from waiting.rest()
        log.read_again_from(waiting.first_start())


def _is_wanted(reading: Reading, waiting: Pairing, line: bytes) -> bool:
    if b'"toolCall"' in line:
        return reading.hint.search(line) is not None
    if waiting and b'"toolResult"' in line:
        return any(found.decode("utf-8", "replace") in waiting for found in _ANSWERED.findall(line))
    return b'"session"' in line[:200]


def _answer(message: Mapping[str, object]) -> answers.Answer:
    told = {"content": message.get("content"), "details": message.get("details")}
    return answers.answer_of(told, failed=message.get("isError") is True)
