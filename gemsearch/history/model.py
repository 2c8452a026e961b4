"""The values of the history: search calls, as agents' logs tell of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from gemsearch.toolcalls.answers import Answer


class SearchCall(NamedTuple):
    """One topic of one search call. A call with several topics is several of these."""

    agent: str  # as hooks name it: claude-code, codex, gemini, opencode, pi, omp, copilot ...
    session: str
    call_id: str  # may recur in other sessions and files; "" when the log has none
    topic: str  # raw text
    answer: Answer  # of the whole call
    time: datetime | None = None  # UTC; None when the log tells none
    project: str | None = None  # the working folder, as gems keep it
    topic_no: int = 0
    source: str = ""  # the reader: claude-code, agentsview ...
    place: str = ""  # file:line or database:row, for messages


class Skipped(NamedTuple):
    """Something that was not read, counted and never fatal."""

    reason: str  # bad line, unfinished line, line too long, unreadable file ...
    place: str
