"""What every reader needs: names to look for, counts, and calls waiting for their results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.history.model import OtherCall, SearchCall, Skipped
from gemsearch.toolcalls import answers, names, shell, topics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gemsearch.history.model import Mark
    from gemsearch.toolcalls.answers import Answer

    Call = SearchCall | OtherCall

MISSING = answers.Answer(answers.MISSING)

_PLACES = 3  # of each reason that are kept for messages
_EARLIEST_MILLISECONDS = 100_000_000_000  # as seconds this would be the year 5138


class Asked(NamedTuple):
    """What a tool call asked for."""

    kind: str  # names.SEARCH, FETCH or OWN
    topics: tuple[str, ...]


class Reading:
    """One run over the histories: what to look for, how far earlier runs came, what was met."""

    def __init__(
        self,
        marks: Mapping[str, Mark] | None = None,
        searches: frozenset[str] = frozenset(),
        scripts: frozenset[str] = frozenset(),
        on_bytes: Callable[[int], None] | None = None,
    ) -> None:
        self.marks = marks or {}
        self.new_marks: dict[str, Mark] = {}
        self.skipped: Counter[str] = Counter()
        self.places: list[Skipped] = []
        self.files = 0
        self.bytes = 0
        self.hint = _hint(searches | scripts)
        self._searches = searches
        self._scripts = scripts
        self._on_bytes = on_bytes

    def skip(self, reason: str, place: str) -> None:
        self.skipped[reason] += 1
        if self.skipped[reason] <= _PLACES:
            self.places.append(Skipped(reason, place))

    def count(self, size: int) -> None:
        """Bytes that were read."""
        self.bytes += size
        if self._on_bytes is not None:
            self._on_bytes(size)

    def kind_of(self, tool: str, server: str = "") -> str:
        return names.kind_of(tool, server, self._searches)

    def asked(self, tool: str, arguments: object, server: str = "") -> Asked | None:
        """What a tool call asked for, None if it is no matter of ours."""
        kind = self.kind_of(tool, server)
        if kind == names.SEARCH:
            return Asked(kind, topics.topics_of(arguments))
        if kind == names.OWN:
            return Asked(kind, topics.topics_of(arguments) or ("",))
        if kind == names.FETCH:
            return Asked(kind, (_address(arguments),))
        if not names.is_shell(tool):
            return None
        found = shell.searched_in(shell.command_of(arguments), self._scripts)
        return Asked(found.kind, (found.topic,)) if found else None


class Told(NamedTuple):
    """Where and when a log tells of a call."""

    agent: str
    session: str
    time: datetime | None
    project: str | None
    source: str
    place: str
    start: int = 0  # byte of the line


class Pairing:
    """The calls of one log that wait for their results, by call id."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._waiting: dict[str, tuple[Asked, Told]] = {}

    def __contains__(self, call_id: object) -> bool:
        return call_id in self._waiting

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def ask(
        self, call_id: str, tool: str, arguments: object, told: Told, server: str = ""
    ) -> Iterator[Call]:
        """Takes a search to wait for its result; any other call of interest is told at once."""
        asked = self._reading.asked(tool, arguments, server)
        if asked is None:
            return
        if not asked.topics:
            self._reading.skip("search without a topic", told.place)
        elif asked.kind != names.SEARCH:
            yield from calls_of(asked, call_id, told, MISSING)
        elif not call_id:
            yield from calls_of(asked, "", told, MISSING)  # nothing can answer it
        else:
            self._waiting.setdefault(call_id, (asked, told))

    def answer(self, call_id: str, answer: Answer) -> Iterator[Call]:
        waiting = self._waiting.pop(call_id, None)
        if waiting is not None:
            asked, told = waiting
            yield from calls_of(asked, call_id, told, answer)

    def rest(self) -> Iterator[Call]:
        """Those whose results never came; they go on waiting, so that `first_start` holds."""
        for call_id, (asked, told) in self._waiting.items():
            yield from calls_of(asked, call_id, told, MISSING)

    def first_start(self) -> int | None:
        """The byte from which a later run must read to find the results."""
        return min((told.start for _, told in self._waiting.values()), default=None)


def calls_of(asked: Asked, call_id: str, told: Told, answer: Answer) -> Iterator[Call]:
    """A call's topics as values of their own."""
    for number, topic in enumerate(asked.topics):
        if asked.kind == names.SEARCH:
            yield SearchCall(
                told.agent,
                told.session,
                call_id,
                topic,
                answer,
                told.time,
                told.project,
                number,
                told.source,
                told.place,
            )
        else:
            yield OtherCall(asked.kind, told.agent, told.session, call_id, topic, told.time)


def richer(one: Answer, other: Answer) -> Answer:
    """The answer that says more; the first of two that say the same."""
    return other if _richness(other) > _richness(one) else one


def _richness(answer: Answer) -> tuple[int, int]:
    order = (answers.MISSING, answers.OK, answers.EMPTY, answers.FAILED, answers.DENIED)
    return (len(order) if answer.results else order.index(answer.status), len(answer.results))


def instant(value: object) -> datetime | None:
    """A time as UTC: ISO 8601 text, or seconds or milliseconds since 1970. None for anything else.

    Text without a zone is taken for UTC.
    """
    try:
        if isinstance(value, str) and value:
            found = datetime.fromisoformat(value)
            return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value > _EARLIEST_MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _address(arguments: object) -> str:
    found = topics.mapping_of(arguments)
    return text(found.get("url")) or text(found.get("link"))


def _hint(more: frozenset[str]) -> re.Pattern[bytes]:
    """What a line must hold to be worth parsing for a call. Claude counts `web_search_requests`."""
    always = rb"earch(?!_requests)|etch(?!_requests)|ddgr|googler"
    named = (re.escape(name.encode("utf-8", "replace")) for name in sorted(more))
    return re.compile(b"|".join([always, *named]))
