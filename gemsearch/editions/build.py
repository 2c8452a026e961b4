"""Makes an edition from the ledger: a new database, filled column by column with public rows.

Never a copy that is then emptied: deleted words survive in full-text tables and free pages.
A row with a finding stays out whole, and whatever points to it does too; nothing is masked.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch import __version__
from gemsearch.core.text import clean_line, safe_url
from gemsearch.editions import findings, policy, schema
from gemsearch.editions.model import Report
from gemsearch.ledger.connection import read_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from gemsearch.editions.model import Choice, Front

PRIVATE = "private"
FROM_HISTORY = "from agents' history (--include-history)"
UNKNOWN_ORIGIN = "of an origin this gemsearch does not know"
OTHER_PROJECT = "of another project, or none"
TOO_OLD = "from before the chosen day"
GEM_NOT_PUBLISHED = "their gem is not published"
FORCED_IS_PRIVATE = "searched all the same, in a gem that is not published"
FOUND_BY_OTHERS = "the address may come from a search that is not published"
NOT_TEXT = "not text where text belongs"
NOT_A_NUMBER = "not a number where one belongs"

_ORIGINS = frozenset({"search", "record", "hook", "mcp", "import", "history"})
_TOGETHER = 8  # gems whose texts are looked through at once
_ROWS_TOGETHER = 64  # the same for rows of other tables
_AT_ONCE = 512  # rows of one INSERT


class _Gem(NamedTuple):
    id: int
    topic: str
    signature: str
    provider: str | None
    day: str
    origin: str
    project: str | None
    visibility: str


class _Rejection(NamedTuple):
    id: int
    topic: str
    signature: str
    gate: str
    signal: str
    score: float
    threshold: float
    gem_id: int | None
    shared: int | None
    smaller: int | None
    day: str
    origin: str
    project: str | None
    visibility: str
    forced_gem_id: int | None


class _Listed(NamedTuple):
    """A source of a refused result list."""

    rejection_id: int
    url_id: int
    shared: int
    counted: int
    address: str | None  # None: one that must not be shown
    host: object


class _Result(NamedTuple):
    url_id: int | None
    address: str | None  # None: one that must not be shown
    host: object
    title: object
    published: object
    snippet: object


_line = lru_cache(1 << 16)(clean_line)  # titles, hosts, days recur


def new_edition() -> sqlite3.Connection:
    """An empty database that only this connection sees; it spills to disk when it grows."""
    edition = sqlite3.connect("", isolation_level=None)
    edition.execute("PRAGMA journal_mode = OFF")
    edition.execute("PRAGMA synchronous = OFF")
    edition.execute("PRAGMA cache_size = -65536")
    return edition


def build(
    ledger: sqlite3.Connection,
    edition: sqlite3.Connection,
    choice: Choice,
    front: Front,
    advance: Callable[[float], None] = lambda _: None,
) -> Report:
    """Fill the empty `edition` from one snapshot of the ledger; others may write meanwhile."""
    ledger.execute("PRAGMA cache_size = -65536")
    with read_snapshot(ledger):
        policy.require_decisions(ledger)
        policy.guard(ledger)
        try:
            draft = _Draft(ledger, edition, choice)
            edition.execute("BEGIN")
            schema.create(edition, snippets=choice.snippets)
            draft.add_gems(advance)
            draft.add_rejections()
            draft.add_rejection_urls()
            draft.flush()
        finally:
            policy.unguard(ledger)
    _add_front(edition, front)
    _derive(edition)
    edition.execute("COMMIT")
    return Report(_counts(edition), dict(draft.withheld), draft.memory)


class _Writer:
    """Collects rows: one statement for hundreds of them costs a third."""

    def __init__(self, edition: sqlite3.Connection) -> None:
        self._edition = edition
        self._waiting: dict[str, list[tuple[object, ...]]] = {}

    def put(self, table: str, columns: str, row: tuple[object, ...]) -> None:
        marks = ", ".join("?" * len(row))
        sql = f"INSERT INTO {table} ({columns}) VALUES ({marks})"
        waiting = self._waiting.setdefault(sql, [])
        waiting.append(row)
        if len(waiting) == _AT_ONCE:
            self._edition.executemany(sql, waiting)
            waiting.clear()

    def flush(self) -> None:
        for sql, waiting in self._waiting.items():
            self._edition.executemany(sql, waiting)
        self._waiting.clear()


class _Draft:
    """The edition being filled. Its maps lead from a ledger's number to the edition's."""

    def __init__(
        self, ledger: sqlite3.Connection, edition: sqlite3.Connection, choice: Choice
    ) -> None:
        self._ledger = ledger
        self._rows = _Writer(edition)
        self._choice = choice
        self._gems: dict[int, int] = {}
        self._urls: dict[int, int] = {}
        self._rejections: dict[int, int] = {}
        self._results = 0
        self.memory = findings.Memory()
        self.withheld: Counter[tuple[str, str]] = Counter()

    def add_gems(self, advance: Callable[[float], None]) -> None:
        last = self._ledger.execute("SELECT max(id) FROM gems").fetchone()[0]
        rows = self._ledger.execute(f"SELECT {', '.join(_Gem._fields)} FROM gems ORDER BY id")
        while chunk := [_Gem._make(row) for row in rows.fetchmany(_TOGETHER)]:
            self._add_together([gem for gem in chunk if self._is_chosen(gem)])
            advance(chunk[-1].id / last)

    def add_rejections(self) -> None:
        names = ", ".join(_Rejection._fields)
        rows = self._ledger.execute(f"SELECT {names} FROM rejections ORDER BY id")
        while chunk := [_Rejection._make(row) for row in rows.fetchmany(_ROWS_TOGETHER)]:
            chosen = [row for row in chunk if self._is_chosen_rejection(row)]
            shown = [_cleaned(_shown_of_rejection(row)) for row in chosen]
            clean = self.memory.are_clean(text for texts in shown for text in texts)
            for rejection, texts in zip(chosen, shown, strict=True):
                if not clean and (reason := _finding(texts)):
                    self.withheld["rejections", reason] += 1
                else:
                    self._add_rejection(rejection, texts)

    def add_rejection_urls(self) -> None:
        rows = self._ledger.execute(
            "SELECT rejection_id, url_id, shared, counted, url, host"
            " FROM rejection_urls JOIN urls ON urls.id = url_id ORDER BY rejection_id, url_id"
        )
        while chunk := [_listed(row) for row in rows.fetchmany(_ROWS_TOGETHER)]:
            listed = [row for row in chunk if row.rejection_id in self._rejections]
            new = [row for row in listed if row.url_id not in self._urls]
            clean = self.memory.are_clean(text for row in new for text in row[4:])
            for row in listed:
                if reason := self._why_no_source(row, texts_are_clean=clean):
                    self.withheld["rejection_urls", reason] += 1
                else:
                    self._add_listed(row)

    def _add_listed(self, row: _Listed) -> None:
        url_id = self._url_id(row.url_id, row.address, row.host)
        self._rows.put(
            "rejection_urls",
            "rejection_id, url_id, shared, counted",
            (self._rejections[row.rejection_id], url_id, int(row.shared), int(row.counted)),
        )

    def flush(self) -> None:
        self._rows.flush()

    def _is_chosen(self, gem: _Gem) -> bool:
        reason = _why_not_public(gem) or self._why_not_chosen(gem)
        if reason:
            self.withheld["gems", reason] += 1
        return not reason

    def _is_chosen_rejection(self, rejection: _Rejection) -> bool:
        reason = self._why_no_rejection(rejection)
        if reason:
            self.withheld["rejections", reason] += 1
        return not reason

    def _why_no_rejection(self, rejection: _Rejection) -> str:
        if rejection.gem_id not in self._gems:
            return GEM_NOT_PUBLISHED
        if rejection.forced_gem_id is not None and rejection.forced_gem_id not in self._gems:
            return FORCED_IS_PRIVATE
        reason = _why_not_public(rejection)
        if reason:
            return reason
        if not _are_numbers(rejection):
            return NOT_A_NUMBER
        return self._why_not_chosen(rejection)

    def _why_not_chosen(self, row: _Gem | _Rejection) -> str:
        if row.origin == "history" and not self._choice.include_history:
            return FROM_HISTORY
        if self._choice.project is not None and row.project != self._choice.project:
            return OTHER_PROJECT
        return TOO_OLD if str(row.day) < self._choice.since else ""

    def _add_together(self, gems: list[_Gem]) -> None:
        """One look for all of them: nearly every one is clean."""
        found = [(gem, _cleaned(_shown_of_gem(gem)), self._results_of(gem)) for gem in gems]
        clean = self.memory.are_clean(
            text
            for _, shown, results in found
            for row in (shown, *(result[1:] for result in results))
            for text in row
        )
        for gem, shown, results in found:
            if not clean and (reason := _finding(shown)):
                self.withheld["gems", reason] += 1
            else:
                self._add_gem(gem, shown, self._publishable(results, texts_are_clean=clean))

    def _add_gem(self, gem: _Gem, shown: tuple[object, ...], results: list[_Result]) -> None:
        number = self._gems[gem.id] = len(self._gems) + 1
        self._add_results(number, results)
        self._rows.put(
            "gems",
            "id, result_count, topic, signature, provider, day",
            (number, len(results), *shown),
        )

    def _results_of(self, gem: _Gem) -> list[_Result]:
        snippet = "snippet" if self._choice.snippets else "''"
        rows = self._ledger.execute(
            f"SELECT url_id, coalesce(results.url, urls.url), host, title, published, {snippet}"
            " FROM results LEFT JOIN urls ON urls.id = url_id WHERE gem_id = ? ORDER BY rank",
            (gem.id,),
        )
        return [_Result(row[0], _address(*row[:2]), *_cleaned(row[2:])) for row in rows]

    def _publishable(self, results: list[_Result], *, texts_are_clean: bool) -> list[_Result]:
        kept = []
        for result in results:
            if reason := _why_no_result(result, texts_are_clean=texts_are_clean):
                self.withheld["results", reason] += 1
            else:
                kept.append(result)
        return kept

    def _add_results(self, gem: int, results: list[_Result]) -> None:
        columns = "id, gem_id, rank, url_id, title, published"
        columns += ", snippet" if self._choice.snippets else ""
        for rank, result in enumerate(results, start=1):
            self._results += 1
            texts = result[3:] if self._choice.snippets else result[3:5]
            row = (self._results, gem, rank, self._url_id_of(result), *texts)
            self._rows.put("results", columns, row)

    def _url_id_of(self, result: _Result) -> int | None:
        if result.url_id is None:
            return None
        return self._url_id(result.url_id, result.address, result.host)

    def _add_rejection(self, rejection: _Rejection, shown: tuple[object, ...]) -> None:
        number = self._rejections[rejection.id] = len(self._rejections) + 1
        self._rows.put(
            "rejections",
            "id, gem_id, score, threshold, shared, smaller, topic, signature, gate, signal, day",
            (
                number,
                self._gems[rejection.gem_id or 0],
                rejection.score,
                rejection.threshold,
                rejection.shared,
                rejection.smaller,
                *shown,
            ),
        )

    def _url_id(self, url_id: int, address: str | None, host: object) -> int:
        """The source's number in the edition; the first published address becomes its own."""
        known = self._urls.get(url_id)
        if known is not None:
            return known
        number = self._urls[url_id] = len(self._urls) + 1
        self._rows.put("urls", "id, url, host", (number, address, host))
        return number

    def _why_no_source(self, row: _Listed, *, texts_are_clean: bool) -> str:
        """For a source of a refused list: its address must be one that published rows brought."""
        if row.url_id in self._urls:
            return ""
        if self._has_stranger(
            "SELECT gem_id FROM results WHERE url_id = ?", row.url_id, self._gems
        ) or self._has_stranger(
            "SELECT rejection_id FROM rejection_urls WHERE url_id = ?", row.url_id, self._rejections
        ):
            return FOUND_BY_OTHERS
        if row.address is None:
            return _contains(findings.NOT_TO_BE_SHOWN)
        if texts_are_clean:
            return ""
        return _finding((row.host,)) or _contains(findings.in_address(row.address))

    def _has_stranger(self, sql: str, url_id: int, published: dict[int, int]) -> bool:
        return any(row[0] not in published for row in self._ledger.execute(sql, (url_id,)))


