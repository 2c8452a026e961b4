"""Codex: PreToolUse, PostToolUse.

One field that its schema does not know makes a failed hook, and the tool runs; `{}` allows. What
blocks after the call replaces the results.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gemsearch.agents.adapters import claude_code
from gemsearch.agents.adapters.claude_code import event_of
from gemsearch.agents.event import REPLACE

if TYPE_CHECKING:
    from gemsearch.agents.event import Decision, Event

__all__ = ["answer_to", "event_of"]


def answer_to(decision: Decision, event: Event | None) -> str:
    if decision.kind == REPLACE:
        return json.dumps({"decision": "block", "reason": decision.text})
    return claude_code.answer_to(decision, event) or "{}"
