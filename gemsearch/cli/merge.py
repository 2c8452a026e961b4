from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gemsearch.cli import options, render

if TYPE_CHECKING:
    from collections import Counter


@click.command("merge")
@click.argument("other", metavar="OTHER.db", type=click.Path())
@click.option("--dry-run", is_flag=True, help="Say what would become of it; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.db
def command(other: str, dry_run: bool, yes: bool, db: str | None) -> None:
    """Take another machine's ledger into this one.

    Its gems are judged in the order of their time, against everything that is here. New ones get
    numbers of their own; a repeat becomes a rejection that nobody was refused by. Its rejections
    come along, with what a person said of them. What is here already is never judged again, and a
    second merge adds only what is new. OTHER.db is only read, and nothing in it is trusted.

    First it is tried on a copy; the counts are shown before anything is changed.

    \b
    Examples
      gemsearch merge laptop.db --dry-run
      gemsearch merge laptop.db
    """
    from gemsearch.care import backup, foreign, merging
    from gemsearch.cli.proposing import utc_now
    from gemsearch.errors import WrongCall
    from gemsearch.ledger.index import upkeep
    from gemsearch.ledger.opening import opened_for_writing

    path = options.path(db)
    if backup.is_same_file(path, other):
        raise WrongCall(f"that is the ledger itself: {other}", hint="Name another one.")
    with foreign.opened(other) as found:
        if dry_run or not yes:
            with render.progress("trying") as advance:
                _show(merging.rehearse(path, found, utc_now(), advance))
        if dry_run:
            return
        if not yes and not click.confirm("Merge them?", err=True):
            raise click.Abort
        with opened_for_writing(path) as ledger:
            with render.progress("merging") as advance:
                outcomes = merging.merge(ledger, found, utc_now(), advance)
            upkeep.bring_up_to_date(ledger)
    if yes:
        _show(outcomes)
    render.line("Merged.")


def _show(outcomes: Counter[tuple[str, str]]) -> None:
    rows = [
        {"lines": count, "of": f"{kind}s", "outcome": outcome}
        for (kind, outcome), count in sorted(outcomes.items(), key=lambda row: (row[0][0], -row[1]))
    ]
    render.table(("lines", "of", "outcome"), rows)
