from __future__ import annotations

import click


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="AGENT [OPTIONS]")
def command(arguments: tuple[str, ...]) -> int:
    """Answer an agent's hook: JSON on standard input, JSON back.

    Agents run `gemsearch-hook`, which is the same and starts sooner; `gemsearch install` sets it
    up. AGENT is claude-code, codex, gemini, opencode, pi, omp, copilot or cursor.

    \b
    --db PATH               the ledger
    --mode MODE             covered topics: deny, warn (a note for the model) or record (silent)
    --source-mode MODE      recurring sources: the same
    --fail-closed           deny a search that could not be checked

    Without them the ledger's settings hold: hook.query, hook.source, hook.profile and hook.tools.
    The exit code is 0 always; what goes wrong is shown by `gemsearch doctor`.

    \b
    Example
      gemsearch hook claude-code <event.json
    """
    from gemsearch.agents import answering

    answering.run(arguments)
