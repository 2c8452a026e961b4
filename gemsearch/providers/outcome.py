"""What an answer means: pure functions that every adapter shares. No network, no httpx."""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING

from gemsearch.core.text import clean_line, clean_markup
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gemsearch.core.model import Result
    from gemsearch.providers.base import Answer

SHOWN = 80  # characters of a strange answer that a message repeats
LONGEST_WAIT = 3600.0

HINTS = {
    "auth": "Check the key: `gemsearch keys set {provider}`.",
    "quota": "The plan or its credits are used up: see your account there, or choose another.",
    "config": "Check the URL and options: `gemsearch config get providers.{provider}`.",
    "redirect": "Set the final URL: redirects are not followed, they could leak the key.",
    "upstream": "Nothing was found wrong with the call: try the same topic later.",
    "rate_limited": "Try the same topic later.",
    "bad_response": "Try again later; if it stays, check the provider's URL.",
    "bad_query": "Rephrase the topic.",
    "query_too_long": "Shorten the topic.",
    "blocked": "The provider refuses this search for legal reasons; choose another provider.",
}

_PRIVATE_NAMES = (".localhost", ".local", ".lan", ".internal", ".home.arpa")

# Kinds of the statuses that don't follow from their first digit.
_KINDS = {
    400: "bad_query",
    401: "auth",
    402: "quota",
    403: "auth",
    404: "config",
    405: "config",
    406: "config",
    407: "config",  # the proxy wants a password
    408: "upstream",
    410: "config",
    413: "query_too_long",
    414: "query_too_long",
    415: "config",
    422: "bad_query",
    425: "upstream",
    429: "rate_limited",
    432: "quota",  # Tavily: plan limit
    433: "quota",  # Tavily: pay-as-you-go limit
    451: "blocked",
}

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?", re.ASCII)
_TITLE = re.compile(r"<title[^>]*>([^<]*)", re.IGNORECASE)
_EPOCH = 1_000_000_000  # a reset beyond this is a date, not a number of seconds


def json_object(answer: Answer, provider: str) -> dict[str, object]:
    """The body as a JSON object; anything else is a `bad_response`."""
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        raise bad_response(answer, provider, "no JSON") from None
    if not isinstance(found, dict):
        raise bad_response(answer, provider, "JSON of an unexpected shape")
    return found


def bad_response(answer: Answer, provider: str, why: str) -> SearchFailed:
    """The failure for an answer that can't be read; it shows how the answer begins."""
    shown = clean_line(answer.body[: SHOWN * 8].decode("utf-8", "replace"), SHOWN)
    return SearchFailed(
        "bad_response",
        f"{provider} answered {answer.status} with {why}: {shown or '(an empty body)'}",
        provider=provider,
        hint=HINTS["bad_response"],
    )


def default_failure(answer: Answer, provider: str) -> SearchFailed:
    """What the status alone says; an adapter asks this after its own special cases."""
    kind = status_kind(answer.status)
    if kind == "bad_response":
        return bad_response(answer, provider, "something unexpected")
    said = complaint(answer)
    return SearchFailed(
        kind,
        f"{provider} answered {answer.status}{': ' if said else ''}{said}",
        provider=provider,
        hint=HINTS[kind].format(provider=provider),
        retry_after=retry_after(answer.headers),
    )


def status_kind(status: int) -> str:
    if status in _KINDS:
        return _KINDS[status]
    if 300 <= status < 400:
        return "redirect"
    if 500 <= status < 600:
        return "upstream"
    return "bad_response"


def complaint(answer: Answer) -> str:
    """The provider's own words about a failure, on one clean line."""
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        found = _title_or_text(answer.body[:4096].decode("utf-8", "replace"))
    return clean_line(plain(_first_words(found)), SHOWN)


def _title_or_text(text: str) -> str:
    """The title of an HTML page (its source says nothing to a person), any other text as it is."""
    if not text.lstrip().startswith("<"):
        return text
    title = _TITLE.search(text)
    return title[1] if title else "an HTML page"


def _first_words(found: object) -> str:
    """The text under the names that error bodies use, however they nest it."""
    if isinstance(found, str):
        return found
    if not isinstance(found, dict):
        return ""
    for name in ("error", "detail", "message", "code"):
        words = _first_words(found.get(name))
        if words:
            return words
    return ""


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait, 0 to 3600; None when the headers don't say or say nonsense.

    `Retry-After` may be a number, a date or a list; `X-RateLimit-Reset` counts if it is missing.
    """
    moment = time.time() if now is None else now
    for name in ("retry-after", "x-ratelimit-reset"):
        seconds = _seconds(headers.get(name, ""), moment)
        if seconds is not None:
            return min(max(seconds, 0.0), LONGEST_WAIT)
    return None


def _seconds(text: str, now: float) -> float | None:
    whole = text.strip()
    first = whole.split(",")[0].strip()  # Brave: "1, 1419704" is per second, per month
    if _NUMBER.fullmatch(first):
        number = float(first)
        return number - now if number > _EPOCH else number
    try:
        return parsedate_to_datetime(whole).timestamp() - now
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def plain(text: object) -> str:
    """A title or snippet as plain text: tags out, entities resolved once, NFC, single spaces.

    Not to be applied twice, nor `clean_markup` after it: what was an entity is text by then.
    """
    return clean_markup(text) if isinstance(text, str) else ""


def is_private_host(host: str) -> bool:
    """Whether a host is on this machine or network; `host` is lower case, without brackets."""
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(_PRIVATE_NAMES)
    return address.is_loopback or address.is_private or address.is_link_local


def page_of(
    found: object,
    result: Callable[[Mapping[str, object]], Result],
    answer: Answer,
    provider: str,
) -> Page:
    """The rows with a web address as results; an empty page only where there are no rows at all.

    Rows of which none has an address are no answer: the service must have changed its shape.
    """
    if not isinstance(found, list):
        raise bad_response(answer, provider, "no list of results")
    results = [
        made for made in map(result, rows(found)) if made.url.startswith(("http://", "https://"))
    ]
    if found and not results:
        raise bad_response(answer, provider, "results that have no URL")
    return Page(results, dropped=len(found) - len(results))


def rows(value: object) -> list[dict[str, object]]:
    """The objects of a JSON list; whatever isn't one is left out."""
    if not isinstance(value, list):
        return []
    return [row for row in value if isinstance(row, dict)]
