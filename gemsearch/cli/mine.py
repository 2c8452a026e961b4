from __future__ import annotations

import click


@click.command("mine")
def command() -> int:
    raise NotImplementedError
