from __future__ import annotations

import click

from gemsearch.cli import options, render

_SHOWN = ("id", "day", "signal", "score", "gem_id", "marked", "topic")


@click.command("rejections")
@click.argument("words", nargs=-1)
@click.option("--gate", type=click.Choice(["query", "source"]), help="Only this gate's.")
@click.option("--signal", help="Only where this signal fired.")
@click.option("--gem", type=int, help="Only what this gem refused.")
@click.option("--agent", help="Only this agent's topics.")
@click.option("--since", metavar="DAY", help="From this day on, such as 2026-05-11.")
@options.listing
@options.db
def command(
    words: tuple[str, ...],
    gate: str | None,
    signal: str | None,
    gem: int | None,
    agent: str | None,
    since: str | None,
    limit: int,
    form: str | None,
    db: str | None,
) -> None:
    """List refusals, newest first.

    With WORDS only those that have all of them in the topic.

    \b
    Examples
      gemsearch rejections
      gemsearch rejections --gate source --json
      gemsearch rejections --gem 42
    """
    from gemsearch.ledger import reading
    from gemsearch.ledger.opening import opened_for_reading

    with opened_for_reading(options.path(db)) as ledger:
        found = reading.rejections(
            ledger,
            text=" ".join(words),
            equal={"gate": gate, "signal": signal, "gem_id": gem, "agent": agent},
            since=since or "",
            limit=limit,
        )
        render.listing(
            reading.Rejection._fields if form else _SHOWN, [one._asdict() for one in found], form
        )
