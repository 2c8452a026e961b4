from __future__ import annotations

import click

from gemsearch.cli import options, render


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--force", is_flag=True, help="Replace FILE if there is one.")
@click.option("--restore", is_flag=True, help="The other way: put FILE in the ledger's place.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.db
def command(file: str, force: bool, restore: bool, yes: bool, db: str | None) -> None:
    """Copy the ledger to a file, whole and checked.

    Others may read and write it meanwhile. FILE must not exist. With --restore FILE is checked and
    takes the ledger's place; the present ledger is kept beside it, whatever state it is in. Do not
    copy files about by hand: a log that is left beside a restored file would spoil it.

    \b
    Examples
      gemsearch backup gems-2026-05-11.db
      gemsearch backup --restore gems-2026-05-11.db
    """
    from gemsearch.care.backup import back_up

    path = options.path(db)
    if restore:
        _restore(path, file, yes=yes)
        return
    with render.progress("backing up") as advance:
        gems = back_up(path, file, advance, replace=force)
    render.line(f"{gems} gems copied and checked.")


def _restore(path: str, file: str, *, yes: bool) -> None:
    from gemsearch.care import replacing
    from gemsearch.care.repair import stamp
    from gemsearch.cli.proposing import utc_now

    if not yes and not click.confirm(f"Put {file} in the place of {path}?", err=True):
        raise click.Abort
    with render.progress("restoring") as advance:
        restored = replacing.restore(path, file, stamp(utc_now()), advance)
    render.line(f"{restored.gems} gems restored.")
    if restored.kept:
        render.note(f"The ledger as it was is kept: {restored.kept}")
