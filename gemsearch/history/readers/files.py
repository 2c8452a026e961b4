"""Reads logs that other programs write: nothing is changed, followed or held beyond need.

A line is looked at as bytes and parsed only if a reader asks for it. A last line that was cut off
is being written: it is left for the next run.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gemsearch.history.model import Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO

    from gemsearch.history.readers.base import Reading

# Longer lines hold pictures or whole files; no search call or result comes near it. With the text
# and the values parsed from it, this bounds what is held.
LONGEST_LINE = 16_000_000
_CHUNK = 1 << 20
_HEAD = 1024  # bytes that tell one log from another
_DEEPEST = 32
_BOM = b"\xef\xbb\xbf"
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not keep us waiting
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def walk(reading: Reading, root: str, wanted: Callable[[str], bool]) -> Iterator[str]:
    """The files below a folder whose path is wanted, or the file itself, in the order of names.

    The root may be a symbolic link; those within are not followed, so no loop can be entered and
    nothing outside is read.
    """
    root = os.path.realpath(root)
    if os.path.isdir(root):
        yield from _below(reading, root, wanted, 0)
    elif os.path.exists(root):
        yield root
    else:
        reading.skip("not found", root)


def _below(
    reading: Reading, folder: str, wanted: Callable[[str], bool], depth: int
) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        reading.skip("unreadable folder", folder)
        return
    for entry in entries:
        try:
            if entry.is_symlink():
                if wanted(entry.path) or entry.is_dir():
                    reading.skip("symbolic link", entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST:
                    yield from _below(reading, entry.path, wanted, depth + 1)
                else:
                    reading.skip("folder too deep", entry.path)
            elif wanted(entry.path):
                yield entry.path
        except OSError:
            reading.skip("unreadable file", entry.path)


class Log:
    """A log of lines, opened where an earlier run stopped."""

    def __init__(self, reading: Reading, path: str, file: BinaryIO, start: int) -> None:
        self.path = path
        self.end = start  # after the last complete line
        self._reading = reading
        self._file = file
        self._start = start

    def lines(self, *, headed: bool = False) -> Iterator[tuple[int, bytes]]:
        """Each complete line with the byte at which it begins.

        With `headed`, a log that is read from the middle begins with its first line all the same:
        it says whose the log is. Lines that are no JSON object, and those that are too long, are
        counted and left out.
        """
        self._file.seek(0)
        if self._start and headed:
            first, found, _ = self._file.read(_CHUNK).partition(b"\n")
            if found:
                yield 0, first.removeprefix(_BOM).strip()
        self._file.seek(self._start)
        for start, line in self._all():
            if line[:1] == b"{" and line[-1:] == b"}":
                yield start, line
            else:
                yield from self._odd(start, line)

    def read_again_from(self, start: int | None) -> None:
        """Lets the next run begin at a line whose call has no result yet, if there is one."""
        if start is not None:
            self.end = min(self.end, start)

    def place(self, start: int) -> str:
        return f"{self.path}:{start}"

    def parsed(self, start: int, line: bytes) -> dict[str, object] | None:
        """A line's object; None, and counted, if it is no JSON."""
        try:
            found = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            self._reading.skip("line not in UTF-8", self.place(start))
        except (ValueError, RecursionError):
            self._reading.skip("bad line", self.place(start))
        else:
            return found if isinstance(found, dict) else None
        return None

    def _odd(self, start: int, line: bytes) -> Iterator[tuple[int, bytes]]:
        line = (line.removeprefix(_BOM) if start == 0 else line).strip()
        if line[:1] == b"{" and line[-1:] == b"}":
            yield start, line
        elif line:
            self._reading.skip("bad line", self.place(start))

    def _all(self) -> Iterator[tuple[int, bytes]]:
        held = b""
        dropped = 0  # bytes of a line that got too long
        while chunk := self._file.read(_CHUNK):
            self._reading.count(len(chunk))
            *whole, held = (held + chunk).split(b"\n")
            for line in whole:
                if dropped or len(line) > LONGEST_LINE:
                    self._reading.skip("line too long", self.place(self.end))
                else:
                    yield self.end, line
                self.end += dropped + len(line) + 1
                dropped = 0
            if len(held) > LONGEST_LINE:
                dropped += len(held)
                held = b""
        if held and not dropped and _is_whole(held):
            yield self.end, held
            self.end += len(held)
        elif held or dropped:
            self._reading.skip("unfinished line", self.place(self.end))


