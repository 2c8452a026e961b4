from __future__ import annotations

import click


@click.command("hook")
def command() -> int:
    raise NotImplementedError
