"""The agents that gemsearch can be put in front of: which files, which entries, what to tell.

Matchers decide for which tools an agent starts Python at all, so they are as narrow as a name
allows: an agent's own search tool, and tools of MCP servers whose name has `search` in it, which
every web search has that the hook knows (`toolcalls.names`). The hook decides by the rest of the
name. Where the expression language can say so, gemsearch's own tools are left out.
"""

from __future__ import annotations

import os
import re
import shlex
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.agents.installing import codex_toml, commands, entries, hooks, places, servers, shim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gemsearch.agents.installing.commands import Choices
    from gemsearch.agents.installing.entries import Entry, Finder

HOOK_SECONDS = 10  # the hook itself ends within 2; starting Python on a busy machine comes on top

# The servers' separators differ from agent to agent.
_CLAUDE = ("WebSearch", r"mcp__(?!(?:plugin_gemsearch_)?gemsearch__).*[Ss]earch.*")
_GEMINI = ("google_web_search", r"mcp_(?!gemsearch_).*[Ss]earch.*")
# A language without lookahead. Under which name a hook sees Codex' own `web.run` is not known.
_CODEX = (r"web[._]{0,2}run", r"mcp__.*[Ss]earch.*")


class Wish(NamedTuple):
    """`project` is the project's folder, "" for the user's own configuration."""

    project: str
    choices: Choices
    mediate: bool = False


class Part(NamedTuple):
    """One file. The functions are pure: from its text to its text.

    `added` and `removed` also take the text from before the first install, None if it isn't known.
    They raise NotJson, TOMLDecodeError or Unfit.
    """

    path: str
    added: Callable[[str, str | None], str]
    removed: Callable[[str, str | None], str]
    found: Callable[[str], list[list[str]]]  # our commands that stand in it, by words
    whole: bool = False  # the file is ours alone
    begun: bool = True  # False: brought up to date where it stands already, never begun


class Agent(NamedTuple):
    title: str
    parts: Callable[[Wish], list[Part]]
    remarks: Callable[[Wish], tuple[str, ...]]  # what a person must know or do after `install`
    gated: bool = True  # has hooks; False: our MCP server only


def _matcher(patterns: Sequence[str], choices: Choices) -> str:
    """One anchored expression: letters, `_` and `|` alone would be a list of exact names."""
    named = [re.escape(tool) for tool in sorted(choices.tools)]
    return f"^(?:{'|'.join((*patterns, *named))})$"


def _hooks_part(path: str, wanted: Sequence[Entry]) -> Part:
    return _json_part(path, wanted, hooks.ours, hooks.found)


def _json_part(
    path: str, wanted: Sequence[Entry], ours: Finder, found: Callable[[str], list[list[str]]]
) -> Part:
    return Part(
        path,
        lambda text, before: entries.added(text, wanted, ours, before),
        lambda text, before: entries.removed(text, ours, before),
        found,
    )


def _claude_code(wish: Wish) -> list[Part]:
    # settings.local.json is a person's own: the path of an interpreter is nothing to commit.
    path = _path(wish, places.claude_code, ".claude", "settings.json", "settings.local.json")
    words = commands.hook("claude-code", wish.choices)
    handler = {
        "type": "command",
        "command": words[0],
        "args": words[1:],
        "timeout": HOOK_SECONDS,
    }
    events = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
    return [_hooks_part(path, hooks.groups(events, _matcher(_CLAUDE, wish.choices), handler))]


def _gemini(wish: Wish) -> list[Part]:
    handler = {
        "type": "command",
        "command": shlex.join(commands.hook("gemini", wish.choices)),
        "name": "gemsearch",
        "timeout": HOOK_SECONDS * 1000,  # milliseconds, unlike everywhere else
    }
    path = _path(wish, places.gemini, ".gemini", "settings.json")
    matcher = _matcher(_GEMINI, wish.choices)
    return [_hooks_part(path, hooks.groups(("BeforeTool", "AfterTool"), matcher, handler))]


