"""Runs commands in forked children and kills or fails them at a chosen moment.

    python driver.py SOCKET FOLDER [everything]

Started once, it imports what the commands need; a child then costs milliseconds, so that thousands
of moments can be tried. It opens no database itself. Each line on the socket is a Request as JSON,
each answer an Ended.

A moment is the start of an SQL statement (those of triggers too), a write, truncation or deletion
that SQLite asks the system for, or a file that Python opens, links, renames or removes. The moments
of a child are numbered from 1, so that the same command meets the same ones in the same order.
SQLite's calls are reached through its own interface for testing, `xSetSystemCall`.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import sqlite3
import sys
import time
from contextlib import suppress
from datetime import datetime, timedelta
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, NamedTuple

KILL, TEAR, FULL, FAIL, UNLOCKABLE = "kill", "tear", "full", "fail", "unlockable"
SIGNALS = {"interrupt": signal.SIGINT, "terminate": signal.SIGTERM}
WRITES = ("write", "pwrite", "pwrite64")

READY = """
gemsearch.cli gemsearch.cli.search gemsearch.cli.record gemsearch.cli.check gemsearch.cli.importing
gemsearch.cli.publish gemsearch.cli.backup gemsearch.cli.forget gemsearch.cli.mark
gemsearch.cli.configure gemsearch.cli.doctor gemsearch.novelty gemsearch.batch gemsearch.config
gemsearch.core.results gemsearch.core.secrets gemsearch.ledger.opening gemsearch.ledger.pace
gemsearch.ledger.index.upkeep gemsearch.ledger.reading gemsearch.care.transfer
gemsearch.care.repair gemsearch.care.forgetting gemsearch.ledger.signing
gemsearch.editions.build gemsearch.editions.saving gemsearch.providers.registry
gemsearch.providers.replay gemsearch.cli.mine gemsearch.history.backfill
gemsearch.history.collecting gemsearch.agents.hook gemsearch.agents.before gemsearch.agents.after
gemsearch.agents.log gemsearch.agents.adapters.claude_code gemsearch.toolcalls.answers logging
""".split()


class Request(NamedTuple):
    """A command line, what surrounds it, and what befalls it.

    `how` is KILL (before the moment), TEAR (killed with a write half done), FULL (from the moment
    on every write fails for want of space), FAIL (that one write does), UNLOCKABLE (no lock can be
    had, from the beginning) or the name of a signal, sent right after the moment; `at` is the
    moment, 0 for none. `clock` is in seconds from now,
    `most_pages` an upper limit for every database, `changed` new values for constants such as
    "gemsearch.ledger.index.upkeep:SEALED_AT". As root `user` is who runs the command.
    """

    arguments: list[str]
    folder: str
    env: dict[str, str]
    entry: str = "gemsearch.cli:main"
    stdin: str = ""
    at: int = 0
    how: str = KILL
    clock: float = 0.0
    most_pages: int = 0
    changed: dict[str, Any] = {}  # noqa: RUF012 - never changed itself
    user: int = 0


class Ended(NamedTuple):
    """`code` is the exit code, negative for a signal; `writes` are the moments that write."""

    code: int
    out: str
    err: str
    moments: int
    writes: list[int]


class Moments:
    """Counts them where the parent can read, even of a child that was killed."""

    MOST = 1 << 20

    def __init__(self, at: int, how: str, shared: mmap.mmap) -> None:
        self._at = at
        self._how = how
        self._shared = shared
        self._count = 0
        self.kept: list[object] = []  # what C holds on to

    def watch(self, most_pages: int) -> None:
        connect = sqlite3.connect

        def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection = connect(*arguments, **options)
            if most_pages:
                connection.execute(f"PRAGMA max_page_count = {most_pages}").close()
            connection.set_trace_callback(lambda _: self.passed())
            return connection

        def audit(event: str, arguments: tuple[Any, ...]) -> None:
            if event in {"os.rename", "os.link", "os.remove", "os.mkdir"} or (
                event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_ACCMODE
            ):
                self.passed()
                if self.is_full() and event != "os.remove":
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        sqlite3.connect = watched
        sys.addaudithook(audit)
        if self._how not in SIGNALS:  # a signal must not hit a callback that C can't get out of
            _on_system_calls(self)

    def passed(self, *, writing: bool = False) -> None:
        self._count += 1
        if self._count < self.MOST:
            self._shared[self._count] = 1 + writing
        if self._count != self._at:
            return
        if self._how == KILL:
            die()
        elif self._how in SIGNALS:
            # Not here: what a callback raises never reaches the command.
            signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), SIGNALS[self._how]))
            signal.setitimer(signal.ITIMER_REAL, 0.0002)

    def is_full(self) -> bool:
        if self._how == FAIL:
            return self._count == self._at
        return self._how == FULL and 0 < self._at <= self._count

    @property
    def is_without_locks(self) -> bool:
        return self._how == UNLOCKABLE

    def is_torn(self) -> bool:
        return self._how == TEAR and self._count == self._at


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _Vfs(ctypes.Structure):
    """sqlite3_vfs, version 3."""

    _fields_ = [
        ("version", ctypes.c_int),
        ("sizes", ctypes.c_int * 2),
        ("pointers", ctypes.c_void_p * 16),
        ("set_system_call", ctypes.CFUNCTYPE(*[ctypes.c_int, *[ctypes.c_void_p] * 3])),
        (
            "get_system_call",
            ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p),
        ),
    ]


def find_vfs() -> _Vfs | None:
    """The system interface of the SQLite that Python uses; None where it is out of reach."""
    import _sqlite3

    try:
        find = ctypes.CDLL(getattr(_sqlite3, "__file__", None)).sqlite3_vfs_find
    except (OSError, AttributeError):
        return None
    find.restype = ctypes.POINTER(_Vfs)
    found = find(None)
    return found.contents if found and found.contents.version >= 3 else None


def _on_system_calls(moments: Moments) -> None:
    vfs = find_vfs()
    if vfs is None:
        return
    size, offset = ctypes.c_size_t, ctypes.c_longlong
    write = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, size]
    shapes = {
        "write": write,
        "pwrite": [*write, offset],
        "pwrite64": [*write, offset],
        "ftruncate": [ctypes.c_int, ctypes.c_int, offset],
        "unlink": [ctypes.c_int, ctypes.c_char_p],
    }
    if moments.is_without_locks:
        shapes["fcntl"] = [ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    for name, shape in shapes.items():
        kind = ctypes.CFUNCTYPE(*shape, use_errno=True)
        address = vfs.get_system_call(ctypes.addressof(vfs), name.encode())
        if not address:
            continue
        instead = kind(_instead_of(name, kind(address), moments))
        moments.kept.append(instead)
        pointer = ctypes.cast(instead, ctypes.c_void_p)
        vfs.set_system_call(ctypes.addressof(vfs), ctypes.c_char_p(name.encode()), pointer)


def _instead_of(name: str, original: Any, moments: Moments) -> Any:
    if name == "fcntl":

        def lock(file: int, command: int, argument: int) -> int:
            if command not in {fcntl.F_SETLK, fcntl.F_SETLKW}:
                return int(original(file, command, argument))
            ctypes.set_errno(errno.ENOLCK)
            return -1

        return lock
    if name not in WRITES:

        def simple(*arguments: Any) -> int:
            moments.passed()
            return int(original(*arguments))

        return simple

    def write(file: int, content: int, size: int, *where: int) -> int:
        moments.passed(writing=True)
        if moments.is_full():
            ctypes.set_errno(errno.ENOSPC)
            return -1
        if moments.is_torn():
            original(file, content, size // 2, *where)
            die()
        return int(original(file, content, size, *where))

    return write


def run(request: Request, folder: str) -> Ended:
    """One command in a child of its own."""
    shared = mmap.mmap(-1, Moments.MOST)
    names = [os.path.join(folder, f"{os.getpid()}.{end}") for end in ("in", "out", "err")]
    with open(names[0], "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(request.stdin)
    child = os.fork()
    if child == 0:
        _become(request, names, shared)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    passed = bytes(shared).rstrip(b"\0")[1:]
    shared.close()
    texts = [open(name, encoding="utf-8", errors="replace").read() for name in names[1:]]  # noqa: SIM115
    writes = [number for number, kind in enumerate(passed, start=1) if kind == 2]
    return Ended(code, *texts, len(passed), writes)


def _become(request: Request, names: list[str], shared: mmap.mmap) -> None:
    """The child: it never returns."""
    try:
        for number, name in enumerate(names):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(name, flags, 0o600), number)
        sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
        os.environ.clear()
        os.environ.update(request.env)
        os.chdir(request.folder)
        module, _, name = request.entry.partition(":")
        sys.argv = [module, *request.arguments]
        for place, value in request.changed.items():
            owner, _, constant = place.partition(":")
            setattr(import_module(owner), constant, value)
        if request.clock:
            move_clock(request.clock)
        if request.user:
            os.setgroups([])
            os.setgid(request.user)
            os.setuid(request.user)
        Moments(request.at, request.how, shared).watch(request.most_pages)
        getattr(import_module(module), name)()
        sys.stdout.flush()
        os._exit(0)
    except SystemExit as end:
        sys.stdout.flush()
        os._exit(end.code if isinstance(end.code, int) else 1)
    except BaseException:  # noqa: BLE001 - as the interpreter would end
        import traceback

        traceback.print_exc()
        os._exit(1)


def import_everything() -> None:
    """For children that become somebody who may not read even Python's own files."""
    import gemsearch

    for name in ("encodings.ascii", "encodings.idna", "difflib", "csv", *_below(gemsearch)):
        with suppress(ImportError):  # of an extra that is not installed
            import_module(name)


def _below(package: Any) -> list[str]:
    found = [module.name for module in walk_packages(package.__path__, "gemsearch.")]
    return [name for name in found if "_plugin" not in name and not name.endswith("__main__")]


def move_clock(seconds: float) -> None:
    """Let every module see the time that lies so far from now."""

    class Moved(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) + timedelta(seconds=seconds)

    for name, module in list(sys.modules.items()):
        if name.startswith("gemsearch") and getattr(module, "datetime", None) is datetime:
            module.datetime = Moved  # type: ignore[attr-defined]
    real = time.time
    time.time = lambda: real() + seconds


def main() -> None:
    for name in READY:
        import_module(name)
    if sys.argv[3:]:
        import_everything()
    folder = sys.argv[2]
    with socket.socket(fileno=int(sys.argv[1])) as line, line.makefile("rw") as lines:
        for text in lines:
            ended = run(Request(**json.loads(text)), folder)
            lines.write(json.dumps(ended._asdict()) + "\n")
            lines.flush()


if __name__ == "__main__":
    main()
