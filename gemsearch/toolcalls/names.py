"""Tells a web search from other tools by its name."""

from __future__ import annotations

SEARCH, FETCH, OWN, OTHER = "search", "fetch", "own", "other"


def kind_of(tool: str, server: str = "", searches: frozenset[str] = frozenset()) -> str:
    """SEARCH, FETCH, OWN (gemsearch's own tools, under any prefix) or OTHER.

    `tool` may carry its server as agents write it: mcp__server__tool, mcp_server_tool,
    server-tool, server__tool; `server` is the server where the agent names it apart.
    `searches` are further names that a person configured, as the agent writes them.
    """
    raise NotImplementedError
