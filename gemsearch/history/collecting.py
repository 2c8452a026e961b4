"""Reads the chosen sources and counts each call once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gemsearch.history.model import Mark, SearchCall, Skipped, Source


class Calls:
    """The search calls found, each once, ordered by time; those without a time come last.

    Can be iterated any number of times and has a length. Calls are kept in a temporary database
    that nobody else can open, so that a large history needs little memory; close() frees it.
    """

    def __iter__(self) -> Iterator[SearchCall]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


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
    time and topic.

    `marks` are those of an earlier run: what was read then is not read again. `searches` and
    `scripts` are names of search tools and scripts that a person configured. `on_bytes` is told
    how many bytes were read since it was last told.

    Raises WrongCall for a reader that doesn't exist or a generic source described wrongly; what
    can't be read is counted in `skipped` instead.
    """
    raise NotImplementedError


def size_of(sources: Iterable[Source], marks: Mapping[str, Mark] | None = None) -> int:
    """How many bytes `collected` has before it, about: for a progress bar."""
    raise NotImplementedError
