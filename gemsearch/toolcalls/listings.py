"""Results that are written out as text, in the forms that search tools use.

::

    Links: [{"title": ..., "url": ...}]     Claude; a title may hold brackets
    Title: ...                              Exa, Brave and many more; fields in any order
    URL: ...                                or Link:
    [1] title (age)                         omp; Gemini has the address in the parentheses
        https://...
    1. [title](https://...)                 Markdown
    https://...                             a line of its own, where nothing else is listed
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING

from gemsearch.core.model import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

_READ = 2_000_000  # characters of a text that are looked at
_MOST_BLOCKS = 20  # of links: each costs up to the length of the text
_LONGEST_URL = 8192

_BLOCK = re.compile(r"\bLinks: (?=\[)")
_IN_TITLE = re.compile(r"[ \t](?:URL|Link):[ \t]*(https?://\S+)", re.IGNORECASE)
_CLAUDES = re.compile(r"\s{0,20}Web search results for query:")
_SOURCES = re.compile(r"^(?:#{1,4} )?Sources:?[ \t]{0,9}$", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_MARKDOWN = re.compile(r"(?:\*\*)?\[(.{1,400}?)\]\((https?://[^\s)]+)\)")
_AGE = re.compile(r"[ \t]\((\d[^()]{0,30} ago)\)$")

_URLS = frozenset({"url", "link", "href", "source url"})
_DATES = frozenset({"published", "published date", "age", "date"})
_BODIES = frozenset(
    {"text", "content", "highlights", "highlight"}
)  # pages: with lines of their own


def rows_in(text: str, most: int) -> list[Result]:
    """At most `most` results that a text lists, in its order, addresses as they are written."""
    text = text[:_READ]
    rows = _linked(text, most) if "Links: [" in text else []
    if rows or "://" not in text or is_claudes(text):
        return rows
    for heading in list(_SOURCES.finditer(text))[-1:]:
        rows = _listed(text[heading.end() :], most)  # what stands before it is the model's answer
    return rows or _listed(text, most)


def is_claudes(text: str) -> bool:
    """Whether a text is Claude's, in which only `Links:` are results."""
    return _CLAUDES.match(text) is not None


def _listed(text: str, most: int) -> list[Result]:
    listing = _Listing(most)
    for line in _line().finditer(text):
        listing.take(line)
        if listing.full:
            break
    return listing.rows()


def _linked(text: str, most: int) -> list[Result]:
    decoder = json.JSONDecoder()
    rows: list[Result] = []
    place = 0
    for _ in range(_MOST_BLOCKS):
        block = _BLOCK.search(text, place)
        if block is None or len(rows) >= most:
            break
        place = block.end()
        try:
            links, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        rows.extend(_links(links))
    return rows[:most]


def _links(links: object) -> Iterator[Result]:
    for link in links if isinstance(links, list) else ():
        url, title = (link.get("url"), link.get("title")) if isinstance(link, dict) else (None, "")
        if isinstance(url, str) and len(url) <= _LONGEST_URL and _ADDRESS.match(url):
            yield Result(url, title[:1200] if isinstance(title, str) else "")


def _address_at_end(text: str) -> tuple[str, str]:
    """What stands before the address that ends a line, and the address; "" if there is none."""
    text = text.rstrip()
    place = text.rfind("(http")
    if place >= 0:
        url = text[place + 1 :].removesuffix(")")
    else:
        url = text.rsplit(maxsplit=1)[-1].strip("<>[]") if text else ""
        place = len(text) - len(url)
    if " " in url or not _ADDRESS.match(url):
        return text, ""
    return text[:place].rstrip(" \t(<["), url


