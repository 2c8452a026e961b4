"""A topic's normal form: its distinct words, sorted. What the query gate compares.

Two forms exist. `published` is frozen: it is the published method's, word for word.
`exact` keeps what the published form throws away and measurement shows to matter:
stop words (without them "new you" is one word) and symbols (without them `c++` is `c#`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from gemsearch.core.text import clean_topic

SIGNATURE_VERSION = 1  # raised when either form changes; ledgers are then signed anew

PUBLISHED = "published"
EXACT = "exact"

STOP_WORDS = frozenset(
    """
    a an the of to in on for and or is are was were be been do does did how what why when where
    which who with by at from as it its this that these those i my me you your we our can could
    should would will vs using use via into about if not no s t
    """.split()
)

_WORD = re.compile(r"\w+")

# c++, c# and the like; .net and other dotted names; words; then symbols that stand alone: $@ <<< &&
_WORD_OR_SYMBOL = re.compile(r"\w+(?:\+\+|#)(?!\w)|(?<![\w.])\.\w+|\w+|(?<!\S)[^\w\s]+(?!\S)")
_AROUND_SYMBOLS = "\"'`()[]{}?,;:.!"  # punctuation around a symbol is not part of it
_MEANINGFUL_ALONE = frozenset("$@#%^~*\\<>")
_LAYOUT = frozenset("-_.…–—/•·")  # noqa: RUF001 a row of these separates words, as a blank does


class Topic(NamedTuple):
    """A proposed or stored topic with its signature in one form."""

    text: str
    signature: str

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.signature.split(" "))


def sign(text: str, form: str) -> Topic:
    return Topic(text, signature(text, form))


@lru_cache(512)  # one judgement signs its topic several times
def signature(text: str, form: str) -> str:
    """The normal form of `text`; empty when it has no word. Stable under itself."""
    folded = unicodedata.normalize("NFKC", clean_topic(text)).casefold()
    return " ".join(sorted(_published(folded) if form == PUBLISHED else _exact(folded)))


def content_words(words: frozenset[str]) -> frozenset[str]:
    """The words that are not stop words, or all of them when nothing else is left."""
    return words - STOP_WORDS or words


def _published(folded: str) -> frozenset[str]:
    return content_words(frozenset(_WORD.findall(folded)))


def _exact(folded: str) -> frozenset[str]:
    found = _WORD_OR_SYMBOL.findall(folded)
    return frozenset(filter(None, map(_word_or_meaningful_symbol, found)))


def _word_or_meaningful_symbol(found: str) -> str:
    if found[0].isalnum() or found[-1].isalnum() or "_" in found:
        return found
    symbol = found.strip(_AROUND_SYMBOLS)
    if len(symbol) < 2 and symbol not in _MEANINGFUL_ALONE:
        return ""
    return "" if _LAYOUT.issuperset(symbol) else symbol
