"""Searches that agents run as shell commands."""

from __future__ import annotations

from typing import NamedTuple


class ShellSearch(NamedTuple):
    kind: str  # names.SEARCH, or names.OWN for `gemsearch search` and its like
    topic: str


def searched_in(command: str, scripts: frozenset[str] = frozenset()) -> ShellSearch | None:
    """The web search that a shell command runs, if it runs a known search script.

    `scripts` are further base names, or folder/name endings, that a person configured.
    """
    raise NotImplementedError
