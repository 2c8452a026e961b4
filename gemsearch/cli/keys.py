from __future__ import annotations

import click

from gemsearch.cli import render


@click.group("keys")
def command() -> None:
    """Store the providers' keys, in a file that only you can read.

    \b
    Examples
      gemsearch keys set tavily
      gemsearch keys list
    """


@command.command("set")
@click.argument("provider")
def set_key(provider: str) -> None:
    """Ask for PROVIDER's key and store it; it never stands on the command line.

    \b
    Example
      gemsearch keys set brave < key.txt
    """
    from gemsearch import config

    key = click.prompt("Key", hide_input=True, err=True)
    render.line(f"Stored in {config.set_key(provider, key)}")


@command.command("list")
def list_keys() -> None:
    """List the providers whose key is stored, never the keys."""
    from gemsearch import config

    render.lines(config.list_keys())


@command.command("remove")
@click.argument("provider")
def remove_key(provider: str) -> None:
    """Remove PROVIDER's key."""
    from gemsearch import config

    config.remove_key(provider)
    render.line(f"Removed the key of {provider}.")
