from __future__ import annotations

import click

from gemsearch.cli import options, render


@click.command("show")
@click.argument("gem", type=int)
@options.db
@options.as_json
def command(gem: int, db: str | None, as_json: bool) -> None:
    """Print the stored results of GEM, as `search` printed them.

    The way on after a refusal: the answer is there already.

    \b
    Example
      gemsearch show 42
    """
    from gemsearch.ledger import reading
    from gemsearch.ledger.opening import opened_for_reading

    with opened_for_reading(options.path(db)) as ledger:
        found = reading.gem(ledger, gem)
        render.gem(found, reading.results(ledger, gem), as_json=as_json)
