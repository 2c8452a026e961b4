"""The calls that were found, each once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.model import Result
from gemsearch.history.model import SearchCall
from gemsearch.history.readers.base import richer
from gemsearch.toolcalls import names
from gemsearch.toolcalls.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemsearch.history.model import OtherCall

_NEAR = 1.0  # seconds
_NO_TIME = float("inf")
_MIXED = {names.OWN, names.SEARCH}


class _Kept(NamedTuple):
    number: int
    kind: str
    at: float
    session: str


class Calls:
    """The search calls found, each once, ordered by time; those without a time come last.

    Can be iterated any number of times and has a length. Calls are kept in a temporary database
    that nobody else can open, so that a large history needs little memory; close() frees it.
    """

    def __init__(self) -> None:
        self.repeated = 0
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.executescript(
            "CREATE TABLE call (number INTEGER PRIMARY KEY, key INTEGER NOT NULL,"
            " kind TEXT NOT NULL, at REAL NOT NULL, session TEXT NOT NULL, body TEXT NOT NULL);"
            "CREATE INDEX call_key ON call (key);"
            "CREATE INDEX call_at ON call (kind, at);"
            "BEGIN"
        )

    def __len__(self) -> int:
        return self.count(names.SEARCH)

    def __iter__(self) -> Iterator[SearchCall]:
        for (body,) in self._connection.execute(
            "SELECT body FROM call WHERE kind = ? ORDER BY at, number", (names.SEARCH,)
        ):
            yield _call_from(body)

    def count(self, kind: str) -> int:
        """How many calls there are of names.SEARCH, FETCH or OWN."""
        counted = self._connection.execute("SELECT count(*) FROM call WHERE kind = ?", (kind,))
        return int(counted.fetchone()[0])

    def close(self) -> None:
        self._connection.close()

    def add(self, call: SearchCall | OtherCall) -> None:
        """Keeps a call, or adds what it tells to the same call that is kept already."""
        kind = names.SEARCH if isinstance(call, SearchCall) else call.kind
        key = _key(call)
        at = _seconds(call)
        session = _ascii(call.session)
        kept = self._same(key, kind, at, session)
        if kept is None:
            self._connection.execute(
                "INSERT INTO call (key, kind, at, session, body) VALUES (?, ?, ?, ?, ?)",
                (key, kind, at, session, _body(call) if isinstance(call, SearchCall) else ""),
            )
            return
        self.repeated += 1
        if kind == names.OWN and kept.kind != names.OWN:
            self._connection.execute(
                "UPDATE call SET kind = ?, body = '' WHERE number = ?", (kind, kept.number)
            )
        elif isinstance(call, SearchCall) and kept.kind == names.SEARCH:
            self._enrich(kept, call)

    def _same(self, key: int, kind: str, at: float, session: str) -> _Kept | None:
        """The kept call that is this one, told again.

        Ids recur in other sessions, so the session or the time must agree as well: a fork has
        another session and the old times.
        """
        for row in self._connection.execute(
            "SELECT number, kind, at, session FROM call WHERE key = ? ORDER BY number", (key,)
        ):
            kept = _Kept(*row)
            near = _NO_TIME in {at, kept.at} or abs(at - kept.at) <= _NEAR
            one_kind = kept.kind == kind or {kept.kind, kind} == _MIXED
            if one_kind and (near or kept.session == session):
                return kept
        return None

    def _enrich(self, kept: _Kept, call: SearchCall) -> None:
        row = self._connection.execute("SELECT body FROM call WHERE number = ?", (kept.number,))
        old = _call_from(row.fetchone()[0])
        best = richer(old.answer, call.answer)
        told = call if best is call.answer and best != old.answer else old
        new = old._replace(
            answer=best,
            time=old.time or call.time,
            project=old.project or call.project,
            session=old.session or call.session,
            source=told.source,
            place=told.place,
        )
        if new != old:
            self._connection.execute(
                "UPDATE call SET body = ?, at = ? WHERE number = ?",
                (_body(new), _seconds(new), kept.number),
            )


def _key(call: SearchCall | OtherCall) -> int:
    if call.call_id:
        parts = [call.agent, call.call_id, call.topic]
    elif call.time:
        parts = [call.agent, call.session, call.time.isoformat(), call.topic, "by time"]
    else:  # nothing tells two calls apart but where they stand
        place = call.place if isinstance(call, SearchCall) else ""
        parts = [call.agent, call.session, place, call.topic, "by place"]
    digest = hashlib.blake2b(json.dumps(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _seconds(call: SearchCall | OtherCall) -> float:
    return call.time.timestamp() if call.time else _NO_TIME


def _ascii(text: str) -> str:
    """Half of a surrogate pair, which JSON can hold, is no text for SQLite."""
    return text.encode("utf-8", "backslashreplace").decode()


def _body(call: SearchCall) -> str:
    values: dict[str, object] = call._asdict()
    values["answer"] = [call.answer.status, [list(result) for result in call.answer.results]]
    values["time"] = call.time.isoformat() if call.time else None
    return json.dumps(values)


def _call_from(body: str) -> SearchCall:
    values = json.loads(body)
    status, rows = values["answer"]
    values["answer"] = Answer(status, tuple(Result(*row) for row in rows))
    values["time"] = values["time"] and datetime.fromisoformat(values["time"])
    return SearchCall(**values)
