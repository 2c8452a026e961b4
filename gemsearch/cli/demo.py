from __future__ import annotations

import shlex
import tempfile

import click

from gemsearch.cli import render

_FIRST = "gitleaks pre-commit hook"
_REWORDED = "gitleaks hook for secrets"

_STEPS = (
    ("A new topic is searched and recorded.", ["search", "-p", "sample", _FIRST]),
    (
        "Another wording passes the query gate, but its sources are covered already.",
        ["search", "-p", "sample", _REWORDED],
    ),
    ("The same again: refused before any search is made.", ["search", "-p", "sample", _REWORDED]),
    ("Why?", ["explain", _REWORDED]),
    ("What is in the ledger now.", ["stats"]),
)


@click.command("demo")
def command() -> None:
    """Run the loop on embedded sample pages.

    No network is used, and the ledger is thrown away afterwards.

    \b
    Example
      gemsearch demo
    """
    from gemsearch.cli import run

    with tempfile.TemporaryDirectory(prefix="gemsearch-demo-") as folder:
        ledger = f"{folder}/gems.db"
        for said, arguments in _STEPS:
            render.step(said, f"gemsearch {shlex.join(arguments)}")
            code = run([*arguments, "--db", ledger])
            render.line(f"[exit {code}]")
            render.line("")
