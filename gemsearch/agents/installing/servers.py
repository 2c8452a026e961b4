"""MCP servers as Copilot CLI and Cursor write them: an object of servers by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.agents.installing import commands, jsonc
from gemsearch.agents.installing.entries import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.agents.installing.jsonc import Node

SERVERS, NAME = "mcpServers", "gemsearch"


def entry(words: list[str], fields: Mapping[str, object]) -> Entry:
    """Our server: `fields` are what the agent wants besides the command."""
    return Entry((SERVERS,), {"command": words[0], "args": words[1:], **fields}, NAME)


def ours(root: Node) -> Iterator[tuple[Node, int]]:
    """Our server; one of that name that a person set up in another way is theirs."""
    servers = root.get(SERVERS)
    if servers is None:
        return
    for index, member in enumerate(servers.members):
        if member.key == NAME and commands.is_server(commands.words_of(member.node.value)):
            yield servers, index


def found(text: str) -> list[list[str]]:
    """The command of our server, by words."""
    if not text.strip():
        return []
    return [
        commands.words_of(servers.members[index].node.value)
        for servers, index in ours(jsonc.parse(text))
    ]
