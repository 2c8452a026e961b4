from __future__ import annotations

import click

from gemsearch.cli import options, render

_SHOWN = ("id", "day", "topic", "provider", "result_count")


@click.command("gems")
@click.argument("words", nargs=-1)
@click.option("--agent", help="Only what this agent found.")
@click.option("--project", help="Only this project.")
@click.option("--provider", help="Only what this provider found.")
@click.option("--since", metavar="DAY", help="From this day on, such as 2026-05-11.")
@options.listing
@options.db
def command(
    words: tuple[str, ...],
    agent: str | None,
    project: str | None,
    provider: str | None,
    since: str | None,
    limit: int,
    form: str | None,
    db: str | None,
) -> None:
    """List gems, newest first.

    With WORDS only those that have all of them in the topic.

    \b
    Examples
      gemsearch gems
      gemsearch gems gitleaks --since 2026-05-01 --csv
    """
    from gemsearch.ledger import reading
    from gemsearch.ledger.opening import opened_for_reading

    with opened_for_reading(options.path(db)) as ledger:
        found = reading.gems(
            ledger,
            text=" ".join(words),
            equal={"agent": agent, "project": project, "provider": provider},
            since=since or "",
            limit=limit,
        )
        render.listing(
            reading.Gem._fields if form else _SHOWN, [gem._asdict() for gem in found], form
        )
