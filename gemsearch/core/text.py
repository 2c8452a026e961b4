"""The one place where untrusted text becomes printable: plain str in, plain str out.

Whole escape sequences go, then every character that can't be seen; the rest is put into NFC and its
white space is folded. The order matters: removing a hidden character may bring a letter and its
accent together, and only then can NFC join them.

What is lost on purpose: joiners and variation selectors. An emoji family falls apart into its
members, and Persian or Indic words lose their non-joiners. Both can smuggle text that nobody sees.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

MAX_TOPIC_CHARS = 400
MAX_TOPIC_WORDS = 32
MAX_URL_CHARS = 2_000

# A terminal draws any number of accents in no cells at all, and NFC sorts them in quadratic time
# (9 s for 100,000). Unicode's stream-safe text allows 30 in a row; no language needs more than 18.
MAX_MARKS = 30
CHARS_PER_CELL = 4  # the same trick against a limit that counts cells only

# What takes part in a line but can't be seen there. White space isn't listed: it is folded.
HIDDEN = (
    (0x0000, 0x0008),  # C0 without the nine that are white space
    (0x000E, 0x001B),
    (0x007F, 0x0084),  # DEL and C1 without NEL, another white space
    (0x0086, 0x009F),
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors
    (0x200B, 0x200F),  # zero-width, directional marks
    (0x202A, 0x202E),  # bidi embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, bidi isolates
    (0x2800, 0x2800),  # Braille blank
    (0x3164, 0x3164),  # Hangul filler
    (0xD800, 0xF8FF),  # lone surrogates, private use
    (0xFDD0, 0xFDEF),  # noncharacters
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),  # half-width Hangul filler
    (0xFFF0, 0xFFFC),  # ignorable, interlinear annotations, object replacement
    (0xFFFE, 0xFFFF),
    (0x13430, 0x1343F),  # hieroglyph joiners
    (0x16FE4, 0x16FE4),  # Khitan filler
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D159, 0x1D159),  # musical null notehead
    (0x1D173, 0x1D17A),  # musical format controls
    *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0x10000, 0xE0000, 0x10000)),
    (0xE0000, 0xE0FFF),  # tags, variation selectors supplement
    (0xEFFFE, 0x10FFFF),  # private use planes
)

# A string sequence (DCS, SOS, OSC, PM, APC, a screen title) runs to its terminator; one that has
# none ends before the next control character, so that it can't swallow the lines below it.
ESCAPES = (
    r"(?:\x1b[\]PX^_k]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x80-\x9f]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)

MEANINGFUL = frozenset("@#%&*/\\_")  # besides currency, mathematical and other symbols: `$@`, `&&`
REPLACEMENT = "\ufffd"

# Tags that end a line or a cell: the words on both sides must not grow together.
BREAKS = frozenset(
    "article aside blockquote br caption dd details div dl dt figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td"
    " tfoot th thead title tr ul".split()
)
# Only HTML's own names are tags: `vector<bool>` in a title is not one.
INLINE = frozenset(
    "a abbr acronym address audio b base bdi bdo big body button canvas center cite code del"
    " dfn dialog em embed fieldset font head html i iframe img input ins kbd label legend link"
    " mark math meta noscript picture q s samp script small source span strike strong style sub"
    " sup svg textarea tt u var video wbr".split()
)


def clean_line(text: str, limit: int | None = None) -> str:
    """Give one printable line; `limit` counts terminal cells and cuts with an ellipsis."""
    line = " ".join(_printable(text).split())
    return line if limit is None else _cut(line, limit)


def clean_block(text: str, limit: int | None = None) -> str:
    """Like clean_line, but keeps line ends and at most one empty line in a row."""
    if "\n" not in text:
        return clean_line(text, limit)
    lines = (" ".join(line.split()) for line in _printable(text).split("\n"))
    block = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return block if limit is None else _cut(block, limit)


def clean_layout(line: str) -> str:
    """Give a line that was laid out already, in columns or indented; its spaces stay.

    The last gate before a terminal: what a caller forgot to clean ends here.
    """
    return line if _is_plain(line) else _other_blanks().sub(" ", _printable(line))


def clean_markup(text: str, limit: int | None = None) -> str:
    r"""Turn a scrap of HTML into one printable line: tags go, entities are decoded once.

    Cleaned before, or `<scr\u200bipt>` would pass for text, and after, or `&#x202e;` would come out
    alive. Not to be applied twice.
    """
    return clean_line(_decoded(_without_tags(_printable(text))), limit)


def clean_topic(topic: str) -> str:
    """Give a proposed topic as it is judged, searched and stored: never shortened, case kept."""
    return clean_line(topic)


def clean_file_name(name: str) -> str:
    r"""Give a file name or path as it can be shown: what can't be seen is written out, `\u202e`.

    Nothing is dropped, so a person still finds the file and sees the trick.
    """
    if _is_plain(name):
        return name
    return _unseen().sub(_written_out, name)


def hidden_count(text: str) -> int:
    """Count the characters that clean_line removes unseen; white space doesn't count."""
    return 0 if _is_plain(text) else len(text) - len(_visible(text))


