from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gemsearch.cli import options, render

if TYPE_CHECKING:
    from typing import TextIO


@click.command("import")
@click.argument("file", type=click.File("r", encoding="utf-8", errors="surrogateescape"))
@click.option("--judge", is_flag=True, help="Propose each gem in order instead of restoring.")
@options.profile
@options.db
def command(file: TextIO, judge: bool, profile: str | None, db: str | None) -> None:
    """Restore an export, or propose its lines.

    An export from FILE ("-": standard input) is restored into an empty ledger as it was; all lines
    are taken, or none. With --judge every line that has a topic and results is proposed
    in order to the ledger as it is; any JSON lines of the form
    {"topic": "...", "results": [{"url": "..."}]} will do.

    \b
    Examples
      gemsearch import gems.jsonl
      gemsearch import --judge found-elsewhere.jsonl
    """
    from gemsearch import batch
    from gemsearch.cli.proposing import utc_now
    from gemsearch.ledger import transfer
    from gemsearch.ledger.index import upkeep
    from gemsearch.ledger.opening import opened_for_writing

    if profile and not judge:
        raise click.UsageError("--profile goes with --judge")
    with opened_for_writing(options.path(db)) as ledger, render.reading_lines(file) as lines:
        if judge:
            outcomes = batch.propose_lines(ledger, lines, utc_now(), profile)
            rows = [{"lines": count, "outcome": name} for name, count in outcomes.most_common()]
            render.table(("lines", "outcome"), rows)
        else:
            render.line(f"{transfer.restore(ledger, lines)} gems restored.")
        upkeep.bring_up_to_date(ledger)
