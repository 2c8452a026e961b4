"""What went wrong in hooks. They let the search go on and say nothing; `doctor` shows this.

One line for each time, beside the ledger, else in the user's own folder for such things. Two files
of at most MOST_BYTES are kept, readable by the user alone. A topic never stands here.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gemsearch import errors
from gemsearch.core.text import clean_line
from gemsearch.ledger.times import iso

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64 * 1024
_LONGEST = 400  # characters of a line
_OLDER = ".1"


def write(ledger: str, agent: str, phase: str, problem: BaseException | str) -> None:
    """Add a line; `ledger` is a path or "". Whatever prevents it is no reason to fail."""
    problem = problem if isinstance(problem, str) else _described(problem)
    said = f"{iso(datetime.now(UTC))} {agent} {phase}: {problem}"
    line = f"{clean_line(said, _LONGEST)}\n".encode("utf-8", "replace")
    for path in _places(ledger):
        with suppress(OSError):
            if path != _beside(ledger):
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            _append(path, line)
            return


def entries(ledger: str, most: int = 20) -> list[str]:
    """The last lines, oldest first; each begins with its time, ISO 8601."""
    lines = [line for path in _places(ledger) for line in _lines(path)]
    return sorted(lines)[-most:]


def _described(error: BaseException) -> str:
    """An error in words that hold no text of the agent's."""
    if isinstance(error, errors.BadTopic):
        return error.message.partition(":")[0]
    if isinstance(error, errors.GemsearchError):
        return f"{type(error).__name__}: {error.message}"
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    where = trace and f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
    return f"{type(error).__name__}{where or ''}"


def _places(ledger: str) -> Iterator[str]:
    if ledger:
        yield _beside(ledger)
    base = os.environ.get("XDG_STATE_HOME", "")
    folder = base if os.path.isabs(base) else os.path.expanduser("~/.local/state")
    if os.path.isabs(folder) and not folder.startswith("/.local"):
        yield os.path.join(folder, "gemsearch", "hook.log")


def _beside(ledger: str) -> str:
    return f"{ledger}.hook.log"


def _append(path: str, line: bytes) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, line)
        full = os.fstat(descriptor).st_size > MOST_BYTES
    finally:
        os.close(descriptor)
    if full:
        os.replace(path, path + _OLDER)


def _lines(path: str) -> list[str]:
    found: list[str] = []
    for name in (path + _OLDER, path):
        with suppress(OSError), open(name, encoding="utf-8", errors="replace") as file:
            found += [clean_line(line) for line in file if line.strip()]
    return found
