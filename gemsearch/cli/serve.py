from __future__ import annotations

import os
import sys

import click

from gemsearch.cli import options, render

_PORT = 8001


@click.command("serve")
@click.option("--port", "-p", type=click.IntRange(0, 65535), default=_PORT, show_default=True)
@click.option("--open", "-o", "open_browser", is_flag=True, help="Open it in the browser.")
@click.option(
    "--metadata",
    "-m",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Datasette metadata of your own, as YAML or JSON.",
)
@options.db
def command(port: int, open_browser: bool, metadata: str | None, db: str | None) -> None:
    """Open the ledger in Datasette, on this machine only.

    Tables, search, facets, canned questions, and pages that say why a topic was refused. Nothing
    can be written there. The ledger may be searched and written meanwhile.

    \b
    Examples
      gemsearch serve --open
      gemsearch serve --port 8010 --db other.db
    """
    path = options.path(db)
    _check(path)
    render.flush()
    os.environ["GEMSEARCH_LOOPBACK_ONLY"] = "1"
    arguments = _arguments(path, port, metadata=metadata, open_browser=open_browser)
    os.execv(sys.executable, [sys.executable, "-m", "datasette", *arguments])  # noqa: S606


def _check(path: str) -> None:
    """Say what is wrong with the ledger here: Datasette would serve half of it, or a traceback."""
    from gemsearch.ledger.opening import opened_for_reading

    with opened_for_reading(path):
        return


def _arguments(
    path: str, port: int, *, metadata: str | None = None, open_browser: bool = False
) -> list[str]:
    """The command line for the Datasette that is installed."""
    arguments = ["serve", path, "--host", "127.0.0.1", "--port", str(port)]
    # A person waits for facets; by default they give up after 0.2 s. Those that are worth having
    # are there: trying every other column would cost more than the page itself.
    arguments += ["--setting", "facet_time_limit_ms", "1000", "--setting", "suggest_facets", "off"]
    if metadata:
        arguments += ["-m", metadata]
        # 1.0 takes facets, queries and permissions from its configuration only.
        arguments += ["-c", metadata] if _takes_configuration() else []
    if not _is_entry_point():
        arguments += ["--plugins-dir", _shim_folder()]
    return [*arguments, "--open"] if open_browser else arguments


def _takes_configuration() -> bool:
    from importlib.metadata import version

    return not version("datasette").startswith("0.")


def _is_entry_point() -> bool:
    """Does Datasette find the plugin by itself? Not in a checkout that was never installed."""
    from importlib.metadata import entry_points

    return bool(entry_points(group="datasette", name="gemsearch"))


def _shim_folder() -> str:
    import gemsearch

    return os.path.join(os.path.dirname(os.path.dirname(gemsearch.__file__)), "datasette_plugins")
