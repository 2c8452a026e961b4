"""Reads and replaces other programs' configuration files: whole, at once, and with a backup."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import os
import stat
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.errors import BadConfiguration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LARGEST = 4_000_000  # bytes; a configuration is some thousand
BACKUP = ".before-gemsearch"


class Contents(NamedTuple):
    """A file's text, and whether a byte order mark stands before it."""

    text: str
    marked: bool = False

    def encoded(self) -> bytes:
        return (codecs.BOM_UTF8 if self.marked else b"") + self.text.encode("utf-8")


def read(path: str) -> Contents | None:
    """None when there is no such file. Raises BadConfiguration when it can't be read as text."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # before it is opened: a pipe would wait
            raise _unreadable(path, "it is no file")
        with open(path, "rb") as file:
            found = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise _unreadable(path, fault.strerror or str(fault)) from None
    if len(found) > LARGEST:
        raise _unreadable(path, f"it has more than {LARGEST:,} bytes")
    marked = found.startswith(codecs.BOM_UTF8)
    try:
        return Contents(found[len(codecs.BOM_UTF8) if marked else 0 :].decode("utf-8"), marked)
    except UnicodeDecodeError:
        raise _unreadable(path, "it isn't UTF-8 text") from None


def replace(path: str, contents: Contents, *, expected: Contents | None) -> None:
    """Write a file whole, with the mode it had; a symbolic link stays one.

    Raises BadConfiguration when it can't be written, or holds something else than `expected`.
    """
    target = os.path.realpath(path)
    try:
        descriptor, beside = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".gemsearch-")
    except OSError as fault:
        raise _unwritable(path, fault) from None
    try:
        with open(descriptor, "wb") as file:
            file.write(contents.encoded())
            file.flush()
            os.fsync(file.fileno())
        if expected is not None:
            os.chmod(beside, stat.S_IMODE(os.stat(target).st_mode))
        _must_be(path, expected)
        os.replace(beside, target)
    except OSError as fault:
        raise _unwritable(path, fault) from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)


def remove(path: str, *, expected: Contents) -> None:
    _must_be(path, expected)
    try:
        os.unlink(os.path.realpath(path))
    except OSError as fault:
        raise _unwritable(path, fault) from None


def back_up(path: str, contents: Contents) -> str:
    """Copy what a file holds beside it, never over another copy; gives the copy's path."""
    number = 1
    while True:
        name = f"{path}{BACKUP}" if number == 1 else f"{path}{BACKUP}-{number}"
        try:
            mode = stat.S_IMODE(os.stat(path).st_mode)
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            number += 1
            continue
        except OSError as fault:
            raise _unwritable(name, fault) from None
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(contents.encoded())
        return name


def make_folders(path: str) -> list[str]:
    """Make the folders that a file needs; gives those that were missing, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    made = []
    for name in missing:
        try:
            os.mkdir(name, 0o700)
        except FileExistsError:
            continue  # another install was quicker
        except OSError as fault:
            raise _unwritable(name, fault) from None
        made.append(name)
    return made


def remove_if_empty(folders: Sequence[str]) -> None:
    """Innermost first; a folder that holds something stays, and so do those around it."""
    with contextlib.suppress(OSError):
        for folder in reversed(folders):
            os.rmdir(folder)


@contextlib.contextmanager
def locked(folder: str) -> Iterator[None]:
    """Only one gemsearch changes files in this folder at a time; others wait."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as fault:
        raise _unwritable(folder, fault) from None
    try:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)  # and with it goes the lock


def _must_be(path: str, expected: Contents | None) -> None:
    if read(path) != expected:
        raise BadConfiguration(
            f"{path} was changed by another program just now", hint="Run the same command again."
        )


def _unreadable(path: str, why: str) -> BadConfiguration:
    return BadConfiguration(
        f"{path} can't be read: {why}", hint="Nothing was changed. Mend the file and try again."
    )


def _unwritable(path: str, fault: OSError) -> BadConfiguration:
    return BadConfiguration(
        f"{path} can't be written: {fault.strerror}",
        hint="Make it and its folder writable, or choose --project or --user.",
    )
