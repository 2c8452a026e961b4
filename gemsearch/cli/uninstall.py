from __future__ import annotations

from typing import Any

import click

from gemsearch.cli import installed, render


@click.command("uninstall")
@installed.agent
@installed.scope
@installed.dry_run
def command(agent: str, dry_run: bool, **chosen: Any) -> int:
    """Take gemsearch out of AGENT's configuration again.

    Exactly what `install` added goes, whatever else was changed since; the ledger stays.

    \b
    Examples
      gemsearch uninstall claude-code
      gemsearch uninstall gemini --project --dry-run
    """
    from gemsearch.agents.installing import carrying_out
    from gemsearch.agents.installing.agents import AGENTS

    known = AGENTS[agent]
    parts = known.parts(installed.wish(chosen))
    # Backwards: the folder was made for the first part.
    changes = [carrying_out.uninstall(part, dry_run=dry_run) for part in reversed(parts)]
    if dry_run:
        installed.show_differences(changes)
        return 0
    for change in changes:
        installed.show_change(change, "removed from" if change.after else "removed")
    if all(change.is_none for change in changes):
        render.line(f"{known.title}: gemsearch is not installed there.")
    return 0
