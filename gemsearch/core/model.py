"""The values that pass between the layers.

NamedTuples, not dataclasses: they cost a third of the import time on the refusal path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.text import clean_line

if TYPE_CHECKING:
    from typing import Self


class Result(NamedTuple):
    """One row of a search's result list, in the provider's order.

    `url` is as the provider returned it, `published` is the provider's own text (often ISO 8601).
    """

    url: str
    title: str = ""
    snippet: str = ""
    published: str = ""


class Stored(NamedTuple):
    """An earlier topic that may cover a proposed one.

    `gem_id` is 0 for a topic that is being searched right now. `learned_from` is the rejection
    that taught this wording, 0 for a gem's own topic.
    """

    gem_id: int
    topic: str
    signature: str
    created: str  # ISO 8601
    learned_from: int = 0

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.signature.split(" "))


class Score(NamedTuple):
    """What one signal says of a pair of topics. `why` tells a reader what decided."""

    signal: str
    score: float
    threshold: float
    fires: bool
    why: str = ""


class Source(NamedTuple):
    """The document behind a result: `key` is compared, `url` is shown.

    `gem_count` is the number of gems that count it at the moment of the decision.
    """

    key: str
    url: str
    host: str
    gem_count: int = 0


class Overlap(NamedTuple):
    """An earlier gem and the proposed sources it also has; `size` counts all of its sources."""

    gem_id: int
    topic: str
    created: str
    keys: frozenset[str]
    size: int


class SharedSource(NamedTuple):
    """A source that both lists have. A hub is shared but does not count."""

    key: str
    url: str
    counted: bool


class Match(NamedTuple):
    """The earlier gem that covers a topic, and the signal that says so."""

    signal: str  # identical, wording, subset, sequence, sources
    gem_id: int
    topic: str
    created: str  # ISO 8601
    score: float
    threshold: float
    why: str = ""
    learned_from: int = 0  # rejection that taught the wording
    shared: tuple[SharedSource, ...] = ()
    smaller: int = 0  # size of the smaller list, for the source gate

    @property
    def gate(self) -> str:
        return "source" if self.signal == "sources" else "query"

    @property
    def day(self) -> str:
        return clean_line(self.created[:10])


class _Caller(NamedTuple):
    origin: str = "search"
    agent: str | None = None
    session: str | None = None
    project: str | None = None
    call_id: str | None = None
    topic_no: int = 0  # which topic of a call that has several
    private: bool = False


class Caller(_Caller):
    """Who proposes a topic, and through which door. `call_id` makes a repeated call one attempt.

    The names come from environments, logs and agents: they are clean from here on.
    """

    __slots__ = ()

    def __new__(
        cls,
        origin: str = "search",
        agent: str | None = None,
        session: str | None = None,
        project: str | None = None,
        call_id: str | None = None,
        topic_no: int = 0,
        private: bool = False,
    ) -> Self:
        return super().__new__(
            cls,
            origin,
            _name(agent),
            _name(session),
            _name(project),
            _name(call_id),
            topic_no,
            private,
        )


def _name(text: str | None) -> str | None:
    return text if text is None else clean_line(text)


class Verdict(NamedTuple):
    """What the gates decided, and what came of it.

    `status` is novel, duplicate, pending (another process is searching the same topic now) or
    empty (searched, and nothing found).
    A duplicate that is only warned about has `enforced` False and a gem of its own.
    """

    status: str
    topic: str
    match: Match | None = None
    related: tuple[Match, ...] = ()
    results: tuple[Result, ...] = ()
    provider: str | None = None
    gem_id: int | None = None
    rejection_id: int | None = None
    enforced: bool = True

    @property
    def novel(self) -> bool:
        return self.status == "novel"
