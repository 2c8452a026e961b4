"""Readers of agents' logs, one module each.

A reader has `paths`, the files below a root that are its own, and `calls`, what one of them tells.
Left out: Cursor and Zed (no documented shape, or compressed), Amp, Grok.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.history.readers import (
    agentsview,
    claude_code,
    codex,
    copilot,
    gemini,
    generic,
    goose,
    llm,
    opencode,
    pi,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gemsearch.history.readers.base import Call, Reading


class Reader(NamedTuple):
    paths: Callable[[Reading, str], Iterator[str]]  # the files below a root
    calls: Callable[[Reading, str, str], Iterator[Call]]  # a path, and `how` for generic readers


# agentsview comes after the logs that it was made from: those tell more.
READERS = {
    "claude-code": Reader(claude_code.paths, claude_code.calls),
    "codex": Reader(codex.paths, codex.calls),
    "gemini": Reader(gemini.paths, gemini.calls),
    "opencode": Reader(opencode.paths, opencode.calls),
    "pi": Reader(pi.paths, pi.reader_of("pi")),
    "omp": Reader(pi.paths, pi.reader_of("omp")),
    "copilot": Reader(copilot.paths, copilot.calls),
    "llm": Reader(llm.paths, llm.calls),
    "goose": Reader(goose.paths, goose.calls),
    "agentsview": Reader(agentsview.paths, agentsview.calls),
    "jsonl": Reader(generic.json_paths, generic.calls_in_json),
    "sql": Reader(generic.sql_paths, generic.calls_by_query),
}
