"""Made-up ledgers for the benches: the same rows on every machine, whatever the size asked for.

Row n is drawn from a generator seeded with n, so that the first 1,000 rows of a ledger of 10,000
are those of a ledger of 1,000. Words follow Zipf's law with a flatter tail; sources too.
The writer goes around the gates, which would take an hour for a million gems, and fills the same
tables that they do.
"""

from __future__ import annotations

import os
from contextlib import closing
from functools import cache
from itertools import product
from math import exp, log
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.profiles import PROFILES
from gemsearch.core.signature import EXACT, signature
from gemsearch.core.text import clean_topic
from gemsearch.ledger import words
from gemsearch.ledger.connection import open_for_writing
from gemsearch.ledger.settings import put

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

_STEMS = """
data stream file cache lock time write read index query graph table cloud node server client proxy
token signal thread kernel memory buffer packet socket shell script syntax parser compile linker
module package version release branch merge commit patch deploy docker cluster shard replica backup
restore migrate schema column search rank vector embed model train prompt agent memory budget
metric trace log alert monitor profile debug test mock fuzz crash panic error retry timeout limit
quota queue worker batch event hook plugin theme widget layout render canvas font color pixel image
video audio codec frame sensor motor robot battery solar power grid energy climate ocean forest soil
water plant animal protein cell gene virus vaccine clinic patient therapy sleep diet health school
teach learn exam grant market price trade stock bond tax law court policy vote city street traffic
train bicycle bridge house kitchen recipe bread coffee garden music guitar piano paint photo travel
flight hotel visa border island mountain river winter summer history museum language grammar spell
""".split()
_ENDINGS = """
|s|ing|er|ed|able|less|ity|ism|ist|ize|ly|ment|ness|ful|ous|al|ic|ware|base|line|set|point|way|ful
""".strip().split("|")
VOCABULARY_SIZE = 60_000
_LENGTHS = (2, 3, 4, 5, 6, 7, 8)
_SHARES = (12, 22, 24, 18, 12, 8, 4)
SOURCES_OF_A_GEM = 8
_FLAT_HEAD = 100
NOVEL, EDITED, LISTS = 1_000_000_000, 2_000_000_000, 3_000_000_000  # seeds no gem has
_SENTENCE = "In this part we look at how {} behaves under load, what others measured and why. "
_DAY = "2026-05-11"


class Row(NamedTuple):
    topic: str
    signature: str
    urls: tuple[int, ...]


@cache
def vocabulary() -> list[str]:
    """The commonest word first."""
    simple = list(dict.fromkeys(stem + end for end in _ENDINGS for stem in _STEMS))
    starts = sorted({stem[:3] for stem in _STEMS})
    Random(3).shuffle(starts)
    joined = list(dict.fromkeys(map("".join, product(starts[:40], simple))).keys() - set(simple))
    joined.sort(key=lambda word: (len(word), word))
    rare = joined[: VOCABULARY_SIZE - len(simple)]
    Random(1).shuffle(simple)
    Random(2).shuffle(rare)
    return [*simple, *rare]


