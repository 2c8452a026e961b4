from __future__ import annotations

import click

from gemsearch.cli import options, render


@click.command("stats")
@options.db
@options.as_json
def command(db: str | None, as_json: bool) -> None:
    """Count what the ledger holds, and judge it under every profile.

    The last 2,000 proposed topics are judged again in their order, by the query gate alone,
    under each profile.

    \b
    Example
      gemsearch stats --json
    """
    from gemsearch.ledger import statistics
    from gemsearch.ledger.connection import read_snapshot
    from gemsearch.ledger.opening import opened_for_reading

    with opened_for_reading(options.path(db)) as ledger, read_snapshot(ledger):
        counts = statistics.counts(ledger)
        topics = statistics.proposed_topics(ledger)
    with render.progress("judging again") as advance:
        profiles = statistics.under_each_profile(topics, advance)
    render.statistics(counts, profiles, as_json=as_json)
