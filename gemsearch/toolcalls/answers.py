"""What a search call brought back.

Agents keep answers in many shapes: their own objects, a tool's content list, text, JSON in text,
lists in text. So a response is walked for rows with an address, for text, and for what says that
it failed; only then is it judged. Text goes to `listings` for its rows.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.model import Result
from gemsearch.toolcalls import listings

if TYPE_CHECKING:
    from collections.abc import Iterable

OK, EMPTY, FAILED, DENIED, MISSING = "ok", "empty", "failed", "denied", "missing"

MAX_RESULTS = 100  # as core.results has it; importing it would load the tables of addresses
_DEEPEST = 16
_MOST_VALUES = 20_000  # of one response, looked at
_LONGEST_TEXT = 6_000_000  # characters that are tried as JSON
_JUDGED = 600  # characters at the start of a text that say how it went

# Where rows and text lie, what tells more first. Nothing else is looked into: a row's own links
# are no results.
_WITHIN_NAMES = (
    "results",
    "web",
    "organic",
    "organic_results",
    "items",
    "webPages",
    "value",
    "hits",
    "data",
    "news",
    "search_results",
    "sources",
    "response",
    "functionResponse",
    "structuredContent",
    "structured_content",
    "resource",
    "toolUseResult",
    "details",
    "result",
    "run",
    "content",
    "parts",
    "output",
    "llmContent",
    "textResultForLlm",
    "stdout",
    "text",
    "message",
)
_WITHIN = {name: place for place, name in enumerate(_WITHIN_NAMES)}
_LISTS = frozenset(
    "content results web organic organic_results items hits data search_results sources".split()
)
_FAILURES = frozenset({"error", "failed", "failure", "timeout", "cancelled", "canceled", "aborted"})
_REFUSALS = frozenset({"denied", "rejected", "blocked"})
_FIELDS = {
    "url": (("url", "link", "href", "uri"), 8192),
    "title": (("title", "name"), 1200),
    "snippet": (
        ("snippet", "description", "content", "body", "text", "summary", "snippets", "excerpts",
         "highlights"),
        4000,
    ),
    "published": (
        ("published", "publishedDate", "published_date", "publishedAt", "page_age", "age", "date"),
        64,
    ),
}  # fmt: skip

_ADDRESS_NAMES = frozenset(_FIELDS["url"][0])
_ADDRESS = re.compile(r"https?://[^\s/]", re.IGNORECASE)

_AFTER_WORDS = re.compile(r"[\[{]\s{0,40}[\[{\"]")


class Answer(NamedTuple):
    """How a call went, and its results as `core.results.as_results` takes them.

    `status` is OK, EMPTY (worked, found nothing), FAILED, DENIED (refused before it ran, by a hook
    of ours, another's or a person) or MISSING (no answer was kept).
    """

    status: str
    results: tuple[Result, ...] = ()


def answer_of(response: object, *, failed: bool = False) -> Answer:
    """The answer in a response of any documented shape, structured or text.

    `failed` is what the agent's own flag says; it is not trusted to be set. Never raises: what
    can't be read is OK without results if it is text that says something, else MISSING.
    Only an OK answer has results, each address once, MAX_RESULTS at most.
    """
    seen = _Seen()
    seen.look(response)
    if seen.denied:
        return Answer(DENIED)
    if failed or seen.flagged:
        return Answer(FAILED)
    if seen.rows:
        return Answer(OK, tuple(seen.rows.values()))
    if seen.failed:
        return Answer(FAILED)
    if seen.empty:
        return Answer(EMPTY)
    return Answer(OK if seen.spoken else MISSING)


def is_refusal(text: object) -> bool:
    """Whether a text says that a call was refused before it ran, or its results afterwards."""
    return isinstance(text, str) and _refused().match(text[:_JUDGED].strip()) is not None


class _Seen:
    """What a walk through a response has met."""

    def __init__(self) -> None:
        self.rows: dict[str, Result] = {}
        self.denied = False
        self.flagged = False  # the tool's own flag says that it failed
        self.failed = False  # something in it says so
        self.empty = False
        self.spoken = False
        self._left = _MOST_VALUES

    def look(self, value: object, deep: int = 0) -> None:
        self._left -= 1
        if self._left < 0 or deep > _DEEPEST or len(self.rows) >= MAX_RESULTS:
            return
        if isinstance(value, str):
            self._read(value, deep)
        elif isinstance(value, dict):
            self._open(value, deep)
        elif isinstance(value, list | tuple):
            self.empty = self.empty or not value
            for one in value:
                if self._left < 0 or len(self.rows) >= MAX_RESULTS:
                    return
                self.look(one, deep + 1)

    def _open(self, found: dict[str, object], deep: int) -> None:
        inside = [name for name in found if name in _WITHIN]
        if len(inside) > 1:
            inside.sort(key=_WITHIN.__getitem__)
        row = _row(found)
        if row is not None and not any(_holds_rows(found[name]) for name in inside):
            self._keep([row])
            return
        self._note_flags(found)
        for name in inside:
            value = found[name]
            if value == [] and name in _LISTS:
                self.empty = True
            elif value:
                self.look(value, deep + 1)

    def _note_flags(self, found: dict[str, object]) -> None:
        said = _text(found.get("resultType")) or _text(found.get("status"))
        if said in _REFUSALS:
            self.denied = True
        if found.get("isError") is True or found.get("is_error") is True:
            self.flagged = True
        error = found.get("error")
        if isinstance(error, dict):
            error = error.get("message") or error.get("code") or "error"
        if is_refusal(error):
            self.denied = True
        told = bool(error) or "error_code" in found or found.get("success") is False
        if told or said in _FAILURES or _exit_code(found) not in {None, 0}:
            self.failed = True
        if "durationSeconds" in found and "results" in found:
            self.empty = True  # Claude's, in which text is commentary; counts only without rows

    def _read(self, text: str, deep: int) -> None:
        start = text[:_JUDGED].strip()
        if not start and not text.strip():
            return
        if is_refusal(start):
            self.denied = True
            return
        inner = _json_in(text)
        if isinstance(inner, dict | list):
            self.spoken = self.spoken or bool(inner)
            self.look(inner, deep + 1)
            return
        kept = len(self.rows)
        self._keep(listings.rows_in(text, MAX_RESULTS))
        if len(self.rows) == kept:
            self._read_around(text, deep)
        if len(self.rows) == kept:
            self._judge(start)

    def _read_around(self, text: str, deep: int) -> None:
        """JSON after a few words: `Wall time: 1 s`, `Output:`."""
        found = _AFTER_WORDS.search(text[:4000])
        if not found or deep > _DEEPEST // 2 or len(text) > _LONGEST_TEXT:
            return
        try:
            inner, _ = json.JSONDecoder().raw_decode(text, found.start())
        except (ValueError, RecursionError):
            return
        self.look(inner, deep + 1)

    def _judge(self, start: str) -> None:
        if _went_wrong().match(start):
            self.failed = True
        elif _nothing().search(start) or listings.is_claudes(start):
            self.empty = True
        else:
            self.spoken = True

    def _keep(self, rows: Iterable[Result]) -> None:
        for row in rows:
            if len(self.rows) >= MAX_RESULTS:
                return
            self.rows.setdefault(row.url, row)


def _row(found: dict[str, object]) -> Result | None:
    if _ADDRESS_NAMES.isdisjoint(found):
        return None
    fields = {name: _field(found, names, longest) for name, (names, longest) in _FIELDS.items()}
    return Result(**fields) if _ADDRESS.match(fields["url"]) else None


def _field(found: dict[str, object], names: Iterable[str], longest: int) -> str:
    for name in names:
        value = found.get(name)
        if not value:
            continue
        if isinstance(value, list):
            value = value[0]
        if isinstance(value, str) and value:
            return value if len(value) <= longest else _shortened(name, value, longest)
    return ""


def _shortened(name: str, value: str, longest: int) -> str:
    """An address that was cut would be another one."""
    return "" if name in _ADDRESS_NAMES else value[:longest]


def _holds_rows(value: object) -> bool:
    """Whether a field of what looks like a row is a list of objects: then it is no row itself."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _text(value: object) -> str:
    return value[:80].lower() if isinstance(value, str) else ""


def _exit_code(found: dict[str, object]) -> object:
    metadata = found.get("metadata")
    code = found.get("exit_code", found.get("exitCode"))
    if code is None and isinstance(metadata, dict):
        code = metadata.get("exit_code")
    return code if isinstance(code, int) else None


def _json_in(text: str) -> object:
    if len(text) > _LONGEST_TEXT or text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@cache
def _refused() -> re.Pattern[str]:
    """Refused before it ran: by us, by another's hook, a person or a permission rule."""
    return re.compile(
        r"\W{0,9}(?:[^\n]{0,200}\bhook\b[^\n]{0,160}?:\s*)?(?:(?:tool )?error:\s*){0,2}"
        r"(?-i:DUPLICATE (?:-|of #)|PENDING - )"  # our own words, told by their case
        r"|\W{0,9}(?:error: )?(?:hook )?(?:PreToolUse|BeforeTool)[: ]"
        r"|[^\n]{0,80}\b(?:blocked|denied|rejected) by (?:an? |the )?(?:\w{1,30} )?hook\b"
        r"|(?:error: )?tool execution (?:was )?(?:blocked|denied)\b"
        r"|the user (?:doesn't|does not) want to (?:proceed with|take) this"
        r"|(?:error: )?permission (?:to use|for) [^\n]{1,80} (?:has been |was )?denied"
        r"|(?:error: )?the user (?:has )?(?:rejected|denied|declined)\b",
        re.IGNORECASE,
    )


@cache
def _went_wrong() -> re.Pattern[str]:
    return re.compile(
        r"\W{0,9}(?:api error"
        r"|(?:(?:tool|mcp|search|http|network|internal|unknown) ){0,3}error\b\s*[:(\d-]"
        r"|<tool_use_error>|error (?:during|performing|executing|while)\b|traceback \(most recent"
        r"|failed to\b|\[request interrupted|operation cancell?ed|cancell?ed\b|timed? ?out\b"
        r"|(?:web )?(?:search|request|fetch|tool(?: call)?) (?:has |was )?(?:failed|timed out)"
        r"|(?:web )?search (?:for [^\n]{0,200} )?(?:was |is )?cancell?ed"
        r"|\w{0,20}rate.?limit|too many requests|request (?:timed out|interrupted|was aborted)"
        r"|unauthorized\b|service unavailable"
        r"|[45]\d\d (?:bad|unauthorized|payment|forbidden|not found|too many|internal|service))",
        re.IGNORECASE,
    )


@cache
def _nothing() -> re.Pattern[str]:
    return re.compile(
        r"no links found|no (?:(?:web|search|relevant|matching) ){0,3}results?(?: or information)?"
        r"(?: (?:were |was )?(?:found|available|returned|matched|for)\b|\.|$)"
        r"|\b0 results|did(?:n't| not) (?:find|return) any|nothing (?:was )?found",
        re.IGNORECASE,
    )
