"""Words that make two alike topics different: numbers, versions, negations, symbols, antonyms.

`postgres 15 upgrade notes` is 96 % similar to `postgres 16 upgrade notes` and yet a new topic.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gemsearch.core.weights import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

NEGATIONS = frozenset(
    """
    no not non never without cannot cant dont doesnt isnt arent wont didnt
    don doesn isn aren won didn wasn weren hasn haven couldn shouldn wouldn
    """.split()
)

# Each line holds opposites: a word of a line on one side, another of it on the other side make two
# topics. Endings do not matter: `enabling` is the opposite of `disabled`.
_OPPOSITES = tuple(
    frozenset(map(stem, line.split()))
    for line in """
    enable disable
    before after
    import export
    client server
    clientside serverside
    cpu gpu tpu npu
    upload download
    upgrade downgrade
    push pull
    read write
    reader writer
    input output
    ingress egress
    inbound outbound
    incoming outgoing
    open close
    start stop
    start end
    add remove
    insert delete
    create delete
    attach detach
    allow deny block
    grant revoke
    increase decrease
    ascending descending
    asc desc
    first last
    left right
    top bottom
    above below
    horizontal vertical
    min max
    minimum maximum
    sync async
    synchronous asynchronous
    public private
    static dynamic
    sender receiver
    send receive
    encode decode
    encrypt decrypt
    compress decompress
    serialize deserialize
    mount unmount umount
    frontend backend
    success failure
    true false
    up down
    on off
    in out
    with without
    internal external
    local remote
    online offline
    light dark
    pros cons
    advantage disadvantage
    amd64 arm64
    windows macos linux
    ios android
    mysql postgres postgresql sqlite
    tcp udp
    """.strip().splitlines()
)

# `lock` and `unlock` are opposites without a line of their own.
_REVERSING_PREFIXES = frozenset(("un", "de", "dis", "non", "in", "im", "ir", "anti"))

_DIGITS = re.compile(r"\d+")


def contrast(stored: frozenset[str], proposed: frozenset[str]) -> str:
    """What makes the two topics different although they look alike; empty when nothing does."""
    only_stored, only_proposed = stored - proposed, proposed - stored
    for kind, telling in _TELLING.items():
        ours, theirs = _listed(telling(only_stored)), _listed(telling(only_proposed))
        if ours != theirs:
            return f"{kind}: {ours} / {theirs}"
    return _opposite(only_stored, only_proposed)


def _numbers(words: Iterable[str]) -> Iterator[str]:
    """The digits of the words: `v16` and `16` are one number, `wal2` and `wal` are not."""
    return (digits for word in words for digits in _DIGITS.findall(word))


def _negations(words: frozenset[str]) -> Iterable[str]:
    return words & NEGATIONS


def _symbols(words: Iterable[str]) -> Iterator[str]:
    return (word for word in words if not word.replace("_", "").isalnum())


# Words of one of these kinds that only one side has, or that differ, make another topic.
_TELLING: dict[str, Callable[[frozenset[str]], Iterable[str]]] = {
    "number": _numbers,
    "negation": _negations,
    "symbol": _symbols,
}


def _listed(words: Iterable[str]) -> str:
    return " ".join(sorted(words)) or "none"


def _opposite(only_stored: frozenset[str], only_proposed: frozenset[str]) -> str:
    for word in sorted(only_stored):
        for other in sorted(only_proposed):
            if _are_opposites(stem(word), stem(other)):
                return f"opposites: {word} / {other}"
    return ""


def _are_opposites(word: str, other: str) -> bool:
    if word != other and any(word in line and other in line for line in _OPPOSITES):
        return True
    short, long = sorted((word, other), key=len)
    return len(short) > 3 and long.endswith(short) and long[: -len(short)] in _REVERSING_PREFIXES
