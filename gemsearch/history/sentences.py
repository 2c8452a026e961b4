"""What the terminal and the page say in the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.text import clean_line
from gemsearch.history.report import CHARACTERS_PER_TOKEN
from gemsearch.ledger.statistics import TOKENS_PER_SEARCH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STATUSES = {
    "ok": "with results",
    "missing": "whose results no log kept",
    "empty": "found nothing",
    "failed": "failed",
    "denied": "denied",
}
SIGNALS = {
    "identical": "the same words, in whatever order",
    "wording": "a wording that was refused before for its sources",
    "subset": "the words of one topic recur in the other",
    "sequence": "nearly the same text",
    "sources": "the search found sources that an earlier one had found",
}
ESTIMATE = (
    "A refused search counts with the characters of its kept results (addresses, titles, snippets)"
    f" / {CHARACTERS_PER_TOKEN}, or with {TOKENS_PER_SEARCH:,} tokens if no log kept them. What the"
    " agent wrote and read around them is not counted."
)
REPLAYED = (
    "As if gemsearch had been there from the first day on, with default settings: what a gate"
    " refuses is not recorded, and other wordings are learned. A search whose results no log kept"
    " counts as one that found pages of its own. Within a session an agent digs deeper, rightly."
)


def by_status(counts: Mapping[str, int]) -> str:
    """Calls by what became of them: 90 with results, 4 failed."""
    return listed({said: counts[status] for status, said in STATUSES.items()}, "{1:,} {0}")


def listed(counts: Mapping[str, int], form: str = "{0} {1:,}", most: int = 10) -> str:
    """Names and counts in a row, nothing that is zero."""
    there = [(clean_line(name, 60) or "(none)", count) for name, count in counts.items() if count]
    more = f" and {len(there) - most:,} more" if len(there) > most else ""
    return ", ".join(form.format(name, count) for name, count in there[:most]) + more


def shared(words: Sequence[str], sources: Sequence[str]) -> list[str]:
    """What makes one topic of several wordings: the words and the sources that they share."""
    more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
    said = [f"the words {', '.join(words)}"] if words else []
    return [*said, f"the source {bare(sources[0])}{more}"] if sources else said


def bare(url: str) -> str:
    """An address as it is read, without https://."""
    return clean_line(url.partition("://")[2] or url)
