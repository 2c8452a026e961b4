"""Hooks as Claude Code, Gemini CLI and Codex write them: events, groups by matcher, handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.agents.installing import commands, jsonc
from gemsearch.agents.installing.entries import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.agents.installing.jsonc import Node


def groups(events: tuple[str, ...], matcher: str, handler: Mapping[str, object]) -> list[Entry]:
    """One group for each event, all with the same matcher and handler."""
    group = {"matcher": matcher, "hooks": [dict(handler)]}
    return [Entry(("hooks", event), group) for event in events]


def ours(root: Node) -> Iterator[tuple[Node, int]]:
    """Our groups; of a group that a person shares with other handlers, our handlers only."""
    for event in _members(root, "hooks"):
        for index, group in enumerate(event.members):
            handlers = group.node.get("hooks")
            if handlers is None:
                continue
            own = [i for i, one in enumerate(handlers.members) if is_ours(one.node.value)]
            if own and len(own) == len(handlers.members):
                yield event, index
            else:
                yield from ((handlers, i) for i in own)


def found(text: str) -> list[list[str]]:
    """The commands of our handlers, by words, each once."""
    known: list[list[str]] = []
    if not text.strip():
        return known
    for event in _members(jsonc.parse(text), "hooks"):
        for group in event.members:
            handlers = group.node.get("hooks")
            for handler in handlers.members if handlers else ():
                words = commands.words_of(handler.node.value)
                if is_ours(handler.node.value) and words not in known:
                    known.append(words)
    return known


def _members(root: Node, name: str) -> Iterator[Node]:
    """The arrays in an object of the root."""
    inner = root.get(name)
    for member in inner.members if inner and inner.kind == jsonc.OBJECT else ():
        if member.node.kind == jsonc.ARRAY:
            yield member.node


def is_ours(handler: object) -> bool:
    return commands.is_hook(commands.words_of(handler))
