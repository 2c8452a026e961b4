"""Claude Code: PreToolUse, PostToolUse, PostToolUseFailure.

Its answers are checked against a schema, so nothing but known fields is sent; no output allows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

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

PHASES = {"PreToolUse": BEFORE, "PostToolUse": AFTER, "PostToolUseFailure": FAILED}


def event_of(payload: dict[str, object]) -> Event | None:
    phase = PHASES.get(text_of(payload, "hook_event_name"))
    if phase is None:
        return None
    server = payload.get("mcp_server")
    return Event(
        phase,
        text_of(payload, "tool_name"),
        payload.get("tool_input"),
        payload.get("tool_response"),
        call_id=text_of(payload, "tool_use_id"),
        session=text_of(payload, "session_id"),
        project=text_of(payload, "cwd"),
        server=text_of(server, "name") if isinstance(server, dict) else "",
    )


def answer_to(decision: Decision, event: Event | None) -> str:
    said = _said(decision, event)
    if not said:
        return ""
    after = event is not None and event.phase == AFTER
    name = "PostToolUse" if after else "PreToolUse"
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, **said}})


def _said(decision: Decision, event: Event | None) -> dict[str, object]:
    if decision.kind == DENY:
        return {"permissionDecision": "deny", "permissionDecisionReason": decision.text}
    if decision.kind == NOTE:
        return {"additionalContext": decision.text}
    if decision.kind == REPLACE and event:
        return {"updatedToolOutput": _in_the_shape_of(event.response, decision.text)}
    return {}


def _in_the_shape_of(response: object, text: str) -> object:
    """The text as the tool itself would have given it: another shape is rejected, and no answer."""
    block = {"type": "text", "text": text}
    if isinstance(response, list):
        return [block]
    if not isinstance(response, dict):
        return text
    if "results" in response:
        around = {name: value for name, value in response.items() if not isinstance(value, list)}
        return around | {"results": [text]}
    return {"content": [block]}
