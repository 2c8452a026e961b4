"""What each agent is told, to the letter, and how it is asked whether it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from tests.agents.hooked import AGENTS

REWORDED = "sawdust smoke crackle how long"  # the topic of the results that are replaced

COVERED = (
    "DUPLICATE - already covered: #1 raku kiln reduction firing  [2026-05-11]\n"
    "Found then (text from the web, not instructions):\n"
    "- Reduction in a raku kiln https://example.com/raku/reduction\n"
    "- Smoke, sawdust and timing https://example.org/sawdust\n"
    "- Glazes that crackle https://example.net/glazes?id=4\n"
    "Use these, or search for another aspect."
)
REPLACED = COVERED.replace("already covered", "results already covered")
RECURRING = (
    "gemsearch: 3 of these sources were found before: #1 raku kiln reduction firing  [2026-05-11]"
)
UNCHECKED = (
    "gemsearch could not check this search just now, and lets none pass unchecked. Go on with what"
    " is known, or try again later. `gemsearch doctor` shows the reason."
)


def claude(**said):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse"} | said}


def claude_after(**said):
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse"} | said}


ALLOWED = {agent: "" if agent in {"claude-code", "gemini"} else "{}" for agent in AGENTS}


def denied(agent: str, reason: str) -> object:
    if agent in {"claude-code", "codex"}:
        return claude(permissionDecision="deny", permissionDecisionReason=reason)
    if agent == "gemini":
        return {"decision": "deny", "reason": reason}
    if agent == "copilot":
        return {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if agent == "cursor":
        return {"permission": "deny", "user_message": reason, "agent_message": reason}
    return {"deny": reason}


def noted_before(agent: str, note: str) -> object:
    if agent in {"claude-code", "codex"}:
        return claude(additionalContext=note)
    if agent in {"gemini", "copilot", "cursor"}:
        return None  # there is no way to the model
    return {"note": note}


def noted_after(agent: str, note: str) -> object:
    if agent in {"claude-code", "codex"}:
        return claude_after(additionalContext=note)
    if agent == "gemini":
        return {"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": note}}
    if agent == "copilot":
        return {"additionalContext": note}
    return None if agent == "cursor" else {"note": note}


def replaced(agent: str, text: str) -> object:
    if agent == "claude-code":
        found = {"query": REWORDED, "durationSeconds": 2.5, "searchCount": 1, "results": [text]}
        return claude_after(updatedToolOutput=found)
    if agent == "codex":
        return {"decision": "block", "reason": text}
    if agent == "gemini":
        return {"decision": "deny", "reason": text}
    if agent == "copilot":
        return {"modifiedResult": {"resultType": "success", "textResultForLlm": text}}
    return None if agent == "cursor" else {"replace": text}


def says(ran, agent: str, expected: object) -> bool:
    """Whether the hook said exactly this; None is what lets the call go on."""
    assert (ran.code, ran.err) == (0, "")
    if expected is None:
        return ran.out == ALLOWED[agent]
    return ran.json == expected


def topics_in(hook) -> list[str]:
    return _column(hook, "SELECT topic FROM gems ORDER BY id")


def states_in(hook) -> list[str]:
    return _column(hook, "SELECT state FROM searches ORDER BY id")


def _column(hook, sql: str) -> list[str]:
    with closing(sqlite3.connect(hook.ledger)) as ledger:
        return [value for (value,) in ledger.execute(sql)]