def _why_not_public(row: _Gem | _Rejection) -> str:
    if row.visibility != "open":
        return PRIVATE
    return "" if row.origin in _ORIGINS else UNKNOWN_ORIGIN


def _shown_of_gem(gem: _Gem) -> tuple[object, ...]:
    return gem.topic, gem.signature, gem.provider, gem.day


def _shown_of_rejection(rejection: _Rejection) -> tuple[object, ...]:
    texts = rejection.topic, rejection.signature, rejection.gate, rejection.signal
    return (*texts, rejection.day)


def _are_numbers(rejection: _Rejection) -> bool:
    """SQLite keeps any text in a column for numbers."""
    told = rejection.score, rejection.threshold, rejection.shared, rejection.smaller
    return all(isinstance(number, int | float | None) for number in told)


def _cleaned(texts: tuple[object, ...]) -> tuple[object, ...]:
    return tuple([_line(text) if isinstance(text, str) and text else text for text in texts])


def _finding(texts: tuple[object, ...]) -> str:
    """The first finding in cleaned texts, as a reason to withhold their row."""
    told = [text for text in texts if text is not None]
    strings = [text for text in told if isinstance(text, str)]
    if len(strings) < len(told):
        return NOT_TEXT
    if findings.are_clean(strings):
        return ""
    return _contains(next(filter(None, map(findings.in_text, strings)), ""))


