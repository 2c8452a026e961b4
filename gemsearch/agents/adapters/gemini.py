"""Gemini CLI: BeforeTool, AfterTool. Its calls have no number, and failures are answers.

A note has no way to the model before a call. What is denied after a call is replaced by the
reason. `continue` is never sent: false would end the agent's loop.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gemsearch.agents.event import (
    AFTER,
    BEFORE,
    DENY,
    NOTE,
    REPLACE,
    Event,
    text_of,
)

if TYPE_CHECKING:
    from gemsearch.agents.event import Decision

PHASES = {"BeforeTool": BEFORE, "AfterTool": AFTER}


def event_of(payload: dict[str, object]) -> Event | None:
    phase = PHASES.get(text_of(payload, "hook_event_name"))
    if phase is None:
        return None
    response = payload.get("tool_response")
    context = payload.get("mcp_context")
    known = context if isinstance(context, dict) else {}
    return Event(
        phase,
        text_of(payload, "tool_name"),
        payload.get("tool_input"),
        response,
        failed=isinstance(response, dict) and bool(response.get("error")),
        session=text_of(payload, "session_id"),
        project=text_of(payload, "cwd"),
        server=text_of(known, "server_name"),
    )


def answer_to(decision: Decision, event: Event | None) -> str:
    if decision.kind in {DENY, REPLACE}:
        return json.dumps({"decision": "deny", "reason": decision.text})
    if decision.kind == NOTE and event and event.phase == AFTER:
        added = {"hookEventName": "AfterTool", "additionalContext": decision.text}
        return json.dumps({"hookSpecificOutput": added})
    return ""
