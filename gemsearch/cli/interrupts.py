"""Turns a termination signal into an exception, so that a lease is released on the way out."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator


class Terminated(BaseException):
    """SIGTERM or SIGHUP arrived. Not an Exception, so that nothing swallows it."""


@contextmanager
def raising_on_termination() -> Iterator[None]:
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.signal(number, _terminate) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _terminate(*_: object) -> NoReturn:
    raise Terminated
