from __future__ import annotations

import click

from gemsearch.cli import options, render


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False))
@options.db
def command(file: str, db: str | None) -> None:
    """Copy the ledger to a file, whole and checked.

    Others may read and write it meanwhile. FILE must not exist. To restore, put the copy in
    the ledger's place.

    \b
    Example
      gemsearch backup gems-2026-05-11.db
    """
    from gemsearch.ledger.backup import back_up

    with render.progress("backing up") as advance:
        gems = back_up(options.path(db), file, advance)
    render.line(f"{gems} gems copied and checked.")
