from __future__ import annotations

import click

from gemsearch.cli import options, render


@click.command("path")
@options.db
def command(db: str | None) -> None:
    """Print where the ledger is.

    \b
    Examples
      datasette "$(gemsearch path)"
      sqlite-utils tables "$(gemsearch path)" --counts
    """
    render.path(options.path(db))
