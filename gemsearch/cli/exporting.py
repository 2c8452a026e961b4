from __future__ import annotations

import click

from gemsearch.cli import options, render


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@options.db
def command(file: str, db: str | None) -> None:
    """Write the whole ledger as JSON lines.

    To FILE, or to standard output. Nothing is left out: gems with their results, refusals,
    what was learned and overruled.

    \b
    Examples
      gemsearch export gems.jsonl
      gemsearch export | grep '"type": "gem"' | head -1
    """
    from gemsearch.care import transfer
    from gemsearch.ledger.connection import read_snapshot
    from gemsearch.ledger.opening import opened_for_reading

    with opened_for_reading(options.path(db)) as ledger, read_snapshot(ledger):
        written = render.json_lines_to(file, transfer.exported(ledger))
    render.note(f"{written} lines written")
