from __future__ import annotations

import click


@click.command("merge")
def command() -> int:
    raise NotImplementedError
