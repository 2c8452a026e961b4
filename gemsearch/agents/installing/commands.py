"""The commands that configurations run, and how ours are told from others'."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.errors import BadConfiguration

if TYPE_CHECKING:
    from collections.abc import Sequence

HOOK_MODULE = "gemsearch.agents.hook"
HOOK_SCRIPT = "gemsearch-hook"


class Choices(NamedTuple):
    """What a person chose for the hooks; "" leaves it to the hook's own default."""

    mode: str = ""
    source_mode: str = ""
    fail_closed: bool = False
    db: str = ""  # an absolute path
    tools: tuple[str, ...] = ()  # what the ledger's `hook.tools` names, for the matchers


def hook(agent: str, choices: Choices) -> list[str]:
    """The command of an agent's hook, by words.

    By the interpreter's path, because agents start with a PATH of their own; with -P, because the
    agent's working folder must not be able to shadow a module.
    """
    words = [interpreter(), "-P", "-m", HOOK_MODULE, agent]
    for option, value in (
        ("--db", choices.db),
        ("--mode", choices.mode),
        ("--source-mode", choices.source_mode),
    ):
        words += [option, value] if value else []
    return [*words, "--fail-closed"] if choices.fail_closed else words


def server(choices: Choices) -> list[str]:
    """The command of our MCP server, by words."""
    words = [interpreter(), "-P", "-m", "gemsearch", "mcp"]
    return [*words, "--db", choices.db] if choices.db else words


def interpreter() -> str:
    if not os.path.isabs(sys.executable or ""):
        raise BadConfiguration(
            "the path of this Python is unknown", hint="Run gemsearch by its full path."
        )
    return sys.executable


def is_hook(words: Sequence[object]) -> bool:
    return any(word == HOOK_MODULE or os.path.basename(str(word)) == HOOK_SCRIPT for word in words)


def is_server(words: Sequence[object]) -> bool:
    """Whether it is a command that `server` gives, of any interpreter and ledger."""
    return list(words[1:5]) == ["-P", "-m", "gemsearch", "mcp"]


def words_of(handler: object) -> list[str]:
    """The command of a hook handler or an MCP server, by words; none when it can't be told."""
    if not isinstance(handler, dict) or not isinstance(handler.get("command"), str):
        return []
    arguments = handler.get("args")
    if isinstance(arguments, list):
        return [handler["command"], *map(str, arguments)]
    try:
        return shlex.split(handler["command"])
    except ValueError:
        return []
