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
    place: str = ""  # file:byte or database:row, for messages


class OtherCall(NamedTuple):
    """A call that is only counted: a page that was fetched, or gemsearch itself at work."""

    kind: str  # toolcalls.names.FETCH or OWN
    agent: str
    session: str
    call_id: str
    topic: str  # the address of a fetch, the topic of a call of ours
    time: datetime | None = None


class Source(NamedTuple):
    """Where to read: a folder, a file or a database, and the reader for it.

    `how` is for the generic readers only: the SQL query of `sql`, the field names of `jsonl`
    (`topic=query,urls=links,session=chat,time=ts`).
    """

    reader: str
    path: str
    how: str = ""


class Mark(NamedTuple):
    """How far a file was read, so that a second run reads only what is new.

    `position` is the byte after the last line that need not be read again (a call without its
    result is read again), or the highest row. `fingerprint` tells a grown log from a new one of
    the same name, and whether it grew at all.
    """

    position: int
    fingerprint: str


class Skipped(NamedTuple):
    """Something that was not read, counted and never fatal."""

    reason: str  # bad line, line too long, unreadable ...
    place: str
