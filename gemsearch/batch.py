"""Many topics in a row, decided exactly as if proposed one by one.

The ledger's topics are read into memory once. What is written meanwhile, by us or by others, is
taken in before the next topic is judged.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch import asking, novelty
from gemsearch.core.model import Caller
from gemsearch.errors import BadTopic, SecretInTopic, WrongCall
from gemsearch.ledger.candidates import wordings_in_ledger
from gemsearch.ledger.connection import read_snapshot, write_transaction
from gemsearch.ledger.memory import Memory
from gemsearch.ledger.settings import read
from gemsearch.ledger.snapshot import Snapshot
from gemsearch.ledger.times import iso

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from gemsearch.core.model import Stored, Verdict
    from gemsearch.core.profiles import Profile
    from gemsearch.core.query_gate import Candidates
    from gemsearch.core.signature import Topic
    from gemsearch.errors import GemsearchError

LONGEST_LINE = 20_000_000
TOGETHER = 200  # lines of one transaction: others wait for the lock no longer than that


def lines_of(file: TextIO) -> Iterator[str]:
    """The lines of a text file. Raises WrongCall for one without end, as a device may send."""
    number = 1
    while text := file.readline(LONGEST_LINE):
        if len(text) == LONGEST_LINE and not text.endswith("\n"):
            raise WrongCall(f"line {number} has no end within {LONGEST_LINE:,} characters")
        yield text
        number += 1


def check_lines(
    connection: sqlite3.Connection,
    texts: Iterable[str],
    now: datetime,
    profile: str | None = None,
) -> Iterator[tuple[str, Verdict | GemsearchError]]:
    """The topic of each line, and what the query gate says of it. Nothing is written.

    A line is a JSON object with a topic. What is no topic gives its error.
    """
    with read_snapshot(connection):
        known = Known(connection, now, profile)
        for _, line in parsed(texts):
            topic = _text(line, "topic") or ""
            try:
                proposal = asking.Proposal(asking.accepted(topic), _caller(line), profile)
                yield topic, asking.checked(known.snapshot(now), proposal)
            except (BadTopic, SecretInTopic) as error:
                yield topic, error


def propose(
    connection: sqlite3.Connection,
    numbered: Iterable[tuple[int, dict[str, Any]]],
    now: datetime,
    profile: str | None = None,
) -> Counter[str]:
    """Propose every line that has a topic and results; gives the number of lines by outcome.

    Lines come as `parsed` gives them. A line's own time, agent, session, project and provider are
    kept. Lines of an export that are not gems are left out; topics that no gate would take are
    skipped and counted.
    """
    outcomes: Counter[str] = Counter()
    known: Known | None = None
    for lines, error in _chunks(numbered, now, profile):
        with write_transaction(connection):
            known = known.up_to_date() if known else Known(connection, now, profile)
            outcomes.update(_outcome(known, line) for line in lines)
        if error:
            raise WrongCall(
                error.message, hint=f"The {outcomes.total()} lines before it were taken."
            )
    return outcomes


def parsed(texts: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number, object) of every line that is not blank. Raises WrongCall at the first bad one."""
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise WrongCall(f"line {number} is not JSON ({error})") from None
        if not isinstance(line, dict):
            raise WrongCall(f"line {number} is not a JSON object")
        yield number, line


class Line(NamedTuple):
    """A line that is ready to be judged; without a proposal it is skipped."""

    proposal: asking.Proposal | None
    found: novelty.Found
    now: datetime


def _chunks(
    numbered: Iterable[tuple[int, dict[str, Any]]], now: datetime, profile: str | None
) -> Iterator[tuple[list[Line], WrongCall | None]]:
    """Lines in portions, read and keyed before any lock is taken; the first bad line ends them."""
    chunk: list[Line] = []
    try:
        for number, line in numbered:
            if line.get("type", "gem") != "gem":
                continue
            chunk.append(prepared(number, line, now, profile))
            if len(chunk) == TOGETHER:
                yield chunk, None
                chunk = []
    except WrongCall as error:
        yield chunk, error
    else:
        yield chunk, None