def _codex(wish: Wish) -> list[Part]:
    handler = {
        "type": "command",
        "command": shlex.join(commands.hook("codex", wish.choices)),
        "timeout": HOOK_SECONDS,
    }
    matcher = _matcher(_CODEX, wish.choices)
    groups = hooks.groups(("PreToolUse", "PostToolUse"), matcher, handler)
    path = _path(wish, places.codex, ".codex", "hooks.json")
    words = commands.server(wish.choices)
    toml = Part(
        _path(wish, places.codex, ".codex", "config.toml"),
        lambda text, before: codex_toml.added(text, words, before),
        codex_toml.removed,
        codex_toml.found,
        begun=wish.mediate,
    )
    return [_hooks_part(path, groups), toml]


def _shim(agent: str, place: Callable[[], str], folder: str, within: str, wish: Wish) -> list[Part]:
    words = commands.hook(agent, wish.choices)
    return [
        Part(
            _path(wish, place, folder, os.path.join(within, "gemsearch.ts")),
            lambda text, _before: shim.added(text, agent, words, wish.choices.tools),
            lambda text, _before: "" if shim.is_ours(text) else text,
            shim.found,
            whole=True,
        )
    ]


def _server(
    place: Callable[[], str],
    folder: str,
    names: tuple[str, ...],
    fields: Mapping[str, object],
    wish: Wish,
) -> list[Part]:
    entry = servers.entry(commands.server(wish.choices), fields)
    return [_json_part(_path(wish, place, folder, *names), [entry], servers.ours, servers.found)]


def _path(wish: Wish, place: Callable[[], str], folder: str, name: str, local: str = "") -> str:
    """`local` is the name in a project where it differs."""
    if wish.project:
        return os.path.join(wish.project, folder, local or name)
    return os.path.join(place(), name)


_RESTART = "A session that is open now reads it when it is started anew."
_MCP_ONLY = (
    "Its built-in web search runs at the vendor's and can't be gated: no hook sees it. What is set"
    " up is gemsearch's MCP server; tell the agent to search with it (docs/agents.md)."
)
_REVIEW = (
    "Codex skips hooks until you have reviewed them: start Codex and type /hooks. It asks again"
    " after each change of the command."
)
_HOSTED = (
    "Codex' built-in web search runs at the vendor's and can't be hooked: the hooks see searches"
    " by MCP servers only. --mediate switches it off and gemsearch's MCP server on instead."
)
_MEDIATED = (
    "Codex' built-in web search, which can't be hooked, is switched off: it searches with"
    " gemsearch's MCP server now."
)


_IN_A_PROJECT = (
    "Agents read a folder's configuration when they trust the folder. The file names this machine's"
    " Python: keep it out of version control."
)


def _saying(*remarks: str) -> Callable[[Wish], tuple[str, ...]]:
    return lambda wish: (*remarks, _IN_A_PROJECT) if wish.project else remarks


def _codex_remarks(wish: Wish) -> tuple[str, ...]:
    return _saying(_REVIEW, _MEDIATED if wish.mediate else _HOSTED)(wish)


AGENTS: Mapping[str, Agent] = {
    "claude-code": Agent("Claude Code", _claude_code, _saying(_RESTART)),
    "codex": Agent("Codex", _codex, _codex_remarks),
    "gemini": Agent("Gemini CLI", _gemini, _saying(_RESTART)),
    "opencode": Agent(
        "opencode",
        partial(_shim, "opencode", places.opencode, ".opencode", "plugins"),
        _saying(_RESTART),
    ),
    "pi": Agent("pi", partial(_shim, "pi", places.pi, ".pi", "extensions"), _saying(_RESTART)),
    "omp": Agent(
        "oh-my-pi", partial(_shim, "omp", places.omp, ".omp", "extensions"), _saying(_RESTART)
    ),
    "copilot": Agent(
        "Copilot CLI",
        partial(
            _server,
            places.copilot,
            ".github",
            ("mcp-config.json", "mcp.json"),
            {"type": "local", "tools": ["*"]},
        ),
        _saying(_MCP_ONLY),
        gated=False,
    ),
    "cursor": Agent(
        "Cursor",
        partial(_server, places.cursor, ".cursor", ("mcp.json",), {"type": "stdio"}),
        _saying(_MCP_ONLY),
        gated=False,
    ),
}
