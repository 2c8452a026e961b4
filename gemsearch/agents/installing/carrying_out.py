"""Carries plans out: one file at a time, under a lock, with a backup and a receipt."""

from __future__ import annotations

import os
import tomllib
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gemsearch.agents.installing import files, jsonc, receipts, shim
from gemsearch.agents.installing.entries import Unfit
from gemsearch.agents.installing.files import Contents
from gemsearch.agents.installing.receipts import Receipt
from gemsearch.errors import BadConfiguration

if TYPE_CHECKING:
    from collections.abc import Callable

    from gemsearch.agents.installing.agents import Part

T = TypeVar("T")


class Change(NamedTuple):
    """One file before and after; None where there is no file. `backups` stay on the disk."""

    path: str
    before: Contents | None
    after: Contents | None
    backups: tuple[str, ...] = ()

    @property
    def is_none(self) -> bool:
        return self.before == self.after


def install(part: Part, agent: str, project: str = "", *, dry_run: bool = False) -> Change:
    """Put our entries into a file. Raises BadConfiguration, and then nothing is changed."""
    if dry_run:
        return _installed(part, receipts.load(part.path))
    with receipts.locked():
        receipt = receipts.load(part.path)
        change = _installed(part, receipt)
        if change.is_none:
            return change
        if receipt is None or not is_in(part, change.before):
            receipt = Receipt(agent, part.path, project, made_file=change.before is None)
        return _install(part, change, receipt)


def uninstall(part: Part, *, dry_run: bool = False) -> Change:
    """Take our entries out of a file, and all that `install` made for them."""
    if dry_run:
        return _uninstalled(part, receipts.load(part.path))
    with receipts.locked():
        receipt = receipts.load(part.path)
        change = _uninstalled(part, receipt)
        return change if change.is_none else _uninstall(part, change, receipt)


def is_in(part: Part, contents: Contents | None) -> bool:
    """Whether anything of ours stands in a file. Raises BadConfiguration."""
    if contents is None:
        return False
    return _guarded(part.path, lambda: part.removed(contents.text, None)) != contents.text


def _install(part: Part, change: Change, receipt: Receipt) -> Change:
    """A failure takes back what was done for it: a folder, a backup, a receipt."""
    before, after = change.before, change.after
    assert after is not None  # noqa: S101 - an install leaves a file
    earlier = receipts.load(part.path)
    made = files.make_folders(part.path)
    backups: tuple[str, ...] = ()
    try:
        if before is not None and not _is_untouched_shim(part, before):
            backups = (files.back_up(part.path, before),)
        receipts.store(
            receipt._replace(
                backups=(*receipt.backups, *backups),
                made_folders=(*receipt.made_folders, *made),
            )
        )
        files.replace(part.path, after, expected=before)
    except BaseException:
        for backup in backups:
            os.unlink(backup)
        files.remove_if_empty(made)
        receipts.put_back(part.path, earlier)
        raise
    return change._replace(backups=backups)


def _uninstall(part: Part, change: Change, receipt: Receipt | None) -> Change:
    before, after = change.before, change.after
    assert before is not None  # noqa: S101 - something of ours stands in it
    kept: tuple[str, ...] = ()
    if part.whole and not _is_untouched_shim(part, before):
        kept = (files.back_up(part.path, before),)
    if after is None:
        files.remove(part.path, expected=before)
    else:
        files.replace(part.path, after, expected=before)
    if receipt is not None:
        kept += _without_needless_backups(part, receipt, after)
        files.remove_if_empty(receipt.made_folders)
        receipts.discard(part.path)
    return change._replace(backups=kept)


def _installed(part: Part, receipt: Receipt | None) -> Change:
    before = files.read(part.path)
    if not part.begun and not is_in(part, before):
        return Change(part.path, before, before)
    text = before.text if before else ""
    after = _guarded(part.path, lambda: part.added(text, _pristine(part, receipt)))
    return Change(part.path, before, Contents(after, before.marked if before else False))


def _uninstalled(part: Part, receipt: Receipt | None) -> Change:
    before = files.read(part.path)
    if before is None or not is_in(part, before):
        return Change(part.path, before, before)
    text = _guarded(part.path, lambda: part.removed(before.text, _pristine(part, receipt)))
    made = part.whole or bool(receipt and receipt.made_file)
    after = None if made and _is_nothing(text) else Contents(text, before.marked)
    return Change(part.path, before, after)


def _pristine(part: Part, receipt: Receipt | None) -> str | None:
    """What the file held before the first install, as far as is known."""
    if receipt is None:
        return None
    if receipt.made_file:
        return ""
    oldest = _readable(receipt.backups[0]) if receipt.backups else None
    return oldest.text if oldest and not is_in(part, oldest) else None


def _without_needless_backups(
    part: Part, receipt: Receipt, after: Contents | None
) -> tuple[str, ...]:
    """Delete the backups that hold, without our entries, what the file holds; gives the others."""
    kept = []
    pristine = _pristine(part, receipt)
    for backup in receipt.backups:
        contents = _readable(backup)
        if contents is None:
            continue
        left = _guarded(backup, partial(part.removed, contents.text, pristine))
        if left == (after.text if after else "") or (after is None and _is_nothing(left)):
            files.remove(backup, expected=contents)
        else:
            kept.append(backup)
    return tuple(kept)


def _readable(path: str) -> Contents | None:
    try:
        return files.read(path)
    except BadConfiguration:
        return None


def _is_nothing(text: str) -> bool:
    return text.strip() in {"", "{}"}


def _is_untouched_shim(part: Part, contents: Contents) -> bool:
    return part.whole and shim.is_unchanged(contents.text)


def _guarded(path: str, work: Callable[[], T]) -> T:
    try:
        return work()
    except jsonc.NotJson as fault:
        raise _unfit(path, f"it isn't valid JSON: {fault}") from None
    except tomllib.TOMLDecodeError as fault:
        raise _unfit(path, f"it isn't valid TOML: {fault}") from None
    except Unfit as fault:
        raise _unfit(path, str(fault)) from None


def _unfit(path: str, why: str) -> BadConfiguration:
    return BadConfiguration(
        f"{path} was left as it is: {why}",
        hint="Mend or rename it, then run the same command again.",
    )