class _Listing:
    """Rows put together from lines: a title opens one, an address makes it a result."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rows: list[Result] = []
        self._bare: list[Result] = []
        self._open: dict[str, str] = {}
        self._numbered = ""  # the title on the line before, waiting for its address
        self._in_body = False

    @property
    def full(self) -> bool:
        return len(self._rows) >= self._most or len(self._bare) >= self._most

    def rows(self) -> list[Result]:
        """What was found; addresses alone count only if nothing else is listed."""
        self._close()
        return (self._rows or self._bare)[: self._most]

    def take(self, line: re.Match[str]) -> None:
        if line["field"] is not None:
            self._take_field(line["field"].lower(), line["value"].strip().strip("*").strip())
        elif self._in_body:
            return
        elif line["numbered"] is not None:
            self._take_numbered(line["numbered"].strip())
        elif line["target"] is not None:
            self._add(line["target"], line["label"])
        else:
            self._take_bare(line["bare"])

    def _take_field(self, name: str, value: str) -> None:
        if name == "title":
            self._take_title(value)
        elif self._in_body:
            return
        elif name in _URLS:
            self._take_url(value)
        elif name in _DATES:
            self._open.setdefault("published", value)
        else:
            self._open.setdefault("snippet", value)
            self._in_body = name in _BODIES and ("url" in self._open or "title" in self._open)

    def _take_title(self, value: str) -> None:
        if self._open.get("url") and not self._open.get("title") and not self._in_body:
            self._open["title"] = value  # a listing whose rows begin with the address
            return
        self._close()
        inline = _IN_TITLE.search(value)
        if inline:
            self._open = {"title": value[: inline.start()], "url": inline[1]}
        else:
            self._open = {"title": value}

    def _take_url(self, value: str) -> None:
        found = re.match(r"[<(\[]?(https?://[^\s>]+)", value)
        if not found:
            return
        if "url" in self._open:
            self._close()
        self._open["url"] = found[1]
        self._open.setdefault("title", self._numbered)
        self._numbered = ""

    def _take_numbered(self, text: str) -> None:
        self._close()
        linked = _MARKDOWN.match(text)
        if linked:
            self._add(linked[2], linked[1])
            return
        title, url = _address_at_end(text)
        if url:
            self._add(url, title)
        else:
            self._numbered = text.strip("*")

    def _take_bare(self, url: str) -> None:
        if self._numbered:
            age = _AGE.search(self._numbered)
            title = self._numbered[: age.start()] if age else self._numbered
            self._add(url, title, age[1] if age else "")
        elif "title" in self._open and "url" not in self._open:
            self._open["url"] = url
        else:
            self._bare.append(Result(url[:_LONGEST_URL]))

    def _add(self, url: str, title: str, published: str = "") -> None:
        self._close()
        self._open = {"url": url, "title": title.strip(), "published": published}

    def _close(self) -> None:
        opened, self._open, self._numbered, self._in_body = self._open, {}, "", False
        url = opened.get("url", "")
        if url and len(url) <= _LONGEST_URL:
            self._rows.append(
                Result(
                    url,
                    opened.get("title", "")[:1200],
                    opened.get("snippet", "")[:4000],
                    opened.get("published", "")[:64],
                )
            )


@cache
def _line() -> re.Pattern[str]:
    return re.compile(
        r"^[ \t]{0,16}(?:[-*\u2022>][ \t]{1,4})?(?:"
        r"(?:\*\*)?(?P<field>title|url|link|href|source url|published(?: date)?|age|date"
        r"|description|snippet|summary|text|content|highlights?)"
        r"(?:\*\*)?[ \t]?:(?:\*\*)?[ \t]*(?P<value>[^\n]*)"
        r"|\[?\d{1,3}[\].):][ \t]+(?P<numbered>[^\n]+)"
        r"|(?:\*\*)?\[(?P<label>[^\n]{1,400}?)\]\((?P<target>https?://[^\s)]+)\)[^\n]*"
        r"|<?(?P<bare>https?://[^\s>]+)>?[ \t]*"
        r")$",
        re.IGNORECASE | re.MULTILINE,
    )
