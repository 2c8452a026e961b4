"""SearXNG, a search server that people run themselves.

Two of its habits decide most of this file: it answers 200 with no results when every engine
behind it failed, and it takes a word that begins with `!`, `:` or `<` for a command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from gemsearch.core.model import Result
from gemsearch.core.text import clean_line
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import Adapter, Page, Request
from gemsearch.providers.outcome import (
    HINTS,
    complaint,
    default_failure,
    is_private_host,
    json_object,
    plain,
    retry_after,
    rows,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

    from gemsearch.providers.base import Answer, Settings

NAME = "searxng"
ENGINE_SECONDS = "7"  # one less than we wait for an answer: slow engines are then named in it
PUBLIC_WAIT = 3600.0  # the limiter of a public instance counts by the hour and sends no header
OWN_WAIT = 60.0
SHOWN = 80

SET_URL = "Type: export SEARXNG_URL=http://127.0.0.1:8888 (the address of your instance)"
IS_IT_SEARXNG = "Is this a SearXNG base URL? Open it in a browser: it should show a search page."
NO_JSON = "Add `json` to the list `search.formats` in the instance's settings.yml and restart it."
AS_USER = "Its proxy asks for a password: write the URL as https://USER:PASSWORD@HOST."
LIMITER = "Its limiter allows a few JSON calls an hour; your own instance can do without it."
BANG = "A `!!bang` leaves the instance; take it out of the topic or turn `raw_syntax` off."

_WEB = ("http", "https")
_PORTS = {"http": 80, "https": 443}


class SearXNG(Adapter):
    name = NAME
    env = ()
    needs_key = False
    failure_billed = False
    max_chars = 0
    max_words = 0
    min_interval = 0.0

    def build(self, topic: str, settings: Settings) -> Request:
        params = {
            "q": _sent(topic, settings),
            "format": "json",
            "timeout_limit": ENGINE_SECONDS,
            **_options(settings),
        }
        return Request("GET", f"{_base(settings)}/search", params, _headers())

    def parse(self, answer: Answer, topic: str, settings: Settings) -> Page:
        base = _base(settings)
        if answer.status != 200:
            raise _failure(answer, base)
        body = _body(answer)
        found = _listed(body)
        results = [_result(row) for row in rows(found) if _is_source(row.get("url"), base)]
        silent = _unresponsive(body.get("unresponsive_engines"))
        if silent and not results:
            raise _nobody_answered(silent)
        return Page(
            results,
            altered_topic=_altered(topic, body.get("query"), settings),
            partial=silent,
            dropped=len(found) - len(results),
        )


def _base(settings: Settings) -> str:
    """The instance's address, no slash at its end. It may hold a password: it is never shown."""
    try:
        parts = urlsplit(settings.text("url").strip())
        usable = parts.scheme in _WEB and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise _config("no usable SearXNG address is configured (http://… or https://…)", SET_URL)
    path = parts.path.removesuffix("/search").rstrip("/")  # as copied from a browser
    return f"{parts.scheme}://{parts.netloc}{path}"


def _headers() -> dict[str, str]:
    """What the limiter asks of a client: an Accept that admits HTML, and a language.

    The language also keeps the engines' error texts English.
    """
    return {"Accept": "application/json, text/html;q=0.5", "Accept-Language": "en"}


def _options(settings: Settings) -> dict[str, str]:
    options = {"language": settings.text("language"), "engines": _engines(settings)}
    if "safesearch" in settings.options:
        options["safesearch"] = _safesearch(settings.options["safesearch"])
    return {name: value for name, value in options.items() if value}


def _engines(settings: Settings) -> str:
    engines = settings.options.get("engines", "")
    if isinstance(engines, str):
        return engines
    if isinstance(engines, list) and all(isinstance(name, str) for name in engines):
        return ",".join(engines)
    raise _config("providers.searxng.engines isn't a list of names", HINTS["config"])


def _safesearch(level: object) -> str:
    if str(level) in {"0", "1", "2"}:
        return str(level)
    raise _config("providers.searxng.safesearch must be 0, 1 or 2", HINTS["config"])


def _sent(topic: str, settings: Settings) -> str:
    if settings.options.get("raw_syntax") is True:
        return topic
    return quoted(topic)


def quoted(topic: str) -> str:
    """The topic with every word in quotes that SearXNG would take for a command.

    Only a word's own first character protects it: quotes around the whole topic don't.
    """
    return re.sub(r"\S+", lambda found: _quoted_word(found[0]), topic)


def _quoted_word(word: str) -> str:
    is_timeout = word.startswith("<") and word[1:].isdigit()
    if not is_timeout and not word.startswith(("!", ":")):
        return word
    return '"' + word.replace('"', "") + '"'


def _altered(topic: str, answered: object, settings: Settings) -> str | None:
    """What was searched where it differs: the answer's `query` lacks words taken as commands."""
    searched = answered if isinstance(answered, str) else _sent(topic, settings)
    return None if searched.split() == topic.split() else searched


