from __future__ import annotations

from typing import Any

import click

from gemsearch.cli import options, render
from gemsearch.cli.proposing import proposed, utc_now


@click.command("explain")
@click.argument("topic", nargs=-1)
@click.option("--rejection", type=int, metavar="ID", help="What was decided then, and why.")
@options.proposing
def command(
    topic: tuple[str, ...],
    rejection: int | None,
    db: str | None,
    as_json: bool,
    **fields: Any,
) -> None:
    """Show what would be decided of TOPIC, signal by signal.

    \b
    Examples
      gemsearch explain "gitleaks hook for secrets"
      gemsearch explain --rejection 17

    The nearest gems are shown with every signal's score against its threshold.
    """
    if (rejection is None) == (not topic):
        raise click.UsageError("give either a topic or --rejection ID")
    if rejection is not None:
        _explain_rejection(options.path(db), rejection, as_json=as_json)
        return
    from gemsearch import asking
    from gemsearch.ledger.opening import opened_for_question

    proposal = proposed(" ".join(topic), "search", **fields)
    with opened_for_question(options.path(db)) as ledger:
        render.explanation(asking.explain(ledger, proposal, utc_now()), as_json=as_json)


def _explain_rejection(path: str, rejection_id: int, *, as_json: bool) -> None:
    from gemsearch.ledger import reading
    from gemsearch.ledger.opening import opened_for_reading

    with opened_for_reading(path) as ledger:
        stored = reading.rejection(ledger, rejection_id)
        match = reading.match_of(ledger, stored)
    if as_json:
        render.json_value(stored._asdict() | {"evidence": reading.evidence_of(stored.evidence)})
    else:
        render.rejection(stored, match)
