"""What agents tell their hooks, and what hooks answer, in one neutral form."""

from __future__ import annotations

from typing import NamedTuple

BEFORE, AFTER, FAILED = "before", "after", "failed"
ALLOW, DENY, NOTE, REPLACE = "allow", "deny", "note", "replace"

UNCHECKED = (
    "gemsearch could not check this search just now, and lets none pass unchecked. Go on with what"
    " is known, or try again later. `gemsearch doctor` shows the reason."
)

_LONGEST_NAME = 500  # characters of a session, a call or a folder


class Event(NamedTuple):
    """A tool call before it runs, after it ran, or after it failed.

    `server` is the MCP server where the agent names it apart. `response` is the answer in the
    agent's own shape; an agent without an event for failures sets `failed`. What the agent does not
    tell is empty.
    """

    phase: str
    tool: str
    arguments: object
    response: object = None
    failed: bool = False
    call_id: str = ""
    session: str = ""
    project: str = ""
    server: str = ""
    agent: str = ""


class Decision(NamedTuple):
    """ALLOW; DENY the call; add a NOTE for the model; REPLACE the results by the text."""

    kind: str = ALLOW
    text: str = ""


def text_of(payload: dict[str, object], *names: str) -> str:
    """The first of these fields that is text; "" where none is."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str):
            return value[:_LONGEST_NAME]
    return ""
