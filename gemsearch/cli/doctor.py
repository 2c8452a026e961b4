from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gemsearch.cli import options, render
from gemsearch.errors import EXIT_NEEDS_PERSON, EXIT_NOVEL

if TYPE_CHECKING:
    from gemsearch.ledger.health import Finding


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what is derived, after a backup beside the ledger.")
@options.db
@options.as_json
def command(fix: bool, db: str | None, as_json: bool) -> int:
    """Look the ledger over, and the set-up around it.

    Each finding has its severity and the command that mends it. --fix mends derived state only:
    full-text indexes, counts, signatures, canonical keys. Exit 5 when a person must act.

    \b
    Examples
      gemsearch doctor
      gemsearch doctor --fix
    """
    from gemsearch.cli.proposing import utc_now
    from gemsearch.ledger import health, repair

    path = options.path(db)
    if fix:
        render.lines(f"mended: {what}" for what in repair.mend(path, utc_now()))
    findings = [*health.examine(path, utc_now()), *_around()]
    render.findings(findings, as_json=as_json)
    bad = any(finding.severity == "error" for finding in findings)
    return EXIT_NEEDS_PERSON if bad else EXIT_NOVEL


def _around() -> list[Finding]:
    """Findings about the configuration and the provider."""
    from gemsearch import config
    from gemsearch.errors import GemsearchError
    from gemsearch.ledger.health import Finding
    from gemsearch.providers import registry

    try:
        registry.chosen(None, config.load())
    except GemsearchError as error:
        return [Finding("warning", "provider", error.message, "gemsearch providers")]
    return []
