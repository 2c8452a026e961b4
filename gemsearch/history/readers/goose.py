"""Goose's `sessions.db`: a message holds requests for tools, a later one their responses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gemsearch.history.readers.base import Pairing, Told, instant, listed, mapping, text
from gemsearch.history.readers.database import database_paths, opened_database
from gemsearch.toolcalls import answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.history.readers.base import Call, Reading
    from gemsearch.history.readers.database import Opened

NAME = "goose"


def paths(reading: Reading, root: str) -> Iterator[str]:
    return database_paths(reading, root, lambda name: name == "sessions.db")


def calls(reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001 - one shape
    with opened_database(reading, path) as database:
        if database is None:
            return
        columns = database.columns("messages")
        if not {"session_id", "content_json", "created_timestamp"} <= columns:
            reading.skip("no table of messages", path)
            return
        yield from _calls_in(reading, database)


def _calls_in(reading: Reading, database: Opened) -> Iterator[Call]:
    has_folders = {"id", "working_dir"} <= database.columns("sessions")
    folder = "se.working_dir" if has_folders else "NULL"
    join = "LEFT JOIN sessions AS se ON se.id = me.session_id" if has_folders else ""
    waiting = Pairing(reading)
    last = database.after
    for row, session, content, time, project in database.connection.execute(
        f"SELECT me.rowid, me.session_id, me.content_json, me.created_timestamp, {folder}"
        f" FROM messages AS me {join} WHERE me.rowid > ?"
        " AND (instr(me.content_json, 'toolRe') > 0) ORDER BY me.rowid",
        (database.after,),
    ):
        last = row
        place = database.place(row)
        told = Told(NAME, text(session), instant(time), text(project) or None, NAME, place, row)
        try:
            blocks = listed(json.loads(content))
        except (ValueError, RecursionError):
            reading.skip("bad row", place)
            continue
        for block in map(mapping, blocks):
            yield from _taken(block, waiting, told)
    yield from waiting.rest()
    first = waiting.first_start()
    database.mark(last if first is None else first - 1)


def _taken(block: Mapping[str, object], waiting: Pairing, told: Told) -> Iterator[Call]:
    call_id = f"{text(block.get('id'))}"
    if block.get("type") == "toolRequest":
        call = mapping(mapping(block.get("toolCall")).get("value"))
        yield from waiting.ask(call_id, text(call.get("name")), call.get("arguments"), told)
    elif block.get("type") == "toolResponse":
        result = mapping(block.get("toolResult"))
        failed = result.get("status") == "error"
        answer = answers.answer_of(result.get("error" if failed else "value"), failed=failed)
        yield from waiting.answer(call_id, answer)
