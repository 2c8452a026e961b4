"""What `install` made, so that `uninstall` takes away just that. One small file for each target.

They lie in gemsearch's own configuration folder. Without one, as in another clone of a project,
uninstall still takes our entries out and leaves files and folders where they are.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, NamedTuple

from gemsearch import config
from gemsearch.agents.installing import files
from gemsearch.agents.installing.files import Contents

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Receipt(NamedTuple):
    agent: str
    path: str
    project: str = ""  # the project's folder, "" for the user's own configuration
    backups: tuple[str, ...] = ()  # of the file as it was, oldest first
    made_file: bool = False
    made_folders: tuple[str, ...] = ()  # outermost first


def load(path: str) -> Receipt | None:
    return _load(_place(path))


def every() -> list[Receipt]:
    """All receipts, by the path of what they are for."""
    try:
        names = os.listdir(_folder())
    except OSError:
        return []
    found = [_load(os.path.join(_folder(), name)) for name in sorted(names)]
    return sorted(receipt for receipt in found if receipt)


def store(receipt: Receipt) -> None:
    place = _place(receipt.path)
    files.make_folders(place)
    text = json.dumps(receipt._asdict(), indent=2) + "\n"
    files.replace(place, Contents(text), expected=files.read(place))


def discard(path: str) -> None:
    place = _place(path)
    now = files.read(place)
    if now is not None:
        files.remove(place, expected=now)
        files.remove_if_empty([_folder()])


def put_back(path: str, earlier: Receipt | None) -> None:
    store(earlier) if earlier else discard(path)


def locked() -> AbstractContextManager[None]:
    """Only one gemsearch changes configurations and receipts at a time; others wait."""
    folder = os.path.dirname(_folder())
    files.make_folders(_folder())
    return files.locked(folder)


def _load(place: str) -> Receipt | None:
    contents = files.read(place)
    try:
        found = json.loads(contents.text) if contents else None
        if not isinstance(found, dict):
            return None
        return Receipt(
            str(found["agent"]),
            str(found["path"]),
            str(found["project"]),
            tuple(map(str, found["backups"])),
            found["made_file"] is True,
            tuple(map(str, found["made_folders"])),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None  # as if it had never been written


def _place(path: str) -> str:
    return os.path.join(_folder(), hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:16])


def _folder() -> str:
    return os.path.join(os.path.dirname(config.config_path()), "installed")