class Corpus:
    """Topics and source lists by row number."""

    def __init__(self, gems: int, form: str = EXACT, hostile_share: int = 0) -> None:
        self._form = form
        self._hostile_share = hostile_share
        self._words = vocabulary()
        self._random = Random()  # seeded anew for each row
        self._log_words = log(VOCABULARY_SIZE)
        self._log_sources = log((max(3 * gems, 1_000) + _FLAT_HEAD) / _FLAT_HEAD)

    def row(self, number: int) -> Row:
        text = self.topic(number)
        if self._hostile_share and number % self._hostile_share == 0:
            text = clean_topic(hostile(self, number // self._hostile_share))
            return Row(text, signature(text, self._form), self.sources(number))
        return Row(text, signature_of(text), self.sources(number))

    def topic(self, number: int) -> str:
        draw = self._random
        draw.seed(number)
        (length,) = draw.choices(_LENGTHS, _SHARES)
        return " ".join(dict.fromkeys(self._word() for _ in range(length)))

    def sources(self, number: int, count: int = SOURCES_OF_A_GEM) -> tuple[int, ...]:
        """Numbers of distinct sources, by the law of Zipf and Mandelbrot.

        The hundred commonest are alike: each is in 0.8 % of the gems.
        """
        draw = self._random
        draw.seed(-number)
        found: dict[int, None] = {}
        while len(found) < count:
            found[int(_FLAT_HEAD * exp(draw.random() * self._log_sources)) - _FLAT_HEAD + 1] = None
        return tuple(found)

    def edited(self, text: str, number: int) -> str:
        """The topic with one to four letters changed."""
        draw = self._random
        draw.seed(number)
        letters = list(text)
        for _ in range(draw.randint(1, 4)):
            letters[draw.randrange(len(letters))] = draw.choice("etaoinshrdlu")
        return "".join(letters)

    def _word(self) -> str:
        draw = self._random.random
        if draw() < 0.6:
            return self._words[int(exp(draw() * self._log_words)) - 1]
        return self._words[int(VOCABULARY_SIZE * draw() ** 2)]


def signature_of(text: str) -> str:
    """What `signature` gives for these topics, which have neither capitals nor symbols."""
    return " ".join(sorted(set(text.split(" "))))


def url_of(number: int) -> str:
    return f"https://host{number % 9973}.example/articles/{number}"


def write_ledger(
    path: str, gems: int, *, profile: str, snippets: bool = False, hostile_share: int = 0
) -> None:
    """A ledger of so many gems with their sources; without snippets the text is left out.

    With a hostile share of 10 each tenth topic is one that is made to break an index.
    """
    with closing(open_for_writing(path)) as connection:
        put(connection, "gate.profile", profile)
        _check_signatures(PROFILES[profile].form)
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA foreign_keys = OFF")  # sources are written last
        connection.execute("PRAGMA cache_size = -400000")
        connection.execute("BEGIN IMMEDIATE")
        # Indexes and full text are filled in one go at the end: ten times as fast.
        later = _set_aside(connection)
        corpus = Corpus(gems, PROFILES[profile].form, hostile_share)
        _write_rows(connection, corpus, gems, snippets=snippets)
        for statement in later:
            connection.execute(statement)
        words.count_anew(connection)
        for table in ("gems", "results"):
            connection.execute(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('rebuild')")
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def size_of(path: str) -> int:
    return os.path.getsize(path)


def _check_signatures(form: str) -> None:
    corpus = Corpus(1)
    for number in range(300):
        row = corpus.row(number)
        assert row.signature == signature(row.topic, form), row


def _set_aside(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN"
        " ('index', 'trigger') AND tbl_name IN ('gems', 'results', 'urls')"
    ).fetchall()
    for kind, name, _ in found:
        connection.execute(f"DROP {kind} {name}")
    return [sql for _, _, sql in found]


def _write_rows(
    connection: sqlite3.Connection, corpus: Corpus, gems: int, *, snippets: bool
) -> None:
    counts: dict[int, int] = {}
    for first in range(1, gems + 1, 50_000):
        numbers = range(first, min(first + 50_000, gems + 1))
        rows = [(number, corpus.row(number)) for number in numbers]
        connection.executemany(
            "INSERT INTO gems (id, topic, signature, provider, origin, created, day, result_count)"
            f" VALUES (?, ?, ?, 'sample', 'search', '{_DAY}T09:00:00.000Z', '{_DAY}', 8)",
            ((number, row.topic, row.signature) for number, row in rows),
        )
        connection.executemany(
            "INSERT INTO results (gem_id, url_id, rank, title, snippet) VALUES (?, ?, ?, ?, ?)",
            _results(rows, snippets=snippets),
        )
        for _, row in rows:
            for url in row.urls:
                counts[url] = counts.get(url, 0) + 1
    connection.executemany(
        "INSERT INTO urls (id, key, url, host, gem_count) VALUES (?, ?, ?, ?, ?)",
        (
            (number, url_of(number), url_of(number), f"host{number % 9973}.example", count)
            for number, count in sorted(counts.items())
        ),
    )


def _results(
    rows: Sequence[tuple[int, Row]], *, snippets: bool
) -> Iterator[tuple[int, int, int, str, str]]:
    for number, row in rows:
        for rank, url in enumerate(row.urls, start=1):
            title = f"Notes on {row.topic}, part {rank}" if snippets else ""
            text = _SENTENCE.format(row.topic) * 2 if snippets else ""
            yield number, url, rank, title, text


def hostile(corpus: Corpus, number: int) -> str:
    """A topic made to break an index: odd letters, long texts, letters repeated over 16 times."""
    draw = Random(number)
    text = corpus.topic(number % 50)
    kind = number % 8
    if kind == 0:
        return "".join(draw.choice("ab ") for _ in range(draw.randint(3, 40))).strip() or "a"
    if kind == 1:
        return text.translate(str.maketrans("aeo", "äéø"))
    if kind == 2:
        return (
            "".join(draw.choice("検索結果宝石索引木火土金水 ") for _ in range(24)).strip() or "木"
        )
    if kind == 3:
        return " ".join(corpus.topic(number % 50 + extra) for extra in range(12))[:400].strip()
    if kind == 4:
        return f"{'a' * draw.randint(14, 50)} {'b' * draw.randint(5, 20)}"
    if kind == 5:
        return text[: draw.randint(1, 9)].strip()
    if kind == 6:
        return f"{text} {draw.randint(1, 20)} c++ {draw.choice(['http', 'ipv'])}{number % 7}"
    return "x" * (number % 3 + 198) + " " + text


def changed(text: str, number: int) -> str:
    """Another wording of a stored topic: edits up to and past the threshold, turns, cuts."""
    draw = Random(number)
    letters = list(text)
    kind = number % 6
    if kind < 3:
        share = (0.05, 0.18, 0.36)[kind]
        for _ in range(max(1, round(share * len(letters)))):
            letters[draw.randrange(len(letters))] = draw.choice("etaoin検é ")
        return "".join(letters).strip() or "a"
    if kind == 3:
        at = draw.randrange(len(letters))
        return "".join(letters[at:] + letters[:at]).strip() or "a"
    words = text.split(" ")
    draw.shuffle(words)
    if kind == 4:
        return " ".join(words[: max(1, len(words) - draw.randint(0, 2))])
    return " ".join([*words, draw.choice(["notes", "guide", "2026"])])
