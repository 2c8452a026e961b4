from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gemsearch.cli import options, render
from gemsearch.errors import EXIT_NEEDS_PERSON, EXIT_NOVEL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemsearch.care.finding import Finding


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what is derived, after a copy beside the ledger.")
@click.option(
    "--salvage",
    metavar="NEW.db",
    type=click.Path(dir_okay=False),
    help="Copy what can be read of a damaged ledger to a new one.",
)
@options.db
@options.as_json
def command(fix: bool, salvage: str | None, db: str | None, as_json: bool) -> int:
    """Look the ledger over, and the set-up around it.

    Each finding has its severity and the command that mends it. --fix mends derived state only:
    indexes, full text, counts, signatures, canonical keys. Rows are never changed or deleted: where
    some can't be read, --salvage copies the others. Exit 5 when a person must act.

    \b
    Examples
      gemsearch doctor
      gemsearch doctor --fix
      gemsearch doctor --salvage saved.db
    """
    from gemsearch.care import health
    from gemsearch.cli.proposing import utc_now

    path = options.path(db)
    if salvage:
        _salvage(path, salvage)
        return EXIT_NOVEL
    mended = _mended(path) if fix else []
    with render.progress("looking") as advance:
        findings = health.examine(path, utc_now(), advance)
    findings = [*mended, *findings, *_around(path)]
    render.findings(findings, as_json=as_json)
    bad = any(finding.severity == "error" for finding in findings)
    return EXIT_NEEDS_PERSON if bad else EXIT_NOVEL


def _mended(path: str) -> list[Finding]:
    from gemsearch.care import repair
    from gemsearch.care.finding import MENDED, Finding
    from gemsearch.cli.proposing import utc_now
    from gemsearch.errors import LedgerDamaged, LedgerMissing

    try:
        return [Finding(MENDED, "ledger", what) for what in repair.mend(path, utc_now())]
    except (LedgerDamaged, LedgerMissing):
        return []  # the findings say it, with what to do


def _salvage(path: str, target: str) -> None:
    from contextlib import closing

    from gemsearch.care import salvage
    from gemsearch.ledger.connection import open_for_reading, translating

    with closing(open_for_reading(path)) as damaged, translating(path):
        found = salvage.salvage(damaged, target)
    rows = [
        {"table": each.table, "rows": each.rows, "": "some were lost" if each.lost else ""}
        for each in found
        if each.rows or each.lost
    ]
    render.table(("table", "rows", ""), rows)
    render.note(f"To put it in the ledger's place: gemsearch backup --restore {target}")


def _around(path: str) -> Iterator[Finding]:
    """Findings about the configuration, the provider and the agents."""
    from gemsearch.agents import checking
    from gemsearch.cli.proposing import utc_now

    yield from _of_configuration()
    yield from checking.findings(path, utc_now())


def _of_configuration() -> Iterator[Finding]:
    from gemsearch import config
    from gemsearch.care.finding import ERROR, WARNING, Finding
    from gemsearch.errors import BadConfiguration, GemsearchError
    from gemsearch.providers import registry

    try:
        registry.chosen(None, config.load())
    except BadConfiguration as error:
        yield Finding(ERROR, "configuration", error.message, error.hint)
    except GemsearchError as error:
        yield Finding(WARNING, "provider", error.message, "gemsearch providers")
