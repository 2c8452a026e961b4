"""An offline search engine over a list of developer tools: for the demo and for newcomers."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections import Counter
from contextlib import closing
from importlib import resources
from typing import TYPE_CHECKING

from gemsearch.core.model import Result
from gemsearch.providers.base import COUNT, Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gemsearch.providers.base import Pace

MAX_WORDS = 32  # a topic has no more; keeps a stray call from building an endless query
FLOOR = 0.3  # the share of the topic that a page must carry: less is a chance word, not an answer

# No quote, NUL or lone surrogate can be part of a word.
WORD = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*")
STOP_WORDS = frozenset(
    (
        "a about an and are as at be but by can do does for from get how i if in into is it its "
        "my no not of on or our so than that the their them then there these they this to use "
        "used using vs was we were what when where which who why will with you your"
    ).split()
)

CREATE = """
CREATE VIRTUAL TABLE pages USING fts5(
    title, description, url UNINDEXED, tokenize = 'porter unicode61'
)
"""
INSERT = "INSERT INTO pages (url, title, description) VALUES (:url, :title, :description)"
MATCHING = "SELECT rowid FROM pages WHERE pages MATCH ?"
# A word in the title says what the page is about, so it counts four times.
RANKED = """
SELECT rowid, url, title, description FROM pages WHERE pages MATCH ?
ORDER BY bm25(pages, 4.0, 1.0), url
"""


class Sample:
    """Answers from the pages in `sample.jsonl`; needs no network, no key and no pause."""

    name = "sample"

    def search(self, topic: str, pace: Pace, timeout: float) -> Page:  # noqa: ARG002 - nothing to wait for
        phrases = _phrases(topic)
        if not phrases:
            return Page(())
        with closing(_index()) as pages:
            shares = _shares(pages, phrases)
            ranked = pages.execute(RANKED, (" OR ".join(phrases),)).fetchall()
        found = [Result(*row[1:]) for row in ranked if shares[row[0]] >= FLOOR]
        return Page(found[:COUNT])


def _phrases(topic: str) -> Sequence[str]:
    """Quote each word of a topic, so that nothing in it is read as query syntax.

    FTS5 splits at hyphens: quoted, `pre-commit` asks for "pre" followed by "commit".
    """
    words = dict.fromkeys(WORD.findall(topic.casefold()))  # a dict keeps the order
    return [f'"{word}"' for word in words if word not in STOP_WORDS][:MAX_WORDS]


def _index() -> sqlite3.Connection:
    lines = resources.files(__package__).joinpath("sample.jsonl").read_text("utf-8").splitlines()
    pages = sqlite3.connect(":memory:")
    pages.execute(CREATE)
    pages.executemany(INSERT, map(json.loads, lines))
    return pages


def _shares(pages: sqlite3.Connection, phrases: Sequence[str]) -> Counter[int]:
    """How much of the topic each page carries, from 0 to 1.

    Rare words weigh more, and words that no page has weigh most: without them a topic about
    something else would be answered by whatever page shares one common word with it.
    """
    (count,) = pages.execute("SELECT count(*) FROM pages").fetchone()
    shares: Counter[int] = Counter()
    total = 0.0
    for phrase in phrases:
        matching = [rowid for (rowid,) in pages.execute(MATCHING, (phrase,))]
        weight = math.log((count + 1) / (len(matching) + 0.5))
        total += weight
        shares.update(dict.fromkeys(matching, weight))
    return Counter({rowid: weight / total for rowid, weight in shares.items()})
