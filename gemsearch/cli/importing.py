from __future__ import annotations

import os
import select
import stat
import sys
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click

from gemsearch.cli import options, render
from gemsearch.errors import WrongCall

if TYPE_CHECKING:
    import sqlite3
    from collections import Counter
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from gemsearch.care.transfer import Line

_SECONDS_FOR_A_PIPE = 10.0


@click.command("import")
@click.argument("file", type=click.Path(allow_dash=True))
@click.option("--judge", is_flag=True, help="Propose each gem in order instead of restoring.")
@options.profile
@options.db
def command(file: str, judge: bool, profile: str | None, db: str | None) -> None:
    """Restore an export, or propose its lines.

    An export from FILE ("-": standard input) is restored into an empty ledger as it was; all lines
    are taken, or none. With --judge every line that has a topic and results is proposed
    in order to the ledger as it is; any JSON lines of the form
    {"topic": "...", "results": [{"url": "..."}]} will do. A ledger may be given in place of its
    export; it is only read, and nothing in it is trusted.

    \b
    Examples
      gemsearch import gems.jsonl
      gemsearch import --judge found-elsewhere.jsonl
    """
    from gemsearch.ledger.index import upkeep
    from gemsearch.ledger.opening import opened_for_writing

    if profile and not judge:
        raise click.UsageError("--profile goes with --judge")
    with _numbered_lines(file) as lines, opened_for_writing(options.path(db)) as ledger:
        if judge:
            _show(_judged(ledger, lines, profile))
        else:
            render.line(f"{_restored(ledger, lines)} gems restored.")
        upkeep.bring_up_to_date(ledger)


def _judged(
    ledger: sqlite3.Connection, lines: Iterable[tuple[int, Line]], profile: str | None
) -> Counter[str]:
    from gemsearch import batch
    from gemsearch.cli.proposing import utc_now

    return batch.propose(ledger, lines, utc_now(), profile)


def _restored(ledger: sqlite3.Connection, lines: Iterable[tuple[int, Line]]) -> int:
    from gemsearch.care import transfer

    return transfer.restore_lines(ledger, lines)


def _show(outcomes: Counter[str]) -> None:
    rows = [{"lines": count, "outcome": name} for name, count in outcomes.most_common()]
    render.table(("lines", "outcome"), rows)


@contextmanager
def _numbered_lines(name: str) -> Iterator[Iterator[tuple[int, Line]]]:
    """The lines of an export, or of a ledger as if it had been exported."""
    from gemsearch.batch import parsed
    from gemsearch.care import foreign

    if name != "-" and foreign.is_database(name):
        with foreign.opened(name) as other:
            yield foreign.lines(other)
        return
    with _opened(name) as file, render.reading_lines(file) as texts:
        yield parsed(texts)


def _opened(name: str) -> TextIO:
    try:
        given = sys.stdin.buffer if name == "-" else os.fdopen(_descriptor(name), "rb")
        return TextIOWrapper(given, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise WrongCall(f"{name} can't be read: {error.strerror}") from error


def _descriptor(name: str) -> int:
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        _await_writer(descriptor, name)
    os.set_blocking(descriptor, True)
    return descriptor


def _await_writer(descriptor: int, name: str) -> None:
    """A pipe that nobody writes to would be waited for without end."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN | select.POLLHUP)
    if not waiting.poll(_SECONDS_FOR_A_PIPE * 1000):
        os.close(descriptor)
        raise WrongCall(
            f"nothing comes through this pipe: {name}",
            hint="Or let standard input wait: FILE is -.",
        )
