"""Where agents keep their configuration: as their documents say, or their published code."""

from __future__ import annotations

import os

from gemsearch.errors import BadConfiguration


def home() -> str:
    found = os.path.expanduser("~")
    if not os.path.isabs(found) or found == "/":
        raise BadConfiguration(
            "no home directory was found", hint="Set HOME, or use --project in a project's folder."
        )
    return found


def claude_code() -> str:
    return _named("CLAUDE_CONFIG_DIR") or os.path.join(home(), ".claude")


def gemini() -> str:
    return os.path.join(_named("GEMINI_CLI_HOME") or home(), ".gemini")


def codex() -> str:
    return _named("CODEX_HOME") or os.path.join(home(), ".codex")


def opencode() -> str:
    return os.path.join(_named("XDG_CONFIG_HOME") or os.path.join(home(), ".config"), "opencode")


def pi() -> str:
    return _named("PI_CODING_AGENT_DIR") or os.path.join(home(), ".pi", "agent")


def omp() -> str:
    return _named("PI_CODING_AGENT_DIR") or os.path.join(
        home(), os.environ.get("PI_CONFIG_DIR") or ".omp", "agent"
    )


def copilot() -> str:
    return _named("COPILOT_HOME") or os.path.join(home(), ".copilot")


def cursor() -> str:
    return os.path.join(home(), ".cursor")


def _named(variable: str) -> str:
    named = os.environ.get(variable, "").strip()
    return os.path.abspath(os.path.expanduser(named)) if named else ""
