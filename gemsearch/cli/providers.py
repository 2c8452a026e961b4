from __future__ import annotations

import click

from gemsearch.cli import render


@click.group("providers", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the search providers, and which of them serves.

    \b
    Examples
      gemsearch providers
      gemsearch providers check searxng
    """
    if ctx.invoked_subcommand is None:
        _list()


@command.command("check")
@click.argument("name", required=False)
@click.option("--topic", default="sqlite write-ahead log", show_default=True)
def check(name: str | None, topic: str) -> None:
    """Search once with provider NAME (or the one that serves) and say how it went.

    Nothing is recorded. Hosted providers may count or bill the search.
    """
    from gemsearch import config
    from gemsearch.providers import registry
    from gemsearch.providers.unpaced import Unpaced

    provider = registry.choose(name, config.load())
    page = provider.search(topic, Unpaced(), 20.0)
    served = page.served_by or provider.name
    render.line(f"{served} answered with {len(page.results)} results.")
    render.results(page.results[:3])


def _list() -> None:
    from gemsearch import config
    from gemsearch.errors import SearchFailed
    from gemsearch.providers import registry

    known = config.load()
    rows = [status._asdict() for status in registry.describe(known)]
    render.table(("name", "status", "note"), rows)
    render.line("")
    try:
        serving = ", then ".join(registry.chosen(None, known))
    except SearchFailed as error:
        render.lines([error.message, *error.hint.splitlines()])
        return
    render.line(f"Serving: {serving}")
