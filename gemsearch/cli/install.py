from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from gemsearch.cli import installed, options, render
from gemsearch.core.text import clean_file_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gemsearch.agents.installing.agents import Wish

_MODES = click.Choice(["deny", "warn", "record"])


@click.command("install")
@installed.agent
@installed.scope
@click.option("--mode", type=_MODES, help="What a covered topic meets before the search.")
@click.option("--source-mode", type=_MODES, help="What covered sources meet after it.")
@click.option("--fail-closed", is_flag=True, help="Refuse a search that can't be judged.")
@click.option("--mediate", is_flag=True, help="codex: built-in search off, our MCP server on.")
@options.db
@installed.dry_run
def command(agent: str, dry_run: bool, **chosen: Any) -> int:
    """Put gemsearch in front of AGENT's web search.

    It goes into the agent's own configuration, beside what is there, and a copy of the file is kept
    first. The same command again mends it, for instance after Python moved. Without --mode a
    covered topic is refused and covered sources are only pointed out. --db is for an agent with a
    ledger of its own.

    \b
    Agents
      claude-code, gemini, codex     hooks
      opencode, pi, omp              a small TypeScript extension
      copilot, cursor                our MCP server only: their own search can't be gated

    \b
    Examples
      gemsearch install claude-code
      gemsearch install gemini --project --mode warn
      gemsearch install codex --mediate --dry-run
    """
    from gemsearch.agents.installing import carrying_out
    from gemsearch.agents.installing.agents import AGENTS

    wish = installed.wish(chosen, _named_tools(chosen["db"]))
    _refuse_what_does_not_apply(agent, wish)
    known = AGENTS[agent]
    changes = [
        carrying_out.install(part, agent, wish.project, dry_run=dry_run)
        for part in known.parts(wish)
    ]
    if dry_run:
        installed.show_differences(changes)
        return 0
    for change in changes:
        installed.show_change(change, "written")
    if all(change.is_none for change in changes):
        render.line(f"{known.title}: it stands there already.")
    render.lines([*known.remarks(wish), *_twice(agent, wish)])
    return 0


def _twice(agent: str, wish: Wish) -> Iterator[str]:
    """A remark if the hooks stand at the other place as well: the agent would run both."""
    from gemsearch.agents.installing import carrying_out, files
    from gemsearch.agents.installing.agents import AGENTS
    from gemsearch.errors import GemsearchError

    if not AGENTS[agent].gated:
        return
    own = {part.path for part in AGENTS[agent].parts(wish)}
    try:
        other = AGENTS[agent].parts(wish._replace(project="" if wish.project else os.getcwd()))
        for part in other:
            if part.path not in own and carrying_out.is_in(part, files.read(part.path)):
                yield f"It is in {clean_file_name(part.path)} too, and would be asked twice."
    except (GemsearchError, OSError):
        return  # the other place is nobody's concern now


def _named_tools(db: str | None) -> tuple[str, ...]:
    """What the ledger's `hook.tools` names: the agent must start the hook for these as well."""
    from gemsearch.errors import GemsearchError
    from gemsearch.ledger import settings
    from gemsearch.ledger.opening import opened_for_question

    try:
        with opened_for_question(options.path(db)) as ledger:
            return tuple(settings.of_hooks(ledger).tools)
    except GemsearchError:
        return ()  # `doctor` tells what is wrong with the ledger


def _refuse_what_does_not_apply(agent: str, wish: Wish) -> None:
    from gemsearch.agents.installing.agents import AGENTS

    choices = wish.choices._replace(db="", tools=())
    if wish.mediate and agent != "codex":
        raise click.UsageError("--mediate is for codex only")
    if any(choices) and not AGENTS[agent].gated:
        raise click.UsageError(f"{agent} has no hooks that could refuse a search: no modes either")
