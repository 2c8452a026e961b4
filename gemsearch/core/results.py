"""Turns what a search returned into results that are fit to keep, and results into sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gemsearch.core.canonical import Canonical, canonicalise
from gemsearch.core.model import Result, Source
from gemsearch.core.profiles import SOURCES_COMPARED
from gemsearch.core.text import clean_line
from gemsearch.errors import WrongCall

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_RESULTS = 100
_LONGEST_URL = 8192
_USERINFO = re.compile(r"^((?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//)[^/?#\\@]*@")  # a password is not kept
_LIMITS = {"title": 300, "snippet": 1000, "published": 64}


def as_results(rows: Iterable[object]) -> tuple[Result, ...]:
    """Results from Result values, mappings with url/title/snippet/published, or bare addresses.

    Missing and null fields become empty. Raises WrongCall for anything else.
    """
    results = tuple(_as_result(row, place) for place, row in enumerate(rows, start=1))
    if len(results) > MAX_RESULTS:
        raise WrongCall(f"{len(results)} results in one list", hint=f"At most {MAX_RESULTS}.")
    return results


def sources_by_rank(results: Iterable[Result]) -> list[Source | None]:
    """For each result its source, if the source gate counts it: one of the first ten distinct."""
    seen: set[str] = set()
    sources: list[Source | None] = []
    for result in results:
        canonical = canonicalise(result.url)
        counts = (
            isinstance(canonical, Canonical)
            and canonical.key not in seen
            and len(seen) < SOURCES_COMPARED
        )
        if counts and isinstance(canonical, Canonical):
            seen.add(canonical.key)
            sources.append(Source(canonical.key, result.url, canonical.host))
        else:
            sources.append(None)
    return sources


def _as_result(row: object, place: int) -> Result:
    if isinstance(row, str):
        return _cleaned({"url": row}, place)
    if isinstance(row, Result):
        return _cleaned(row._asdict(), place)
    if isinstance(row, Mapping):
        return _cleaned(row, place)
    raise WrongCall(
        f"result {place} is {_kind(row)}, not an object",
        hint='A result looks like {"url": "https://...", "title": "...", "snippet": "..."}.',
    )


def _cleaned(row: Mapping[str, object], place: int) -> Result:
    texts = {name: _text(row.get(name), name, place) for name in ("url", *_LIMITS)}
    url = _USERINFO.sub(r"\1", clean_line(texts["url"]))
    return Result(
        url if len(url) <= _LONGEST_URL else "",
        *(clean_line(texts[name], limit) for name, limit in _LIMITS.items()),
    )


def _text(value: object, name: str, place: int) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise WrongCall(f"{name} of result {place} is {_kind(value)}, not text")


def _kind(value: object) -> str:
    return "null" if value is None else f"a {type(value).__name__}"
