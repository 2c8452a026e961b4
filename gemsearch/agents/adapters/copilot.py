"""Copilot CLI: preToolUse, postToolUse, postToolUseFailure of function and MCP tools.

Its payloads have no number of the call and, in their own form, no name of the event; in the form
that VS Code shares they have one. A hook that fails in preToolUse denies the call.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gemsearch.agents.adapters.claude_code import PHASES
from gemsearch.agents.event import (
    AFTER,
    BEFORE,
    DENY,
    FAILED,
    NOTE,
    REPLACE,
    Event,
    text_of,
)

if TYPE_CHECKING:
    from gemsearch.agents.event import Decision


def event_of(payload: dict[str, object]) -> Event | None:
    phase = _phase(payload)
    if phase is None:
        return None
    return Event(
        phase,
        text_of(payload, "toolName", "tool_name"),
        payload.get("toolArgs", payload.get("tool_input")),
        payload.get("toolResult", payload.get("tool_result")),
        session=text_of(payload, "sessionId", "session_id"),
        project=text_of(payload, "cwd", "workingDirectory"),
    )


def answer_to(decision: Decision, event: Event | None) -> str:
    said: dict[str, object] = {}
    if decision.kind == DENY:
        said = {"permissionDecision": "deny", "permissionDecisionReason": decision.text}
    elif decision.kind == REPLACE:
        said = {"modifiedResult": {"resultType": "success", "textResultForLlm": decision.text}}
    elif decision.kind == NOTE and event and event.phase == AFTER:
        said = {"additionalContext": decision.text}
    return json.dumps(said)


def _phase(payload: dict[str, object]) -> str | None:
    if "hook_event_name" in payload:
        return PHASES.get(text_of(payload, "hook_event_name"))
    if "toolName" not in payload:
        return None
    if "toolResult" in payload:
        return AFTER
    return FAILED if "error" in payload else BEFORE
