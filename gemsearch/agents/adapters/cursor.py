"""Cursor: beforeMCPExecution, afterMCPExecution. Its own web search reaches no hook.

`allow` is never sent: it might spare the person a question that Cursor would have asked. Nothing
that is said after a call is heard.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gemsearch.agents.event import AFTER, BEFORE, DENY, Event, text_of

if TYPE_CHECKING:
    from gemsearch.agents.event import Decision

PHASES = {"beforeMCPExecution": BEFORE, "afterMCPExecution": AFTER}


def event_of(payload: dict[str, object]) -> Event | None:
    phase = PHASES.get(text_of(payload, "hook_event_name"))
    if phase is None:
        return None
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return Event(
        phase,
        text_of(payload, "tool_name").removeprefix("MCP:"),
        payload.get("tool_input"),
        payload.get("result_json"),
        session=text_of(payload, "conversation_id"),
        project=text_of({"root": first}, "root"),
        # A server is told by how it is started, and then only ours must be known.
        server="gemsearch" if "gemsearch" in text_of(payload, "command") else "",
    )


def answer_to(decision: Decision, event: Event | None) -> str:
    if decision.kind != DENY or (event and event.phase != BEFORE):
        return "{}"
    return json.dumps(
        {
            "permission": "deny",
            "user_message": decision.text,
            "agent_message": decision.text,
        }
    )