def cells(text: str) -> int:
    """Width of cleaned text in terminal cells: wide East Asian 2, combining 0, line end 1."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def safe_url(url: str) -> str | None:
    """Give an http or https URL that can be shown, or None.

    None for userinfo, a backslash in the host, hidden characters, over 2,000 characters. What
    breaks out of a quoted attribute is percent-encoded; letters of any script stay.
    """
    url = url.strip()
    if len(url) > MAX_URL_CHARS or not _is_shown_whole(url) or not _url_shape().fullmatch(url):
        return None
    return re.sub(r"[ \"<>`]", lambda odd: f"%{ord(odd[0]):02X}", url)


def topic_problem(topic: str) -> str | None:
    """Say why a topic is refused, or None. The length comes first: it bounds all other cost."""
    if len(topic) > MAX_TOPIC_CHARS:
        return f"the topic has {len(topic):,} characters; the limit is {MAX_TOPIC_CHARS}"
    topic = clean_topic(topic)
    if not topic:
        return "the topic is empty"
    if not any(map(_is_meaningful, topic)):
        return "the topic has neither a letter nor a digit"
    words = len(topic.split())
    if words > MAX_TOPIC_WORDS:
        return f"the topic has {words} words; the limit is {MAX_TOPIC_WORDS}"
    return None


def _is_plain(text: str) -> bool:
    # Most text is, and then no expression is compiled and nothing is copied.
    return text.isascii() and text.isprintable()


def _printable(text: str) -> str:
    """Without escape sequences and hidden characters, in NFC; white space is left to the caller."""
    if _is_plain(text):
        return text
    seen = _visible(text)
    if seen.isascii():
        return seen
    # Before, because NFC is quadratic in a run of marks; after, because NFC can lengthen a run.
    return _without_piles(unicodedata.normalize("NFC", _without_piles(seen)))


def _visible(text: str) -> str:
    return _hidden().sub("", text)


@cache
def _hidden() -> re.Pattern[str]:
    return re.compile(f"{ESCAPES}|[{_hidden_class()}]+")


@cache
def _unseen() -> re.Pattern[str]:
    return re.compile(f"[{_hidden_class()}]|[^\\S ]")


@cache
def _other_blanks() -> re.Pattern[str]:
    return re.compile(r"[^\S ]")


def _hidden_class() -> str:
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in HIDDEN)


def _written_out(unseen: re.Match[str]) -> str:
    return unseen[0].encode("unicode_escape").decode("ascii")


def _without_piles(text: str) -> str:
    """At most MAX_MARKS combining marks in a row."""
    classes = list(map(unicodedata.combining, text))
    if len(text) - classes.count(0) <= MAX_MARKS:
        return text
    kept = []
    run = 0
    for char, mark in zip(text, classes, strict=True):
        run = run + 1 if mark else 0
        if run <= MAX_MARKS:
            kept.append(char)
    return "".join(kept)


def _cut(text: str, limit: int) -> str:
    if limit <= 0:
        return ""
    if _room(text, limit, CHARS_PER_CELL * limit) == len(text):
        return text
    return text[: _room(text, limit - 1, CHARS_PER_CELL * limit - 1)].rstrip() + "…"


def _room(text: str, limit: int, most: int) -> int:
    """How many leading characters fit into `limit` cells and `most` characters."""
    if text.isascii():
        return min(len(text), limit)
    for index, char in enumerate(text[:most]):
        limit -= _cells_of(char)
        if limit < 0:
            return index
    return min(len(text), most)


def _cells_of(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.category(char) in {"Mn", "Me"} or "\u1160" <= char <= "\u11ff":
        return 0  # Hangul vowels and finals are drawn into the syllable before them
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def _is_meaningful(char: str) -> bool:
    if char.isalnum() or char in MEANINGFUL:
        return True
    return unicodedata.category(char).startswith("S") and char != REPLACEMENT


def _is_shown_whole(url: str) -> bool:
    return _is_plain(url) or not _unseen().search(url)


@cache
def _url_shape() -> re.Pattern[str]:
    host = r"(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#\\@:%\"<>`\[\]^|{}]+)"
    return re.compile(rf"https?://{host}(?::[0-9]{{0,5}})?(?:[/?#].*)?", re.IGNORECASE)


def _without_tags(text: str) -> str:
    if "<" not in text:
        return text
    return re.sub(r"<![^<>]*>|</?([A-Za-z][\w:-]*)((?:[\s/][^<>]*)?)>", _tag_text, text)


def _tag_text(tag: re.Match[str]) -> str:
    """What stands for a tag: a space, nothing, or the text itself when it is no tag."""
    if tag[1] is None:
        return ""
    name = tag[1].lower()
    if name in BREAKS:
        return " "
    return "" if name in INLINE or "=" in tag[2] else tag[0]


def _decoded(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape  # start-up

    # A number of thousands of digits makes unescape raise ValueError; no character has over 7.
    return unescape(re.sub(r"&#[xX]?0*[0-9A-Fa-f]{8,};?", REPLACEMENT, text))
