"""Search calls as the gates would meet them: topics cleaned, times believed or not.

Only what can be judged comes out. A topic that holds a secret is counted by its kind and is gone;
so is a text that no gate would take for a topic.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.asking import accepted
from gemsearch.core.signature import EXACT, signature
from gemsearch.errors import BadTopic, SecretInTopic
from gemsearch.toolcalls.answers import DENIED, EMPTY, FAILED, MISSING, OK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemsearch.history.model import SearchCall

STATUSES = (OK, MISSING, EMPTY, FAILED, DENIED)
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)  # zero, and whatever a broken clock says, is no time
_AHEAD = timedelta(days=1)


class Choice(NamedTuple):
    """Which calls are looked at; "" takes all. `since` is an ISO day in UTC."""

    since: str = ""
    agent: str = ""
    project: str = ""  # the whole path, or its last folder

    @property
    def takes_all(self) -> bool:
        return not any(self)

    def takes(self, call: SearchCall, when: datetime | None) -> bool:
        if self.agent and call.agent != self.agent:
            return False
        if self.project and self.project not in {call.project, folder(call.project)}:
            return False
        return not self.since or bool(when and f"{when:%Y-%m-%d}" >= self.since)


class Proposed(NamedTuple):
    """A search that was made and can be judged; `when` is None if the log tells no time."""

    call: SearchCall
    topic: str
    when: datetime | None
    status: str  # ok, missing (no results were kept) or empty


class Proposals:
    """The chosen calls in the order given, and counts of what was met on the way.

    Failed and denied calls are counted and don't come out. A time from before 2000, or from the
    future of `now`, is no time. To be iterated once.
    """

    def __init__(self, calls: Iterable[SearchCall], now: datetime, choice: Choice) -> None:
        self._calls = calls
        self._latest = now + _AHEAD
        self._choice = choice
        self.by_status: dict[str, int] = dict.fromkeys(STATUSES, 0)
        self.secrets: Counter[str] = Counter()  # by kind
        self.no_topics = 0  # too long for a topic, or without a word

    @property
    def calls(self) -> int:
        return sum(self.by_status.values())

    def __iter__(self) -> Iterator[Proposed]:
        for call in self._calls:
            when = call.time if call.time and _EARLIEST <= call.time <= self._latest else None
            if not self._choice.takes(call, when):
                continue
            status = _status_of(call)
            self.by_status[status] += 1
            topic = self._topic(call.topic)
            if topic and status not in {FAILED, DENIED}:
                yield Proposed(call, topic, when, status)

    def _topic(self, text: str) -> str:
        """The topic as it is judged; "" and counted when there is none."""
        try:
            topic = accepted(text)
        except SecretInTopic as error:
            self.secrets[error.kind] += 1
            return ""
        except BadTopic:
            topic = ""
        if signature(topic, EXACT):
            return topic
        self.no_topics += 1
        return ""


def folder(project: str | None) -> str:
    """A project as it is shown: the name of its last folder, for a path tells too much."""
    return re.split(r"[\\/]", (project or "").rstrip("\\/"))[-1]


def _status_of(call: SearchCall) -> str:
    """The answer's status; one that says it went well and kept nothing is missing."""
    answer = call.answer
    return MISSING if answer.status == OK and not answer.results else answer.status
