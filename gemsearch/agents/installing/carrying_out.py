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


def install(part: Part, agent: str, *, dry_run: bool = False) -> Change:
    """Put our entries into a file. Raises BadConfiguration, and then nothing is changed."""
    change = _installed(part, receipts.load(part.path))
    if dry_run or change.is_none:
        return change
    made = files.make_folders(part.path)
    try:
        with files.locked(os.path.dirname(os.path.realpath(part.path))):
            return _install(part, agent, made)
    except BaseException:
        files.remove_if_empty(made)
        raise


def uninstall(part: Part, *, dry_run: bool = False) -> Change:
    """Take our entries out of a file, and all that `install` made for them."""
    change = _uninstalled(part, receipts.load(part.path))
    if dry_run or change.is_none:
        return change
    with files.locked(os.path.dirname(os.path.realpath(part.path))):
        return _uninstall(part)


def _install(part: Part, agent: str, made: list[str]) -> Change:
    receipt = receipts.load(part.path)
    change = _installed(part, receipt)
    if change.is_none or change.after is None:
        return change
    if receipt is None or not _is_in(part, change.before):
        receipt = Receipt(
            agent, part.path, made_file=change.before is None, made_folders=tuple(made)
        )
    backups: tuple[str, ...] = ()
    if change.before is not None and not _is_untouched_shim(part, change.before):
        backups = (files.back_up(part.path, change.before),)
    receipts.store(receipt._replace(backups=(*receipt.backups, *backups)))
    files.replace(part.path, change.after, expected=change.before)
    return change._replace(backups=backups)


def _uninstall(part: Part) -> Change:
    receipt = receipts.load(part.path)
    change = _uninstalled(part, receipt)
    if change.is_none or change.before is None:
        return change
    kept: tuple[str, ...] = ()
    if part.whole and not _is_untouched_shim(part, change.before):
        kept = (files.back_up(part.path, change.before),)
    if change.after is None:
        files.remove(part.path, expected=change.before)
    else:
        files.replace(part.path, change.after, expected=change.before)
    if receipt is not None:
        kept += _without_needless_backups(part, receipt, change.after)
        files.remove_if_empty(list(receipt.made_folders))
        receipts.discard(part.path)
    return change._replace(backups=kept)


def _installed(part: Part, receipt: Receipt | None) -> Change:
    before = files.read(part.path)
    if not part.begun and not _is_in(part, before):
        return Change(part.path, before, before)
    text = before.text if before else ""
    after = _guarded(part.path, lambda: part.added(text, _pristine(receipt)))
    return Change(part.path, before, Contents(after, before.marked if before else False))


def _uninstalled(part: Part, receipt: Receipt | None) -> Change:
    before = files.read(part.path)
    if before is None or not _is_in(part, before):
        return Change(part.path, before, before)
    text = _guarded(part.path, lambda: part.removed(before.text, _pristine(receipt)))
    made = part.whole or bool(receipt and receipt.made_file)
    after = None if made and _is_nothing(text) else Contents(text, before.marked)
    return Change(part.path, before, after)


def _is_in(part: Part, contents: Contents | None) -> bool:
    if contents is None:
        return False
    return _guarded(part.path, lambda: part.removed(contents.text, None)) != contents.text


def _pristine(receipt: Receipt | None) -> str | None:
    """What the file held before the first install, as far as its backup tells."""
    for backup in receipt.backups[:1] if receipt else ():
        contents = _readable(backup)
        return contents.text if contents else None
    return None


def _without_needless_backups(
    part: Part, receipt: Receipt, after: Contents | None
) -> tuple[str, ...]:
    """Delete the backups that hold, without our entries, what the file holds; gives the others."""
    kept = []
    pristine = _pristine(receipt)
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
