"""opencode: the table `part` of its database, or in older versions a file for each part.

A part holds a whole tool call with its state. A call to a tool that doesn't exist is kept under
the name `invalid`.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from gemsearch.history.model import Mark
from gemsearch.history.readers.base import MISSING, Told, calls_of, instant, mapping, text
from gemsearch.history.readers.database import database_paths, opened_database
from gemsearch.history.readers.files import mark_name, small_document, walk
from gemsearch.toolcalls import answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gemsearch.history.readers.base import Call, Reading
    from gemsearch.history.readers.database import Opened
    from gemsearch.toolcalls.answers import Answer

NAME = "opencode"

_DONE = {"completed": False, "error": True}  # whether the call failed


def paths(reading: Reading, root: str) -> Iterator[str]:
    parts = os.path.join(root, "storage", "part")
    if not os.path.isdir(root) or os.path.basename(os.path.realpath(root)) == "part":
        yield root
        return
    yield from database_paths(
        reading, root, lambda name: name.startswith("opencode") and name.endswith(".db")
    )
    if os.path.isdir(parts):
        yield parts


def calls(reading: Reading, path: str, how: str = "") -> Iterator[Call]:  # noqa: ARG001 - one shape
    if os.path.isdir(path):
        yield from _calls_in_files(reading, path)
        return
    with opened_database(reading, path) as database:
        if database is not None:
            yield from _calls_in_database(reading, database)


def _calls_in_database(reading: Reading, database: Opened) -> Iterator[Call]:
    """Parts change until their call is done, so the mark is the time of the last change."""
    columns = database.columns("part")
    if not {"data", "session_id"} <= columns:
        reading.skip("no table of parts", database.path)
        return

    def is_wanted(part: bytes | None) -> bool:
        part = part or b""
        return b'"tool"' in part and reading.hint.search(part) is not None

    database.connection.create_function("is_wanted", 1, is_wanted)
    statement = _statement(columns, database.columns("session"))
    last = database.after
    for row, part, session, created, folder, changed in database.connection.execute(
        statement, {"after": database.after}
    ):
        last = max(last, changed if isinstance(changed, int) else 0)
        place = database.place(row)
        told = Told(NAME, text(session), instant(created), text(folder) or None, NAME, place)
        try:
            found = mapping(json.loads(part))
        except (ValueError, RecursionError):
            reading.skip("bad row", place)
            continue
        yield from _calls_in(reading, found, told)
    database.mark(last)


def _statement(parts: frozenset[str], sessions: frozenset[str]) -> str:
    """The query for what this database has; what it lacks is NULL."""
    changed = "coalesce(pa.time_updated, 0)" if "time_updated" in parts else "0"
    created = "pa.time_created" if "time_created" in parts else "NULL"
    folder, join = "NULL", ""
    if {"id", "directory"} <= sessions:
        folder, join = "se.directory", " LEFT JOIN session AS se ON se.id = pa.session_id"
    return (
        f"SELECT pa.rowid, pa.data, pa.session_id, {created}, {folder}, {changed}"
        f" FROM part AS pa{join} WHERE ({changed} >= :after OR {changed} = 0)"
        " AND is_wanted(CAST(pa.data AS BLOB)) ORDER BY pa.rowid"
    )


def _calls_in_files(reading: Reading, root: str) -> Iterator[Call]:
    """One mark for the folder: thousands of files would make thousands of marks."""
    mark = reading.marks.get(mark_name(root))
    after = mark.position if mark else -1
    last = after
    folders = _Folders(os.path.join(os.path.dirname(root), "session"))
    for path in walk(reading, root, lambda path: path.endswith(".json")):
        changed = os.stat(path, follow_symlinks=False).st_mtime_ns
        if changed < after:
            continue
        last = max(last, changed)
        found = small_document(reading, path)
        if found.get("type") == "tool":
            session = text(found.get("sessionID"))
            told = Told(NAME, session, None, folders.of(reading, session), NAME, path)
            yield from _calls_in(reading, found, told)
    reading.new_marks[mark_name(root)] = Mark(last, "folder")


class _Folders:
    """The working folder of a session, which a file of its own tells."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._files: dict[str, str] | None = None
        self._known: dict[str, str | None] = {}

    def of(self, reading: Reading, session: str) -> str | None:
        if session not in self._known:
            if self._files is None:
                files = walk(reading, self._root, lambda path: path.endswith(".json"))
                self._files = {os.path.basename(path)[:-5]: path for path in files}
            path = self._files.get(session)
            found = small_document(reading, path) if path else {}
            self._known[session] = text(found.get("directory")) or None
        return self._known[session]


def _calls_in(reading: Reading, part: Mapping[str, object], told: Told) -> Iterator[Call]:
    state = mapping(part.get("state"))
    asked = reading.asked(text(part.get("tool")), state.get("input"))
    if asked is None:
        return
    if not asked.topics:
        reading.skip("search without a topic", told.place)
        return
    began = instant(mapping(state.get("time")).get("start"))
    told = told._replace(time=began or told.time)
    yield from calls_of(asked, text(part.get("callID")), told, _answer(state))


def _answer(state: Mapping[str, object]) -> Answer:
    failed = _DONE.get(text(state.get("status")))
    if failed is None:
        return MISSING
    return answers.answer_of(state.get("error" if failed else "output"), failed=failed)
