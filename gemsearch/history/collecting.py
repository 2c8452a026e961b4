"""Reads the chosen sources and counts each call once."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, NamedTuple, Self

from gemsearch.errors import WrongCall
from gemsearch.history.calls import Calls
from gemsearch.history.readers import READERS
from gemsearch.history.readers.base import Reading
from gemsearch.history.readers.files import mark_name
from gemsearch.toolcalls import names

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gemsearch.history.model import Mark, Skipped, Source
    from gemsearch.history.readers import Reader
    from gemsearch.history.readers.base import Call


class History(NamedTuple):
    """What was read. A context manager: leaving it frees the calls."""

    calls: Calls
    own: int  # calls of gemsearch itself, as a tool or a command
    fetches: int  # pages that agents fetched
    repeated: int  # times that a call was met again, in a fork or another source
    files: int  # read in this run; those that hadn't grown don't count
    bytes: int
    skipped: Counter[str]  # by reason
    places: tuple[Skipped, ...]  # the first few of each reason
    marks: dict[str, Mark]  # new or changed ones, by path as `history_files` keeps it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.calls.close()


def collected(
    sources: Iterable[Source],
    *,
    marks: Mapping[str, Mark] | None = None,
    searches: frozenset[str] = frozenset(),
    scripts: frozenset[str] = frozenset(),
    on_bytes: Callable[[int], None] | None = None,
) -> History:
    """Every search call in the sources, each once, the richest telling of it.

    A call is the same as another with the same agent, call id and topic, in the same session or at
    the same time (forks rewrite the session); without a call id, with the same agent, session,
    time and topic. Calls with neither id nor time are all different.

    `marks` are those of an earlier run: what was read then is not read again. `searches` and
    `scripts` are names of search tools and scripts that a person configured. `on_bytes` is told
    how many bytes were read since it was last told.

    Raises WrongCall for a reader that doesn't exist or a generic source described wrongly; what
    can't be read is counted in `skipped` instead.
    """
    reading = Reading(marks, searches, scripts, on_bytes)
    calls = Calls()
    try:
        for source in sources:
            for call in _calls_of(reading, source):
                calls.add(call)
    except BaseException:
        calls.close()
        raise
    return History(
        calls,
        calls.count(names.OWN),
        calls.count(names.FETCH),
        calls.repeated,
        reading.files,
        reading.bytes,
        reading.skipped,
        tuple(reading.places),
        reading.new_marks,
    )


def size_of(sources: Iterable[Source], marks: Mapping[str, Mark] | None = None) -> int:
    """How many bytes `collected` has before it, about: for a progress bar."""
    marks = marks or {}
    reading = Reading()
    total = 0
    for source in sources:
        for path in _reader(source).paths(reading, source.path):
            mark = marks.get(mark_name(path))
            try:
                size = os.path.getsize(path)
            except OSError:
                continue
            total += max(0, size - (mark.position if mark else 0))
    return total


def _calls_of(reading: Reading, source: Source) -> Iterator[Call]:
    reader = _reader(source)
    for path in reader.paths(reading, source.path):
        try:
            yield from reader.calls(reading, path, source.how)
        except (OSError, sqlite3.Error) as error:
            reading.skip(_reason(error), path)


def _reason(error: Exception) -> str:
    if not isinstance(error, sqlite3.Error):
        return "unreadable file"
    return "locked database" if "locked" in str(error) else "unreadable database"


def _reader(source: Source) -> Reader:
    try:
        return READERS[source.reader]
    except KeyError:
        raise WrongCall(
            f"there is no reader {source.reader!r}", hint=f"Readers: {', '.join(READERS)}."
        ) from None
