from __future__ import annotations

import click

from gemsearch.cli import options, render


@click.command("mark")
@click.argument("rejection", type=int)
@click.option("--wrong", "label", flag_value="wrong", help="It was a new topic: overrule it.")
@click.option("--right", "label", flag_value="right", help="It was a repeat.")
@click.option("--reason", help="Why; kept with the rejection.")
@options.db
def command(rejection: int, label: str | None, reason: str | None, db: str | None) -> None:
    """Say whether REJECTION was right or wrong.

    A wrong one is overruled: that gem refuses that topic no longer by that signal, and what was
    learned from it is forgotten. The next closest gem is judged instead.

    \b
    Example
      gemsearch mark 17 --wrong --reason "another version"
    """
    from gemsearch.cli.proposing import utc_now
    from gemsearch.ledger import reading, writing
    from gemsearch.ledger.connection import write_transaction
    from gemsearch.ledger.opening import opened_for_correcting

    if label is None:
        raise click.UsageError("say --wrong or --right")
    with opened_for_correcting(options.path(db)) as ledger, write_transaction(ledger):
        stored = reading.rejection(ledger, rejection)
        writing.mark(ledger, rejection, label, reason, utc_now())
    render.marked(stored, label)
