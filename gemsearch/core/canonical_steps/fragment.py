"""The fragment: a place on the page is dropped, a page of its own is kept."""

from __future__ import annotations

import re

from gemsearch.core.canonical_steps.parse import unescape
from gemsearch.core.canonical_steps.patterns import pattern
from gemsearch.core.canonical_steps.query import is_tracker
from gemsearch.core.canonical_steps.text import spell_fragment

_KEY_VALUE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*=")
# Views of one document: a PDF's page, a sheet's tab, a player's second, an editor's heading.
_PLACES = frozenset("page gid v t scrollto heading xtor".split())
# A page's state packed into letters and digits, as editors and players link to it.
_STATE = r"[A-Za-z0-9]{32}"
_EMPTY_ROUTES = frozenset({"/", "!", "!/"})


def route(raw: str, path: str) -> str:
    """Return what of a fragment names a document of its own ("" for a place on the page)."""
    text = unescape(spell_fragment(raw)).partition(":~:")[0]
    if _KEY_VALUE.match(text):
        text = "" if path.endswith(".pdf") else _off_places(text)
        if _KEY_VALUE.match(text):
            return text
    if text in _EMPTY_ROUTES:
        return ""
    if "/" in text or text.startswith("!") or pattern(_STATE).search(text):
        return text
    return ""


def _off_places(text: str) -> str:
    return "&".join([part for part in text.split("&") if not _is_place(part)])


def _is_place(part: str) -> bool:
    name, equals, value = part.partition("=")
    return bool(equals) and (name.lower() in _PLACES or is_tracker(name, value))
