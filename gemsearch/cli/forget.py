from __future__ import annotations

import os

import click

from gemsearch.cli import options, render


@click.command("forget")
@click.argument("gem", type=int, required=False)
@click.option("--rejection", type=int, metavar="ID", help="Forget a refusal instead of a gem.")
@click.option("--topic", help="Forget every gem, refusal and attempt of exactly these words.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.db
def command(
    gem: int | None, rejection: int | None, topic: str | None, yes: bool, db: str | None
) -> None:
    """Delete a gem or a refusal without a trace.

    A gem goes with its results, and with the refusals and attempts of the same words. What it
    refused in other words stays, without its name. The file is rewritten, so that the deleted
    words are in no index and no free page; a large ledger takes a while.

    \b
    Examples
      gemsearch forget 42
      gemsearch forget --rejection 17
      gemsearch forget --topic "project nightjar"
    """
    from gemsearch.care import forgetting
    from gemsearch.ledger.opening import opened_for_correcting

    if sum(given is not None for given in (gem, rejection, topic)) != 1:
        raise click.UsageError("give one of: a gem, --rejection ID, --topic TEXT")
    path = options.path(db)
    with opened_for_correcting(path) as ledger:
        chosen = forgetting.choose(ledger, gem_id=gem, rejection_id=rejection, topic=topic)
        render.about_to_forget(chosen)
        if not yes and not click.confirm("Forget them for good?", err=True):
            raise click.Abort
        forgetting.forget(ledger, chosen)
        staying = forgetting.mentions(ledger, chosen.words)
    copies = forgetting.copies_beside(path)
    render.line("Forgotten. Copies, backups and the agents' own logs still have them.")
    if copies:
        render.note(f"Copies beside the ledger: {', '.join(map(os.path.basename, copies))}")
    if staying:
        found = ", ".join(f"{count} {table}" for table, count in staying.items())
        render.note(f"All of these words still stand in other rows: {found}.")
