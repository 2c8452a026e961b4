"""Who calls: the agent, its conversation and its call, as far as the client tells. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.text import clean_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_NAME = 128

# Names that clients give themselves when they connect, and the names that hooks and history use.
_AGENTS = {
    "claude-code": "claude-code",
    "codex-mcp-client": "codex",
    "gemini-cli-mcp-client": "gemini",
    "opencode": "opencode",
    "omp-coding-agent": "omp",
    "github-copilot-developer": "copilot",
    "cursor-vscode": "cursor",
}
# Claude Code tells a server its session in the environment, Codex in each call.
_SESSION_VARIABLES = {"claude-code": "CLAUDE_CODE_SESSION_ID"}
_SESSION_KEYS = {"codex": "sessionId"}
_CALL_KEYS = {"claude-code": "claudecode/toolUseId", "codex": "callId"}


def agent_named(client: str) -> str | None:
    """Our name for a client, or its own where we have none."""
    name = _name(client)
    # Older Gemini CLIs append the name under which the server is configured.
    return _AGENTS.get((name or "").removesuffix("-gemsearch"), name)


def session_of(
    agent: str | None, meta: Mapping[str, object], environment: Mapping[str, str]
) -> str | None:
    """The conversation that a call belongs to, if the client tells."""
    told = _name(meta.get(_SESSION_KEYS.get(agent or "", "")))
    return told or _name(environment.get(_SESSION_VARIABLES.get(agent or "", "")))


def call_id_of(agent: str | None, meta: Mapping[str, object]) -> str | None:
    """The agent's own number of a call, if the client tells."""
    return _name(meta.get(_CALL_KEYS.get(agent or "", "")))


def project_in(folder: str, home: str) -> str | None:
    """The folder a server was started in, where that says anything about the work."""
    return None if folder in {"", "/", home} else folder


def _name(told: object) -> str | None:
    if not isinstance(told, str):
        return None
    return clean_line(told, _LONGEST_NAME) or None
