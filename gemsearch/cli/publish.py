from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import click

from gemsearch.cli import options, render

_TITLE = "Topics that agents searched"


@click.command("publish")
@click.argument("out", metavar="OUT.db", type=click.Path(dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Report what would be published; write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--since",
    metavar="DAY",
    type=click.DateTime(["%Y-%m-%d"]),
    help="From this day on, such as 2026-05-11.",
)
@click.option("--project", help="Only this project; its name is not published.")
@click.option("--include-history", is_flag=True, help="Also what came from agents' logs.")
@click.option("--snippets", is_flag=True, help="Also the results' snippets.")
@click.option("--title", default=_TITLE, show_default=True, help="The edition's title.")
@click.option(
    "--license", "license_name", default="", help="The edition's license, such as CC0-1.0."
)
@click.option("--no-sql", is_flag=True, help="Readers may not run SQL of their own.")
@click.option("--no-download", is_flag=True, help="Readers may not download the file.")
@options.db
def command(
    out: str,
    dry_run: bool,
    yes: bool,
    since: datetime | None,
    project: str | None,
    include_history: bool,
    snippets: bool,
    title: str,
    license_name: str,
    no_sql: bool,
    no_download: bool,
    db: str | None,
) -> None:
    """Write a read-only edition for the public.

    A new database of open gems and the rejections that point to them, without agents, sessions,
    projects, times of day and snippets. A row with a secret or a private datum in it stays out
    whole. Beside OUT.db come metadata.yml and a README with the commands to serve or deploy it.
    An earlier edition is replaced, any other file never.

    \b
    Examples
      gemsearch publish edition/gems.db --dry-run
      gemsearch publish edition/gems.db --title "What we searched" --license CC0-1.0
    """
    from gemsearch.editions import build, model, saving
    from gemsearch.ledger.opening import opened_for_reading

    place = saving.find_place(out)
    made = f"{datetime.now(UTC):%Y-%m-%d}"
    front = model.checked(model.Front(title, license_name, made, no_sql, no_download))
    day = f"{since:%Y-%m-%d}" if since else ""
    choice = model.Choice(day, project, include_history, snippets)
    with closing(build.new_edition()) as edition:
        with opened_for_reading(options.path(db)) as ledger, render.progress("reading") as advance:
            report = build.build(ledger, edition, choice, front, advance)
        render.edition_report(report.published, report.withheld)
        if dry_run:
            return
        model.require_rows(report)
        verb = "Replace" if place.replaces else "Write"
        if not yes and not click.confirm(f"{verb} {place.name}?", err=True):
            raise click.Abort
        render.edition_written(saving.save(edition, place, report, choice, front))
