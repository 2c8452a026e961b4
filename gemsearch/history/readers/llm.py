"""The `llm` command line's `logs.db`: calls of tools, their results in a later response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.history.readers.base import Told, calls_of, instant, text
from gemsearch.history.readers.database import database_paths, opened_database
from gemsearch.toolcalls import answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemsearch.history.readers.base import Call, Reading
    from gemsearch.history.readers.database import Opened

NAME = "llm"


def paths(reading: Reading, root: str) -> Iterator[str]:
    return database_paths(reading, root, lambda name: name == "logs.db")


def calls(reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001 - one shape
    with opened_database(reading, path) as database:
        if database is None:
            return
        if not (database.columns("tool_calls") and database.columns("tool_results")):
            reading.skip("no table of tool calls", path)
            return
        yield from _calls_in(reading, database)


def _calls_in(reading: Reading, database: Opened) -> Iterator[Call]:
    failure = "tr.exception" if "exception" in database.columns("tool_results") else "NULL"
    last, waiting = database.after, None
    for row, name, arguments, call_id, session, time, output, broken in database.connection.execute(
        "SELECT tc.rowid, tc.name, tc.arguments, tc.tool_call_id, re.conversation_id,"
        f" re.datetime_utc, tr.output, {failure}"
        " FROM tool_calls AS tc LEFT JOIN responses AS re ON re.id = tc.response_id"
        " LEFT JOIN tool_results AS tr ON tr.rowid = (SELECT min(rowid) FROM tool_results"
        "   WHERE tool_call_id = tc.tool_call_id AND name = tc.name)"
        " WHERE tc.rowid > ? ORDER BY tc.rowid",
        (database.after,),
    ):
        last = row
        asked = reading.asked(text(name), arguments)
        if asked is not None and asked.topics:
            answer = answers.answer_of(output, failed=bool(broken))
            if answer.status == answers.MISSING and waiting is None:
                waiting = row
            told = Told(NAME, text(session), instant(time), None, NAME, database.place(row))
            yield from calls_of(asked, text(call_id), told, answer)
    database.mark(last if waiting is None else waiting - 1)
