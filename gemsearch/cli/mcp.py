from __future__ import annotations

import click


@click.command("mcp")
def command() -> int:
    raise NotImplementedError
