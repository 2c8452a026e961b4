"""What lies around a ledger: permissions, the disk, the file system, what others left beside it."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from gemsearch.care.finding import ERROR, FIX, NOTE, WARNING, Finding
from gemsearch.core.text import clean_file_name
from gemsearch.ledger.drafts import maker_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LARGE_LOG = 64 << 20  # bytes; SQLite itself begins anew after 4 MB where no reader is in the way
LITTLE_ROOM = 16 << 20
OWN_FOLDER = "gemsearch"
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_NETWORK = {
    *("nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "ncpfs", "afs", "9p", "virtiofs", "davfs"),
    *("ceph", "glusterfs", "lustre", "gpfs", "beegfs", "ocfs2", "gfs2", "coda", "vboxsf"),
    *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "fuse.davfs"),
}
# Folders whose contents a program copies to other machines, as these programs name them.
_SYNCED = {
    *("dropbox", "onedrive", "google drive", "icloud drive", "mobile documents", "nextcloud"),
    *("owncloud", "pcloud", "mega", "syncthing", "sync"),
}
_SYNC_MARKS = (".stfolder", ".dropbox", ".dropbox.cache", ".sync")
MOUNTS = "/proc/self/mountinfo"


def findings(path: str) -> Iterator[Finding]:
    """What is wrong around the ledger at `path`, which exists."""
    yield from _of_permissions(path)
    yield from _of_folder(os.path.dirname(path))
    yield from _of_room(path)
    yield from _of_log(path)
    yield from _of_place(path)
    yield from _of_drafts(path)


def _of_permissions(path: str) -> Iterator[Finding]:
    for name in (path, f"{path}-wal", f"{path}-shm"):
        with suppress(FileNotFoundError):
            found = os.stat(name)
            if found.st_mode & _OTHERS:
                yield Finding(
                    WARNING,
                    "permissions",
                    f"others can read the ledger: {clean_file_name(name)}",
                    f"chmod 600 {shlex.quote(name)}",
                )
            if found.st_uid != os.geteuid():
                yield Finding(
                    WARNING,
                    "owner",
                    f"the ledger belongs to another user: {clean_file_name(name)}",
                    f"sudo chown {os.geteuid()} {shlex.quote(name)}",
                )


def _of_folder(folder: str) -> Iterator[Finding]:
    mode = os.stat(folder).st_mode
    # In a folder of the person's own choice other things may lie that others are to read.
    own = os.path.basename(folder) == OWN_FOLDER
    if own and mode & _OTHERS:
        yield Finding(
            WARNING,
            "permissions",
            f"others can look into the ledger's folder: {clean_file_name(folder)}",
            f"chmod 700 {shlex.quote(folder)}",
        )
    elif mode & _WRITABLE and not mode & stat.S_ISVTX:
        yield Finding(
            WARNING,
            "permissions",
            f"others can replace files in the ledger's folder: {clean_file_name(folder)}",
            f"chmod go-w {shlex.quote(folder)}",
        )


def _of_room(path: str) -> Iterator[Finding]:
    free = shutil.disk_usage(os.path.dirname(path)).free
    size = os.path.getsize(path)
    if free < LITTLE_ROOM:
        yield Finding(
            ERROR, "disk", f"{free >> 20} MB are free: soon nothing can be recorded", "df -h ."
        )
    elif free < size:
        yield Finding(
            WARNING,
            "disk",
            f"{free >> 20} MB are free, the ledger has {size >> 20}:"
            " too little for a backup beside it or to forget",
        )


def _of_log(path: str) -> Iterator[Finding]:
    with suppress(FileNotFoundError):
        size = os.path.getsize(f"{path}-wal")
        if size > LARGE_LOG:
            yield Finding(
                WARNING,
                "log",
                f"the write-ahead log has {size >> 20} MB: a reader that never ends keeps it",
                FIX,
            )


def _of_place(path: str) -> Iterator[Finding]:
    kind = file_system_of(os.path.realpath(path), _mounts())
    if kind in _NETWORK:
        yield Finding(
            WARNING,
            "file system",
            f"the ledger is on a network file system ({kind}), whose locks SQLite can't rely on",
            "move it to a local disk and name it: export GEMSEARCH_DB=FILE",
        )
    synced = synced_folder_of(os.path.realpath(path))
    if synced:
        yield Finding(
            WARNING,
            "file system",
            f"a program copies this folder to other machines: {clean_file_name(synced)}"
            " - it may copy half a ledger, or bring back an older one",
            "keep the ledger elsewhere; let it copy what `gemsearch backup FILE` writes",
        )


def _of_drafts(path: str) -> Iterator[Finding]:
    """Files that a killed process began beside the ledger; a living one's are its own."""
    folder, name = os.path.split(path)
    for other in sorted(os.listdir(folder)):
        number = maker_of(other, name)
        if number is not None and not _is_running(number):
            left = os.path.join(folder, other)
            yield Finding(
                NOTE,
                "left over",
                f"a copy that was never finished: {clean_file_name(left)}",
                f"rm {shlex.quote(left)}",
            )


def _is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def file_system_of(path: str, mounts: Iterable[str]) -> str:
    """The kind of file system that holds `path`, from the lines of mountinfo; "" if unknown."""
    found, kind = "", ""
    for line in mounts:
        fields, _, rest = line.partition(" - ")
        parts = fields.split(" ")
        if len(parts) < 5 or not rest:
            continue
        place = _unescaped(parts[4])
        # The last of equal ones lies on top of the others.
        if (path == place or path.startswith(place.rstrip("/") + "/")) and len(place) >= len(found):
            found, kind = place, rest.split(" ")[0]
    return kind


def _unescaped(field: str) -> str:
    for code in ("040", "011", "012", "134"):
        field = field.replace(f"\\{code}", chr(int(code, 8)))
    return field


def _mounts() -> list[str]:
    if not sys.platform.startswith("linux"):
        return []
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().splitlines()
    except OSError:
        return []


def synced_folder_of(path: str) -> str:
    """The folder above `path` that a program seems to keep equal on several machines, or ""."""
    folder = os.path.dirname(path)
    while folder != os.path.dirname(folder):
        # They name it after an account too: Dropbox (Personal), OneDrive - Somebody.
        name = os.path.basename(folder).lower()
        if name in _SYNCED or name.startswith(("dropbox (", "onedrive - ")):
            return folder
        if any(os.path.exists(os.path.join(folder, mark)) for mark in _SYNC_MARKS):
            return folder
        folder = os.path.dirname(folder)
    return ""
