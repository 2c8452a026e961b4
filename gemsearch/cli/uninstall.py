from __future__ import annotations

import click


@click.command("uninstall")
def command() -> int:
    raise NotImplementedError
