"""Names of files that are being made beside what they will become.

The process's number tells whose a draft is; numbers recur, in containers at once, so what a killed
process left must not be in the way of the next one: hence the rest of the name.
"""

from __future__ import annotations

import os

_END = ".new"


def draft_of(path: str) -> str:
    return f"{path}.{os.getpid()}.{os.urandom(4).hex()}{_END}"


def maker_of(draft: str, path: str) -> int | None:
    """The number of the process that makes or made this draft of `path`; None for another file."""
    if not (draft.startswith(f"{path}.") and draft.endswith(_END)):
        return None
    number, _, rest = draft[len(path) + 1 : -len(_END)].partition(".")
    return int(number) if number.isdecimal() and "." not in rest else None
