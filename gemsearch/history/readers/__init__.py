"""Readers of agents' logs, one module each.

A reader has `paths`, the files below a root that are its own, and `calls`, what one of them tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.history.readers import claude_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gemsearch.history.readers.base import Call, Reading


class Reader(NamedTuple):
    paths: Callable[[Reading, str], Iterator[str]]  # the files below a root
    calls: Callable[[Reading, str, str], Iterator[Call]]  # a path, and `how` for generic readers


READERS = {
    "claude-code": Reader(claude_code.paths, claude_code.calls),
}
