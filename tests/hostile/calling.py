"""Calls the command within this process: a hundred times as often as a process of its own."""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import contextmanager
from typing import NamedTuple

from gemsearch import cli, plugins
from tests.hostile.counted import TRIED
from tests.hostile.inert import alarms

CODES = {0, 1, 2, 3, 4, 5}


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def alarms(self):
        return alarms(self.out) + alarms(self.err)


class Stream(io.TextIOWrapper):
    """A standard stream as a process has it: strict UTF-8 over bytes, a terminal or not."""

    def __init__(self, content=b"", *, terminal=False):
        super().__init__(io.BytesIO(content), encoding="utf-8", newline="", write_through=True)
        self.terminal = terminal

    def isatty(self):
        return self.terminal

    @property
    def written(self):
        return self.buffer.getvalue().decode("utf-8", "surrogateescape")


def call(*arguments, stdin="", terminal=False, env=None):
    """Run one command; whatever it raises is the test's failure."""
    TRIED["commands"] += 1
    given = Stream(stdin.encode("utf-8", "surrogatepass"))
    out, err = Stream(terminal=terminal), Stream(terminal=terminal)
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = given, out, err
    try:
        with warnings_on(err), environment(env or {}):
            code = cli.run(list(arguments))
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    return Ran(code, out.written, err.written)


@contextmanager
def warnings_on(stream):
    """As Python shows warnings of loggers that nobody configured."""
    shown = logging.StreamHandler(stream)
    shown.setLevel(logging.WARNING)
    logger = logging.getLogger("gemsearch")
    logger.addHandler(shown)
    try:
        yield
    finally:
        logger.removeHandler(shown)


@contextmanager
def environment(more):
    before = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    plugins.providers.cache_clear()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
