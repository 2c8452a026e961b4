"""Gives a built edition its name: complete, checked and with its two companions, or not at all."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.editions import beside, schema
from gemsearch.editions.check import check
from gemsearch.errors import LedgerFull, WrongCall
from gemsearch.ledger.connection import translating
from gemsearch.ledger.drafts import draft_of
from gemsearch.ledger.failures import is_want_of_space

if TYPE_CHECKING:
    from gemsearch.editions.model import Choice, Front, Report

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,60}\.(?:db|sqlite|sqlite3)")


class Place(NamedTuple):
    """Where an edition goes, and whether it replaces an earlier one."""

    folder: str
    name: str
    replaces: bool

    @property
    def path(self) -> str:
        return os.path.join(self.folder, self.name)


def find_place(target: str) -> Place:
    """Raises WrongCall for a place that holds anything but an earlier edition."""
    folder, name = os.path.split(os.path.abspath(target))
    if not _NAME.fullmatch(name):
        raise WrongCall(
            f"an edition can't be called {name}",
            hint="Its name becomes its address on the web: letters, digits, - and _, then .db.",
        )
    place = Place(folder, name, os.path.lexists(os.path.join(folder, name)))
    if place.replaces and not _is_edition(place.path):
        raise WrongCall(
            f"{place.path} is there already and is no edition", hint="Name another file."
        )
    for companion in beside.NAMES:
        _refuse_what_is_not_ours(os.path.join(folder, companion), name)
    return place


def save(
    edition: sqlite3.Connection, place: Place, report: Report, choice: Choice, front: Front
) -> list[str]:
    """Write the edition and what stands beside it; gives the paths, the edition's first."""
    texts = beside.texts(place.name, report.published, choice, front)
    drafts: dict[str, str] = {}
    try:
        os.makedirs(place.folder, exist_ok=True)
        for name, text in texts.items():
            _write_text(_draft(drafts, os.path.join(place.folder, name)), text)
        _write_edition(edition, _draft(drafts, place.path), report, choice)
        _put_in_place(drafts, place)
    except OSError as error:
        if is_want_of_space(error):
            raise LedgerFull("the disk is full", place.path, hint="Free some space.") from error
        raise WrongCall(
            f"the edition can't be written ({error.strerror}): {place.path}",
            hint="Name another folder.",
        ) from error
    finally:
        for draft in drafts.values():
            _remove(draft)
    return [place.path, *(os.path.join(place.folder, name) for name in texts)]


def _is_edition(path: str) -> bool:
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    try:
        with closing(schema.open_finished(path)) as connection:
            found = connection.execute("PRAGMA application_id").fetchone()[0]
    except sqlite3.Error:
        return False
    return bool(found == schema.APPLICATION_ID)


def _refuse_what_is_not_ours(path: str, edition: str) -> None:
    if not os.path.lexists(path):
        return
    if os.path.islink(path) or not os.path.isfile(path) or not _begins_as_ours(path, edition):
        raise WrongCall(
            f"{path} is there already and does not belong to {edition}",
            hint=f"Give the edition a folder of its own, such as edition/{edition}.",
        )


def _begins_as_ours(path: str, edition: str) -> bool:
    with open(path, encoding="utf-8", errors="replace") as file:
        return beside.mark(edition) in file.readline()


def _draft(drafts: dict[str, str], path: str) -> str:
    """A new file beside `path`, in the list of those to remove."""
    draft = draft_of(path)
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644))
    drafts[path] = draft
    return draft


def _write_text(draft: str, text: str) -> None:
    with open(draft, "w", encoding="utf-8") as file:
        file.write(text)
    _settle(draft)


def _write_edition(edition: sqlite3.Connection, draft: str, report: Report, choice: Choice) -> None:
    with translating(draft):
        # Packs the pages too: an edition has no free ones.
        edition.execute("VACUUM INTO ?", (draft,))
        check(draft, report.published, snippets=choice.snippets, memory=report.memory)
    _settle(draft)


def _put_in_place(drafts: dict[str, str], place: Place) -> None:
    """The companions first: an edition without its closing flags must not be served."""
    for path, draft in drafts.items():
        if path == place.path and not place.replaces:
            _put_where_nothing_is(draft, path)
        else:
            os.replace(draft, path)
    _settle(place.folder)


def _put_where_nothing_is(draft: str, path: str) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        raise WrongCall(f"there is a file by now: {path}", hint="Try again.") from None
    except OSError:
        # A file system without links. The check and the move are two steps here.
        if os.path.lexists(path):
            raise
        os.rename(draft, path)


def _settle(path: str) -> None:
    """On the disk, so that a power cut leaves the old edition or the new one."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _remove(draft: str) -> None:
    for name in (draft, f"{draft}-journal"):
        with suppress(FileNotFoundError):
            os.unlink(name)
