from __future__ import annotations

import click


@click.command("install")
def command() -> int:
    raise NotImplementedError
