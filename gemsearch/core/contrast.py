"""Words that make two alike topics different: numbers, versions, negations, symbols, antonyms.

`postgres 15 upgrade notes` is 96 % similar to `postgres 16 upgrade notes` and yet a new topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NEGATIONS = frozenset(
    """
    no not non never without cannot cant dont doesnt isnt arent wont didnt
    don doesn isn aren won didn wasn weren hasn haven couldn shouldn wouldn
    """.split()
)

# Each row holds opposites: a word of one side against a word of the other makes two topics.
_OPPOSITES = (
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("enabling", "disabling"),
    ("before", "after"),
    ("import", "export"),
    ("imports", "exports"),
    ("importing", "exporting"),
    ("client", "server"),
    ("clientside", "serverside"),
    ("cpu", "gpu", "tpu"),
    ("upload", "download"),
    ("uploading", "downloading"),
    ("upgrade", "downgrade"),
    ("upgrading", "downgrading"),
    ("push", "pull"),
    ("read", "write"),
    ("reads", "writes"),
    ("reader", "writer"),
    ("reading", "writing"),
    ("input", "output"),
    ("ingress", "egress"),
    ("inbound", "outbound"),
    ("incoming", "outgoing"),
    ("open", "close", "closed"),
    ("start", "stop"),
    ("add", "remove"),
    ("adding", "removing"),
    ("create", "delete"),
    ("creating", "deleting"),
    ("allow", "deny", "block"),
    ("increase", "decrease"),
    ("ascending", "descending"),
    ("asc", "desc"),
    ("first", "last"),
    ("left", "right"),
    ("top", "bottom"),
    ("vertical", "horizontal"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("public", "private"),
    ("static", "dynamic"),
    ("sender", "receiver"),
    ("send", "receive"),
    ("frontend", "backend"),
    ("success", "failure"),
    ("true", "false"),
    ("up", "down"),
    ("on", "off"),
    ("in", "out"),
    ("with", "without"),
    ("internal", "external"),
    ("local", "remote"),
    ("online", "offline"),
    ("light", "dark"),
    ("pros", "cons"),
    ("advantages", "disadvantages"),
    ("amd64", "arm64"),
    ("windows", "macos", "linux"),
    ("ios", "android"),
)

# `lock` and `unlock` are opposites without a row of their own.
_REVERSING_PREFIXES = ("un", "de", "dis", "non", "in", "im", "ir", "anti")


def contrast(stored: frozenset[str], proposed: frozenset[str]) -> str:
    """What makes the two topics different although they look alike; empty when nothing does."""
    only_stored, only_proposed = stored - proposed, proposed - stored
    for kind, tells in _TELLING.items():
        ours, theirs = _listed(filter(tells, only_stored)), _listed(filter(tells, only_proposed))
        if ours != theirs:
            return f"{kind}: {ours} / {theirs}"
    return _opposite(only_stored, only_proposed)


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _has_symbol(word: str) -> bool:
    return not word.replace("_", "").isalnum()


# A word of one of these kinds that only one side has, or that differs, makes another topic.
_TELLING: dict[str, Callable[[str], bool]] = {
    "number": _has_digit,
    "negation": NEGATIONS.__contains__,
    "symbol": _has_symbol,
}


def _listed(words: Iterable[str]) -> str:
    return " ".join(sorted(words)) or "none"


def _opposite(only_stored: frozenset[str], only_proposed: frozenset[str]) -> str:
    for word in sorted(only_stored):
        for other in sorted(only_proposed):
            if _are_opposites(word, other):
                return f"opposites: {word} / {other}"
    return ""


def _are_opposites(word: str, other: str) -> bool:
    if any(word in row and other in row for row in _OPPOSITES):
        return True
    short, long = sorted((word, other), key=len)
    return len(short) > 3 and long.endswith(short) and long[: -len(short)] in _REVERSING_PREFIXES
