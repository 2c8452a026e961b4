"""Entries that we add to a JSON configuration, and the text without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.agents.installing import jsonc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gemsearch.agents.installing.jsonc import Node

    # Where our entries stand: each a container and the index of its member.
    Finder = Callable[[Node], Iterator[tuple[Node, int]]]


class Unfit(ValueError):
    """The configuration has another shape than the agent documents."""


class Entry(NamedTuple):
    """`value` under `key` of the object at `path`, or as an element of the array there."""

    path: tuple[str, ...]
    value: object
    key: str = ""


def added(text: str, wanted: Sequence[Entry], ours: Finder, before: str | None = None) -> str:
    """The text with the wanted entries in place of whatever of ours it holds.

    Nothing changes when they stand there already. Raises NotJson and Unfit; an empty text is an
    empty object. `before` is the text without us, where that is known.
    """
    if text.strip() and placed(text, ours) == list(wanted):
        return text
    return _with_entries(removed(text, ours, before), wanted)


def removed(text: str, ours: Finder, before: str | None = None) -> str:
    """The text without our entries, and without the containers that were made for them.

    Where adding the same entries to `before` gives this text, it is `before` to the byte: the white
    space of an empty object can't be told otherwise.
    """
    if not text.strip():
        return text
    if before is not None and _leads_to(before, text, ours):
        return before
    known = _paths(before)
    while (found := next(ours(jsonc.parse(text)), None)) is not None:
        container, index = found
        path = _path_of(jsonc.parse(text), container)
        text = jsonc.removed(text, container, index)
        text = _without_emptied(text, path, known)
    return text


def placed(text: str, ours: Finder) -> list[Entry]:
    """Our entries as they stand in the text."""
    root = jsonc.parse(text)
    found = []
    for container, index in ours(root):
        member = container.members[index]
        found.append(Entry(_path_of(root, container), member.node.value, member.key))
    return found


def _leads_to(before: str, text: str, ours: Finder) -> bool:
    try:
        return _with_entries(before, placed(text, ours)) == text
    except (jsonc.NotJson, Unfit):
        return False


def _with_entries(text: str, wanted: Iterable[Entry]) -> str:
    now = text if text.strip() else "{}\n"
    for entry in wanted:
        now = _with_entry(now, entry)
    return now


def root_object(text: str) -> Node:
    root = jsonc.parse(text)
    if root.kind != jsonc.OBJECT:
        raise Unfit("it holds no JSON object")
    return root


def _with_entry(text: str, entry: Entry) -> str:
    node = root_object(text)
    for depth, name in enumerate(entry.path):
        child = node.get(name)
        if child is None:
            return jsonc.appended(text, node, name, _nested(entry, entry.path[depth + 1 :]))
        last = depth == len(entry.path) - 1
        wanted = jsonc.ARRAY if last and not entry.key else jsonc.OBJECT
        if child.kind != wanted:
            where = ".".join(entry.path[: depth + 1])
            raise Unfit(f"`{where}` is no JSON {wanted}")
        node = child
    if entry.key and node.get(entry.key) is not None:
        where = ".".join((*entry.path, entry.key))
        raise Unfit(f"`{where}` is there already and isn't of `gemsearch install`")
    return jsonc.appended(text, node, entry.key, entry.value)


def _nested(entry: Entry, path: Sequence[str]) -> object:
    value: object = {entry.key: entry.value} if entry.key else [entry.value]
    for name in reversed(path):
        value = {name: value}
    return value


def _paths(text: str | None) -> frozenset[tuple[str, ...]]:
    """Every object and array of a text that is reached by names alone."""
    if text is None or not text.strip():
        return frozenset()
    try:
        return frozenset(path for path, _ in _containers(jsonc.parse(text), ()))
    except jsonc.NotJson:
        return frozenset()


def _containers(node: Node, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Node]]:
    if node.kind == jsonc.SCALAR:
        return
    yield path, node
    if node.kind == jsonc.OBJECT:
        for member in node.members:
            yield from _containers(member.node, (*path, member.key))


def _path_of(root: Node, container: Node) -> tuple[str, ...]:
    return next((path for path, node in _containers(root, ()) if node.start == container.start), ())


def _without_emptied(text: str, path: tuple[str, ...], known: frozenset[tuple[str, ...]]) -> str:
    """Remove the containers on the path that are empty now, were it not for the person."""
    while path and path not in known:
        parent = jsonc.parse(text)
        for name in path[:-1]:
            parent = parent.get(name) or parent
        index = max(i for i, member in enumerate(parent.members) if member.key == path[-1])
        node = parent.members[index].node
        if node.members or _has_comment(text, node):
            break
        text = jsonc.removed(text, parent, index)
        path = path[:-1]
    return text


def _has_comment(text: str, node: Node) -> bool:
    return bool(text[node.start + 1 : node.end - 1].strip())