@contextmanager
def opened_log(reading: Reading, path: str, how: str = "") -> Iterator[Log | None]:
    """A log from where its mark says; None if it is unchanged or can't be read, which is counted.

    `how` sets the marks of different readings of one file apart.

    Leaving it normally sets the mark at the log's end, as `read_again_from` may have moved it.
    """
    file = _opened(reading, path)
    if file is None:
        yield None
        return
    with file:
        before = os.fstat(file.fileno())
        name = mark_name(path, how)
        start = _start(file, reading.marks.get(name), before)
        if start is None or not _is_utf8(reading, path, file):
            yield None
            return
        reading.files += 1
        log = Log(reading, path, file, start)
        yield log
        reading.new_marks[name] = _mark(file, before, log.end)


def document(reading: Reading, path: str) -> object:
    """A file that is one JSON document; None if it is unchanged or can't be read."""
    file = _opened(reading, path)
    if file is None:
        return None
    with file:
        before = os.fstat(file.fileno())
        if _start(file, reading.marks.get(mark_name(path)), before) is None:
            return None
        found = _parsed(reading, path, file)
        reading.new_marks[mark_name(path)] = _mark(file, before, before.st_size)
        return found


def small_document(reading: Reading, path: str) -> Mapping[str, object]:
    """A file that is one JSON object and has no mark of its own; empty if it can't be read."""
    file = _opened(reading, path)
    if file is None:
        return {}
    with file:
        found = _parsed(reading, path, file)
    return found if isinstance(found, dict) else {}


def _parsed(reading: Reading, path: str, file: BinaryIO) -> object:
    file.seek(0)
    content = file.read(LONGEST_LINE + 1)
    reading.count(len(content))
    reading.files += 1
    if len(content) > LONGEST_LINE:
        reading.skip("file too long", path)
        return None
    try:
        found: object = json.loads(content)  # finds out about UTF-16 by itself
    except (ValueError, RecursionError):
        reading.skip("bad file", path)
        return None
    return found


def _opened(reading: Reading, path: str) -> BinaryIO | None:
    try:
        number = os.open(path, _FLAGS)
    except OSError:
        reading.skip("unreadable file", path)
        return None
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        reading.skip("not a regular file", path)
        return None
    return os.fdopen(number, "rb", buffering=0)


def _is_utf8(reading: Reading, path: str, file: BinaryIO) -> bool:
    file.seek(0)
    head = file.read(200)
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"\0" in head:
        reading.skip("not UTF-8 text", path)
        return False
    return True


def _start(file: BinaryIO, mark: Mark | None, now: os.stat_result) -> int | None:
    """Where to begin; None if nothing has changed since the mark was set."""
    if mark is None:
        return 0
    inode, length, digest, size, changed = (mark.fingerprint.split("-") + [""] * 5)[:5]
    if not (length.isdigit() and size.isdigit()) or inode != str(now.st_ino):
        return 0
    if now.st_size < max(int(size), mark.position) or _digest(file, int(length)) != digest:
        return 0
    if now.st_size == int(size) and changed == str(now.st_mtime_ns):
        return None
    return mark.position


def _mark(file: BinaryIO, before: os.stat_result, position: int) -> Mark:
    """Marks with the size from before the reading: what was added meanwhile is new next time."""
    length = min(_HEAD, position)
    digest = _digest(file, length)
    parts = (before.st_ino, length, digest, before.st_size, before.st_mtime_ns)
    return Mark(position, "-".join(map(str, parts)))


def mark_name(path: str, how: str = "") -> str:
    """What a mark is kept under: the path, written out where it is no UTF-8."""
    name = f"{path}?{how}" if how else path
    return name.encode("utf-8", "backslashreplace").decode()


def _is_whole(line: bytes) -> bool:
    """Whether a last line is all there, though its line end is not: then it parses."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _digest(file: BinaryIO, length: int) -> str:
    file.seek(0)
    return hashlib.blake2b(file.read(min(length, _HEAD)), digest_size=8).hexdigest()
