"""What must not be published in a text or an address: its kind, never the text itself."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import unquote

from gemsearch.core.canonical import Ignored, canonicalise
from gemsearch.core.secrets import LONG_WORD, find_private, find_secret
from gemsearch.core.text import safe_url

if TYPE_CHECKING:
    from collections.abc import Iterable

SIGNED = "a signed address or an address with a key"
NOT_TO_BE_SHOWN = "an address that must not be shown"
NOT_PUBLIC = "an address that is not on the public web"

# More white space than any pattern matches: texts joined by it are searched as if they were apart.
# Few texts hold a hint of a finding, so that looking for hints is what costs; once is enough.
_APART = "\n" * 12

_MOST_REMEMBERED = 1 << 21  # some 150 MB; what comes after is looked through each time

# Parameters whose very name says that the address opens something for its bearer.
_SIGNING = re.compile(
    r"[?&#;](?:x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|key-pair-id"
    r"|(?:access|refresh|id)_token|api_?key|client_secret|passw(?:or)?d)=[^&#;]",
    re.IGNORECASE,
)
_LONG_WORD = re.compile(rf"[A-Za-z0-9]{{{LONG_WORD},}}")


def in_text(text: str) -> str:
    """The kind of the first finding in cleaned text; "" when there is none."""
    found = find_secret(text) or find_private(text)
    return found.kind if found else _in_long_words(text)


def in_address(url: str) -> str:
    """The same for the address of a published source, as it stands and percent-decoded."""
    if safe_url(url) is None:
        return NOT_TO_BE_SHOWN
    if _SIGNING.search(url):
        return SIGNED
    return in_text(url) or ("%" in url and in_text(unquote(url))) or ""


def in_address_left_out(url: str) -> str:
    """The same where the address isn't published: the title may be that of a private page."""
    if not url:
        return ""
    canonical = canonicalise(url)
    if isinstance(canonical, Ignored) and canonical.reason.startswith("host:"):
        return NOT_PUBLIC
    return in_address(url)


class Memory:
    """What was found clean, by its hash: titles and addresses recur, and are checked in the end."""

    def __init__(self) -> None:
        self._clean: set[int] = set()

    def are_clean(self, texts: Iterable[object]) -> bool:
        """Whether all are texts without a finding; False may be a false alarm, True never is."""
        new: dict[int, str] = {}
        for text in texts:
            if isinstance(text, str):
                new[hash(text)] = text
            elif text is not None:
                return False
        for known in self._clean.intersection(new):
            del new[known]
        clean = are_clean(new.values())
        if clean and len(self._clean) < _MOST_REMEMBERED:
            self._clean.update(new)
        return clean


def are_clean(texts: Iterable[str]) -> bool:
    """Whether no text or address has a finding; False may be a false alarm, True never is.

    What makes an address unfit to be shown at all is not looked for.
    """
    together = _APART.join(texts)
    if in_text(together) or _SIGNING.search(together):
        return False
    return "%" not in together or not in_text(unquote(together))


def _in_long_words(text: str) -> str:
    """A full-text index keeps bare words without accents; a key may stand out only there."""
    if text.isascii():
        folded = text
    else:
        letters = unicodedata.normalize("NFD", text)
        folded = "".join(char for char in letters if not unicodedata.combining(char))
    words = _LONG_WORD.findall(folded)
    found = find_secret(_APART.join(words)) if words else None
    return found.kind if found else ""
