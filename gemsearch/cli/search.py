from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gemsearch.cli import options
from gemsearch.cli.proposing import index_new_gems, proposed, reporting, utc_now

if TYPE_CHECKING:
    from gemsearch.providers.base import Provider


@click.command("search")
@options.topic
@options.searching
@click.option("--force", is_flag=True, help="Record past a refusal, and overrule it.")
@click.option("--reason", help="Why it is forced; kept with the gem.")
@options.proposing
def command(
    topic: tuple[str, ...],
    provider: str | None,
    force: bool,
    reason: str | None,
    timeout: float,
    db: str | None,
    as_json: bool,
    **fields: Any,
) -> int:
    """Search the web for TOPIC, unless it is covered already.

    \b
    Examples
      gemsearch search "gitleaks pre-commit hook"
      gemsearch search --json "sqlite wal checkpoint starvation"
      gemsearch search --force --reason "a year has passed" "chezmoi encryption"
      gemsearch search -- "-Wconversion false positives"

    On exit 2 pick a topic farther afield and search again. On 3, 4 or 5 nothing was recorded, and
    the same topic may be searched again.
    """
    from gemsearch import novelty
    from gemsearch.ledger.opening import opened_for_search

    if reason and not force:
        raise click.UsageError("--reason goes with --force")
    text = " ".join(topic)
    with reporting(text, as_json=as_json) as report:
        proposal = proposed(text, "search", force=force, reason=reason, **fields)
        with opened_for_search(options.path(db)) as ledger:
            verdict = novelty.search(
                ledger, proposal, lambda: _provider(provider), utc_now, timeout
            )
            report(verdict)
            if verdict.gem_id is not None:
                index_new_gems(ledger)
    return report.exit_code


def _provider(name: str | None) -> Provider:
    from gemsearch.providers import registry  # start-up: a refusal needs none of this

    return registry.configured(name)
