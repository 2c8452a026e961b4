"""Run another program for one search: a deadline, a size limit, and nothing left running."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import IO, Self

OUTPUT_LIMIT = 2 * 1024 * 1024
GRACE = 1.0  # between SIGTERM and SIGKILL
LINGER = 0.3  # for what a program's own children still print after it ended
# A search program needs these; keys of other services are none of its business.
PASSED_ON = {
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
}


class Finished(NamedTuple):
    """`ended` is "exit", "timeout" or "too_long"; `code` counts for "exit" only."""

    ended: str
    code: int
    output: bytes
    complaint: bytes


def environment(more: Sequence[str] = ()) -> dict[str, str]:
    """The variables a child gets: the list above, locale and XDG ones, and those asked for."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name in more or name.startswith(("LC_", "XDG_"))
    }


def run(argv: Sequence[str], text: bytes, env: Mapping[str, str], seconds: float) -> Finished:
    """Run `argv` in a process group of its own with `text` on standard input.

    Raises OSError where it can't be started and ValueError where an argument holds a NUL.
    """
    child = subprocess.Popen(  # noqa: S603 - no shell; argv is the user's own
        list(argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(env),
        start_new_session=True,
        bufsize=0,
    )
    with _Pipes(child, text) as pipes:
        ended = pipes.transfer(time.monotonic() + seconds)
        if ended == "exit":
            child.wait()
        return Finished(ended, child.returncode or 0, bytes(pipes.output), bytes(pipes.complaint))


class _Pipes:
    """The three pipes of a child; on leaving, the child and its group are gone."""

    def __init__(self, child: subprocess.Popen[bytes], text: bytes) -> None:
        self.child = child
        self.unwritten = text
        self.output = bytearray()
        self.complaint = bytearray()
        self.selector = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        for pipe, direction in (
            (self.child.stdin, selectors.EVENT_WRITE),
            (self.child.stdout, selectors.EVENT_READ),
            (self.child.stderr, selectors.EVENT_READ),
        ):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self.selector.register(pipe, direction)
        return self

    def __exit__(self, *_: object) -> None:
        # A pipe that is still open after the end has a grandchild at its other side.
        if self.child.poll() is None or self._reading():
            end_group(self.child)
        self.selector.close()
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def transfer(self, deadline: float) -> str:
        end = deadline
        while self._reading():
            if self.child.poll() is not None and end == deadline:
                end = min(deadline, time.monotonic() + LINGER)
            if time.monotonic() >= end:
                return "exit" if self.child.poll() is not None else "timeout"
            for ready, _ in self.selector.select(0.05):
                self._move(ready.fileobj)  # type: ignore[arg-type]
            if len(self.output) > OUTPUT_LIMIT:
                return "too_long"
        return self._await_exit(deadline)

    def _await_exit(self, deadline: float) -> str:
        try:
            self.child.wait(max(deadline - time.monotonic(), 0.001))
        except subprocess.TimeoutExpired:
            return "timeout"
        return "exit"

    def _reading(self) -> bool:
        open_pipes = [ready.fileobj for ready in self.selector.get_map().values()]
        return any(pipe is not self.child.stdin for pipe in open_pipes)

    def _move(self, pipe: IO[bytes]) -> None:
        if pipe is self.child.stdin:
            self._write(pipe)
            return
        chunk = os.read(pipe.fileno(), 65536)
        if not chunk:
            self.selector.unregister(pipe)
        elif pipe is self.child.stdout:
            self.output += chunk
        else:
            self.complaint = (self.complaint + chunk)[-4096:]

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            written = os.write(pipe.fileno(), self.unwritten[:65536]) if self.unwritten else 0
        except BrokenPipeError:  # a program need not read its input
            written = len(self.unwritten)
        self.unwritten = self.unwritten[written:]
        if not self.unwritten:
            self.selector.unregister(pipe)
            with suppress(OSError):
                pipe.close()


def end_group(child: subprocess.Popen[bytes]) -> None:
    """SIGTERM to the whole group, SIGKILL to what is left of it."""
    _signal_group(child, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        child.wait(GRACE)
    _signal_group(child, signal.SIGKILL)
    child.wait()


def _signal_group(child: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)