def prepared(number: int, line: dict[str, Any], now: datetime, profile: str | None = None) -> Line:
    """A line made ready to be judged, with no lock held. Raises WrongCall with its number."""
    if not isinstance(line.get("topic"), str) or not isinstance(line.get("results"), list):
        raise WrongCall(f"line {number} has no topic or no list of results")
    try:
        found = novelty.found_in(line["results"], _text(line, "provider"))
    except WrongCall as error:
        raise WrongCall(f"line {number}: {error.message}") from error
    try:
        topic = asking.accepted(line["topic"])
    except (BadTopic, SecretInTopic):
        return Line(None, found, now)
    return Line(asking.Proposal(topic, _caller(line), profile), found, _time_of(line, now))


def _outcome(known: Known, line: Line) -> str:
    if line.proposal is None:
        return "skipped"
    try:
        verdict = known.propose(line.proposal, line.found, line.now)
    except BadTopic:  # nothing is left of it in this form of signature
        return "skipped"
    return in_words(verdict)


def in_words(verdict: Verdict) -> str:
    """The outcome of a line, by which lines are counted."""
    return f"{verdict.status} {verdict.match.signal}" if verdict.match else verdict.status


def _caller(line: dict[str, Any]) -> Caller:
    return Caller(
        # What came from a log is published only when that is asked for, wherever it goes from here.
        "history" if line.get("origin") == "history" else "import",
        _text(line, "agent"),
        _text(line, "session"),
        _text(line, "project"),
        private=line.get("visibility") == "private",
    )


def _text(line: dict[str, Any], name: str) -> str | None:
    value = line.get(name)
    return value if isinstance(value, str) else None


def _time_of(line: dict[str, Any], now: datetime) -> datetime:
    """The line's own time, if it has one: an import must not look like today's searches."""
    try:
        found = datetime.fromisoformat(line["created"])
        return found.astimezone(UTC) if found.tzinfo else now
    except (KeyError, TypeError, ValueError, OverflowError):  # the last: in no year of ours
        return now


class Known:
    """The ledger's topics in memory, and snapshots that look there.

    Made and brought up to date within the transaction that proposes.
    """

    def __init__(
        self, connection: sqlite3.Connection, now: datetime, profile_name: str | None
    ) -> None:
        self.connection = connection
        self.profile_name = profile_name
        self._now = now
        self.memory = Memory(Snapshot(connection, now, profile_name).profile)
        self._take_in_new_gems()

    def snapshot(self, now: datetime) -> Snapshot:
        return _InMemory(self.connection, now, self.profile_name, self.memory)

    def propose(self, proposal: asking.Proposal, found: novelty.Found, now: datetime) -> Verdict:
        """Both gates, and what becomes of it, within the caller's transaction.

        Raises BadTopic when nothing is left of the topic in the profile's form.
        """
        verdict = novelty.recorded(self.connection, self.snapshot(now), proposal, found, now)
        if verdict.gem_id is not None:
            self.memory.add(verdict.gem_id, verdict.topic, iso(now))
        return verdict

    def up_to_date(self) -> Known:
        """Itself with what others recorded, or made anew where they deleted or changed rules."""
        self._take_in_new_gems()
        gems = self.connection.execute("SELECT count(*) FROM gems").fetchone()[0]
        profile = Snapshot(self.connection, self._now, self.profile_name).profile
        if gems == self.memory.size and profile == self.memory.profile:
            return self
        return Known(self.connection, self._now, self.profile_name)

    def _take_in_new_gems(self) -> None:
        same_form = read(self.connection).profile.form == self.memory.profile.form
        rows = self.connection.execute(
            "SELECT id, topic, created, signature FROM gems WHERE id > ? ORDER BY id",
            (self.memory.last_gem,),
        )
        for gem_id, topic, created, signed in rows:
            self.memory.add(gem_id, topic, created, signed if same_form else "")


class _InMemory(Snapshot):
    """A snapshot whose gems are in memory; wordings are still asked from the ledger."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        now: datetime,
        profile_name: str | None,
        memory: Memory,
    ) -> None:
        super().__init__(connection, now, profile_name)
        self._memory = memory
        self.weights = memory.weights()

    def _candidates(self) -> Candidates:
        wordings = wordings_in_ledger(
            self._connection,
            self.profile,
            self.settings.profile.form,
            self.now,
            self._since,
        )
        return _Remembered(self._memory, wordings, self._since)


class _Remembered:
    def __init__(self, memory: Memory, wordings: Candidates, since: str) -> None:
        self._memory = memory
        self._wordings = wordings
        self._since = since

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        if signal == "wording":
            return self._wordings.for_signal(signal, proposed, profile)
        found = self._memory.for_signal(signal, proposed, profile)
        return [gem for gem in found if gem.created >= self._since] if self._since else found
