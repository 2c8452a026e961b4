"""opencode, pi and omp: what our own shims send and understand.

A shim sends one object::

    {"agent": "opencode" | "pi" | "omp",
     "event": "pre" | "post" | "fail",
     "tool": NAME, "session": ID, "call_id": ID, "cwd": FOLDER,
     "input": the call's arguments,
     "details": what the tool gave besides its text (post), "text": its text (post),
     "error": TEXT (fail)}

Only event, tool and input must be there. The answer is one object with at most one key::

    {}                   go on
    {"deny": TEXT}       pre: do not run the tool, TEXT is the reason for the model
    {"note": TEXT}       pre, post: show TEXT to the model besides the results
    {"replace": TEXT}    post: show TEXT to the model instead of the results

Whatever else comes out (nothing, no JSON, another key, a time-out) means "go on".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gemsearch.agents.event import AFTER, ALLOW, BEFORE, FAILED, Event, text_of

if TYPE_CHECKING:
    from gemsearch.agents.event import Decision

PHASES = {"pre": BEFORE, "post": AFTER, "fail": FAILED}


def event_of(payload: dict[str, object]) -> Event | None:
    phase = PHASES.get(text_of(payload, "event"))
    if phase is None:
        return None
    # omp's details say that a search failed; its text alone may not.
    response = {name: payload[name] for name in ("details", "text") if payload.get(name)}
    return Event(
        phase,
        text_of(payload, "tool"),
        payload.get("input"),
        response,
        call_id=text_of(payload, "call_id"),
        session=text_of(payload, "session"),
        project=text_of(payload, "cwd"),
    )


def answer_to(decision: Decision, _: Event | None) -> str:
    return json.dumps({} if decision.kind == ALLOW else {decision.kind: decision.text})
