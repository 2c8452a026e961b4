"""Where agents keep their logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gemsearch.history.model import Source

# The names that `gemsearch mine --source NAME` takes; the last two need a path and say how.
READERS = (
    "claude-code",
    "codex",
    "gemini",
    "opencode",
    "pi",
    "omp",
    "copilot",
    "llm",
    "goose",
    "agentsview",
    "jsonl",
    "sql",
)


def found(environ: Mapping[str, str], home: str) -> list[Source]:
    """The sources that exist on this machine, in the order of READERS.

    Default places below `home`, and those that the agents' own environment variables name.
    """
    raise NotImplementedError


def default_source(reader: str, environ: Mapping[str, str], home: str) -> list[Source]:
    """Where one reader's logs would be, whether or not they exist."""
    raise NotImplementedError