def _body(answer: Answer) -> dict[str, object]:
    kind = answer.headers.get("content-type", "json")
    if "json" not in kind.lower():
        raise _config(f"searxng answered 200 without JSON: {_beginning(answer)}", IS_IT_SEARXNG)
    return json_object(answer, NAME)


def _listed(body: Mapping[str, object]) -> list[object]:
    found = body.get("results")
    if not isinstance(found, list):
        raise _config("searxng answered JSON without a list of results", IS_IT_SEARXNG)
    return found


def _beginning(answer: Answer) -> str:
    text = answer.body[: SHOWN * 8].decode("utf-8", "replace")
    return clean_line(text, SHOWN) or "(an empty body)"


def _is_source(url: object, base: str) -> bool:
    """Whether a row leads to a page of the web: not null, not a script, not the instance itself."""
    if not isinstance(url, str):
        return False
    try:
        parts, own = urlsplit(url.strip()), urlsplit(base)
        if parts.scheme.lower() not in _WEB or not parts.hostname:
            return False
        return not (_origin(parts) == _origin(own) and _is_under(parts.path, own.path))
    except ValueError:
        return False


def _origin(parts: SplitResult) -> tuple[str | None, int | None]:
    return parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _is_under(path: str, root: str) -> bool:
    return path == root or path.startswith(f"{root}/")


def _result(row: Mapping[str, object]) -> Result:
    return Result(
        url=str(row["url"]).strip(),
        title=plain(row.get("title")),
        snippet=plain(row.get("content")),
        published=plain(row.get("publishedDate")),
    )


def _unresponsive(engines: object) -> list[str]:
    """`engine: reason` for every engine that failed. The reasons are translated: never logic."""
    if not engines:
        return []
    entries = engines if isinstance(engines, list) else [engines]
    return [_engine_line(entry) for entry in entries]


def _engine_line(entry: object) -> str:
    parts = entry if isinstance(entry, list) else [entry]
    return clean_line(": ".join(str(part) for part in parts), SHOWN)


def _nobody_answered(engines: list[str]) -> SearchFailed:
    shown = "; ".join(engines[:3])
    more = f"; and {len(engines) - 3} more" if len(engines) > 3 else ""
    return SearchFailed(
        "upstream",
        f"searxng has no results because engines behind it failed: {shown}{more}",
        provider=NAME,
        hint=HINTS["upstream"],
    )


def _failure(answer: Answer, base: str) -> SearchFailed:
    if 300 <= answer.status < 400:
        return _redirected(answer, base)
    if answer.status == 400:
        return _refused(answer)
    if answer.status == 401:
        return SearchFailed("auth", "searxng answered 401", provider=NAME, hint=AS_USER)
    if answer.status == 403:
        return _config(
            "searxng answered 403: its JSON format is probably off (search.formats)", NO_JSON
        )
    if answer.status == 429:
        return _limited(answer, base, "answered 429")
    return default_failure(answer, NAME)


def _refused(answer: Answer) -> SearchFailed:
    """SearXNG explains a 400 in JSON; any other 400 comes from something else at that address."""
    try:
        json_object(answer, NAME)
    except SearchFailed:
        return _config(f"searxng answered 400: {_beginning(answer)}", IS_IT_SEARXNG)
    return SearchFailed(
        "bad_query",
        f"searxng answered 400: {complaint(answer)}",
        provider=NAME,
        hint=HINTS["bad_query"],
    )


def _redirected(answer: Answer, base: str) -> SearchFailed:
    """The limiter sends to the instance's own start page, a bang to another site."""
    own = urlsplit(base)
    try:
        target = urlsplit(urljoin(f"{base}/search", answer.headers.get("location", "")))
        same = _origin(target) == _origin(own)
    except ValueError:
        return default_failure(answer, NAME)
    if same and target.scheme == own.scheme and target.path.rstrip("/") == own.path:
        return _limited(answer, base, "redirected to its start page")
    return SearchFailed(
        "redirect",
        f"searxng redirected to {clean_line(target.hostname or 'nowhere', SHOWN)}: not followed",
        provider=NAME,
        hint=HINTS["redirect"] if same else f"{BANG} Or: {HINTS['redirect']}",
    )


def _limited(answer: Answer, base: str, why: str) -> SearchFailed:
    wait = retry_after(answer.headers)
    if wait is None:
        wait = OWN_WAIT if is_private(base) else PUBLIC_WAIT
    return SearchFailed(
        "rate_limited",
        f"searxng {why}: its limiter refuses more searches for now",
        provider=NAME,
        hint=LIMITER,
        retry_after=wait,
    )


def is_private(url: str) -> bool:
    """Whether the URL's host is on this machine or network, so probably the user's own instance."""
    return is_private_host(urlsplit(url).hostname or "")


def _config(message: str, hint: str) -> SearchFailed:
    return SearchFailed("config", message, provider=NAME, hint=hint.format(provider=NAME))


ADAPTER = SearXNG()
