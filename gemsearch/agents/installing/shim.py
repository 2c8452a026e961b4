"""The TypeScript that opencode, pi and omp load: `shims/asking.ts` and the agent's own part."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING

from gemsearch.agents.installing.entries import Unfit

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARTS = {"opencode": "opencode.ts", "pi": "pi.ts", "omp": "pi.ts"}
_HEADER = re.compile(r"// gemsearch's shim for \S+ ([0-9a-f]{64})\r?\n")
_COMMAND = re.compile(r"^const COMMAND: string\[\] = (\[.*\])$", re.MULTILINE)


def text(agent: str, words: Sequence[str], tools: Sequence[str] = ()) -> str:
    """The whole file. Its first line says whose it is, and the hash of all that follows.

    `tools` are further names of search tools and scripts.
    """
    shims = files("gemsearch.agents") / "shims"
    parts = [(shims / name).read_text("utf-8") for name in ("asking.ts", _PARTS[agent])]
    body = "".join(parts)
    body = _with_constant(body, 'AGENT = ""', agent)
    body = _with_constant(body, "COMMAND: string[] = []", list(words))
    body = _with_constant(body, "TOOLS: string[] = []", sorted(tools))
    said = (
        "// It asks the ledger before a web search and records what the search found.\n"
        f"// `gemsearch uninstall {agent}` removes this file.\n"
    )
    return f"// gemsearch's shim for {agent} {_hash(said + body)}\n{said}{body}"


def added(now: str, agent: str, words: Sequence[str], tools: Sequence[str] = ()) -> str:
    """The file's text in place of `now`. Raises Unfit when that is somebody else's."""
    if now.strip() and not is_ours(now):
        raise Unfit("a file of that name is there already and isn't of `gemsearch install`")
    return text(agent, words, tools)


def is_ours(now: str) -> bool:
    return bool(_HEADER.match(now))


def is_unchanged(now: str) -> bool:
    """Whether it is as `install` of any version wrote it."""
    header = _HEADER.match(now)
    return bool(header and header[1] == _hash(now[header.end() :]))


def found(now: str) -> list[list[str]]:
    """The command in the file, by words."""
    line = _COMMAND.search(now) if is_ours(now) else None
    if line is None:
        return []
    try:
        return [[str(word) for word in json.loads(line[1])]]
    except ValueError:
        return []


def _with_constant(body: str, declared: str, value: object) -> str:
    """With another value; as ASCII, so that no character of a path ends the line."""
    line = f"const {declared}\n"
    assert body.count(line) == 1, line  # noqa: S101 - our own file
    return body.replace(line, f"const {declared.partition(' = ')[0]} = {json.dumps(value)}\n")


def _hash(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8")).hexdigest()
