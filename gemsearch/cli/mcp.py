from __future__ import annotations

import sys

import click

from gemsearch.cli import options, render
from gemsearch.errors import BadConfiguration


@click.command("mcp")
@options.searching
@options.profile
@options.proposer
@options.private
@options.db
def command(
    provider: str | None,
    timeout: float,
    profile: str | None,
    agent: str | None,
    session: str | None,
    project: str | None,
    private: bool,
    db: str | None,
) -> None:
    """Serve the ledger to an agent as an MCP server.

    \b
    Examples
      gemsearch mcp
      claude mcp add gemsearch -- gemsearch mcp
      codex mcp add gemsearch -- gemsearch mcp --profile strict

    The agent starts it and speaks to it over standard input and output. Who proposes a topic is
    what the client says, unless --agent, --session or --project say otherwise.
    """
    try:
        from gemsearch.agents.mcp_server.calls import Setup
        from gemsearch.agents.mcp_server.server import Proposer, run
    except ImportError as missing:
        raise _not_installed(missing) from None
    if sys.stdin.isatty():
        render.note("Waiting for an MCP client's messages; Ctrl-C ends it.")
    run(
        Setup(options.path(db), provider, timeout, profile),
        Proposer(agent, session, project, private),
        render.leave,
    )


def _not_installed(missing: ImportError) -> BadConfiguration:
    if (missing.name or "").partition(".")[0] not in {"mcp", "mcp_types", "anyio"}:
        raise missing
    return BadConfiguration(
        f"`gemsearch mcp` needs the MCP SDK, version 2.3 or newer ({missing})",
        hint=(
            "Install it, by the line that fits how gemsearch was installed:",
            "  uv tool install 'gemsearch[mcp]'",
            "  pipx inject gemsearch 'mcp>=2.3'",
            "  pip install 'gemsearch[mcp]'",
        ),
    )
