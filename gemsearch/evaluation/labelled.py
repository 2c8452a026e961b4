"""Reads labelled files: tab-separated without quoting, or JSON lines.

The columns are those of docs/judgement.md; others are ignored.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch.batch import lines_of
from gemsearch.core.canonical import Canonical, canonicalise
from gemsearch.core.model import Source
from gemsearch.core.profiles import SOURCES_COMPARED
from gemsearch.core.results import as_results, sources_by_rank
from gemsearch.errors import WrongCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TextIO


class Query(NamedTuple):
    label: str  # queries of one label ask for the same
    text: str


class ListOfSources(NamedTuple):
    need: str  # lists of one need answer the same question
    subject: str  # lists of one subject answer adjacent questions
    sources: tuple[Source, ...]


class Search(NamedTuple):
    query: str
    when: str
    sources: tuple[Source, ...]


class Pair(NamedTuple):
    same: bool
    queries: tuple[str, str]


def repeats(path: str) -> list[Query]:
    """`topic`, `query`: rows of one topic are repeats of each other."""
    return [Query(f"topic {row['topic']}", row["query"]) for row in _rows(path, ("topic", "query"))]


def novel(path: str, left_out: Sequence[str] = ()) -> dict[str, list[Query]]:
    """`source`, `query`: every row a topic of its own, in one stream for each kind of source.

    The kind is what stands before the first hyphen. Rows that differ only in case and blanks are
    one row, else every rule would seem to be wrong on them.
    """
    streams: dict[str, list[Query]] = {}
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(_rows(path, ("source", "query")), start=1):
        kind = row["source"].partition("-")[0]
        folded = (kind, " ".join(row["query"].casefold().split()))
        if folded in seen or any(fnmatchcase(row["source"], glob) for glob in left_out):
            continue
        seen.add(folded)
        streams.setdefault(kind, []).append(Query(f"{row['source']} {number}", row["query"]))
    return streams


def lists(path: str) -> list[ListOfSources]:
    """`turn`, `conv` and `docs` (document ids or addresses), one JSON object a line."""
    return [
        ListOfSources(str(row["turn"]), str(row["conv"]), tuple(_documents(row["docs"])))
        for row in _objects(path, {"turn": object, "conv": object, "docs": list})
    ]


def searches(path: str) -> list[Search]:
    """`query`, `ts` and `urls` of the rows of kind agent-search, one JSON object a line."""
    rows = _objects(path, {"kind": object, "query": str, "ts": str, "urls": list})
    return [
        Search(row["query"], row["ts"], _sources_of(row["urls"]))
        for row in rows
        if row["kind"] == "agent-search"
    ]


def pairs(path: str) -> list[Pair]:
    """`same_question` (1 or 0), `queryA` and `queryB`."""
    return [
        Pair(row["same_question"] == "1", (row["queryA"], row["queryB"]))
        for row in _rows(path, ("same_question", "queryA", "queryB"))
    ]


def verdicts(path: str) -> frozenset[frozenset[str]]:
    """`same` (1 or 0), `proposed`, `stored`: the pairs of texts that are one topic."""
    return frozenset(
        frozenset((row["proposed"], row["stored"]))
        for row in _rows(path, ("same", "proposed", "stored"))
        if row["same"] == "1"
    )


def _rows(path: str, needed: Iterable[str]) -> Iterator[dict[str, str]]:
    with _opened(path) as file:
        lines = lines_of(file)
        names = next(lines, "").rstrip("\n").split("\t")
        missing = set(needed) - set(names)
        if missing:
            raise WrongCall(f"{path} has no column {', '.join(sorted(missing))}")
        for number, line in enumerate(lines, start=2):
            cells = line.rstrip("\n").split("\t")
            if len(cells) != len(names):
                raise WrongCall(f"{path}, line {number}: {len(cells)} cells, not {len(names)}")
            yield dict(zip(names, cells, strict=True))


def _objects(path: str, needed: Mapping[str, type]) -> Iterator[dict[str, Any]]:
    with _opened(path) as file:
        for number, line in enumerate(lines_of(file), start=1):
            try:
                row = json.loads(line)
                wrong = [name for name, kind in needed.items() if not isinstance(row[name], kind)]
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise WrongCall(
                    f"{path}, line {number}: {type(error).__name__} {error}",
                    hint=f"Each line is a JSON object with {', '.join(needed)}.",
                ) from None
            if wrong:
                raise WrongCall(f"{path}, line {number}: {wrong[0]} has a wrong type")
            yield {name: row[name] for name in needed}


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            yield file
    except UnicodeDecodeError:
        raise WrongCall(f"{path} isn't UTF-8 text") from None


def _documents(names: Iterable[object]) -> Iterator[Source]:
    for name in list(dict.fromkeys(map(str, names)))[:SOURCES_COMPARED]:
        canonical = canonicalise(name)
        key = canonical.key if isinstance(canonical, Canonical) else name
        yield Source(key, name, "")


def _sources_of(urls: Iterable[str]) -> tuple[Source, ...]:
    # Agents' logs may have more addresses than a result list does.
    return tuple(filter(None, sources_by_rank(as_results(list(urls)[:100]))))
