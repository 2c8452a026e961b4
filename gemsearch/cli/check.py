from __future__ import annotations

from typing import Any

import click

from gemsearch.cli import options
from gemsearch.cli.proposing import proposed, reporting, utc_now


@click.command("check")
@options.topic
@options.profile
@options.allow_secret
@options.caller
@options.db
@options.as_json
def command(topic: tuple[str, ...], db: str | None, as_json: bool, **fields: Any) -> int:
    """Ask whether TOPIC is covered; nothing is searched or written.

    \b
    Examples
      gemsearch check "gitleaks hook"
      gemsearch check --profile published --json "gitleaks hook"

    Exit 0: novel. Exit 2: duplicate, or being searched by another agent.
    """
    from gemsearch import novelty
    from gemsearch.ledger.opening import opened_for_question

    text = " ".join(topic)
    with reporting(text, as_json=as_json) as report:
        proposal = proposed(text, "search", **fields)
        with opened_for_question(options.path(db)) as ledger:
            verdict = novelty.check(ledger, proposal, utc_now())
        report(verdict)
    return report.exit_code