def _address(url_id: int | None, address: object) -> str | None:
    """The address as it can be shown; without a source it is looked at, never shown."""
    text = address if isinstance(address, str) else ""
    return safe_url(text) if url_id is not None else text


def _listed(row: tuple[Any, ...]) -> _Listed:
    rejection_id, url_id, shared, counted, url, host = row
    (host,) = _cleaned((host,))
    return _Listed(rejection_id, url_id, shared, counted, _address(url_id, url), host)


def _why_no_result(result: _Result, *, texts_are_clean: bool) -> str:
    if result.address is None:
        return _contains(findings.NOT_TO_BE_SHOWN)
    if result.url_id is None and (kind := findings.in_address_left_out(result.address)):
        return _contains(kind)
    if texts_are_clean:
        return ""
    kind = findings.in_address(result.address) if result.address else ""
    return _finding(result[2:]) or _contains(kind)


def _contains(kind: str) -> str:
    return f"contains {kind}" if kind else ""


def _add_front(edition: sqlite3.Connection, front: Front) -> None:
    told = {
        "gemsearch": __version__,
        "title": front.title,
        "license": front.license,
        "made": front.made,
        "no_sql": str(int(front.no_sql)),
        "no_download": str(int(front.no_download)),
    }
    edition.executemany("INSERT INTO edition (name, value) VALUES (?, ?)", told.items())


def _derive(edition: sqlite3.Connection) -> None:
    """Counts and full-text tables, from nothing but the published rows."""
    schema.create_indexes(edition, "results")
    edition.execute(
        "UPDATE urls SET gem_count ="
        " (SELECT count(DISTINCT gem_id) FROM results WHERE results.url_id = urls.id)"
    )
    schema.create_indexes(edition, *(table for table in schema.TABLES if table != "results"))
    for table in schema.SEARCHED:
        edition.execute(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('rebuild')")
        edition.execute(f"INSERT INTO {table}_fts ({table}_fts) VALUES ('optimize')")


def _counts(edition: sqlite3.Connection) -> dict[str, int]:
    return {
        table: edition.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in schema.TABLES
    }
