from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gemsearch.cli import options, render
from gemsearch.cli.proposing import proposed, reporting, utc_now

if TYPE_CHECKING:
    from typing import TextIO


@click.command("check")
@click.argument("topic", nargs=-1)
@click.option(
    "--batch",
    "file",
    type=click.File("r", encoding="utf-8", errors="surrogateescape"),
    help='JSON lines with a topic each ("-": standard input); one JSON answer a line.',
)
@options.proposing
def command(
    topic: tuple[str, ...], file: TextIO | None, db: str | None, as_json: bool, **fields: Any
) -> int:
    """Ask whether TOPIC is covered; nothing is searched or written.

    \b
    Examples
      gemsearch check "gitleaks hook"
      gemsearch check --profile published --json "gitleaks hook"
      echo '{"topic": "gitleaks hook"}' | gemsearch check --batch -

    Exit 0: novel. Exit 2: duplicate, or being searched by another agent. With --batch every line
    is judged as if it were the only one, each answer has its own exit code, and the command ends
    with 0.
    """
    if (file is None) == (not topic):
        raise click.UsageError("give either a topic or --batch FILE")
    if file:
        _check_batch(options.path(db), file, fields["profile"])
        return 0
    from gemsearch import asking
    from gemsearch.ledger.opening import opened_for_question

    text = " ".join(topic)
    with reporting(text, as_json=as_json) as report:
        proposal = proposed(text, "search", **fields)
        with opened_for_question(options.path(db)) as ledger:
            verdict = asking.check(ledger, proposal, utc_now())
        report(verdict)
    return report.exit_code


def _check_batch(path: str, file: TextIO, profile: str | None) -> None:
    from gemsearch import batch
    from gemsearch.ledger.opening import opened_for_question

    with opened_for_question(path) as ledger, render.reading_lines(file) as lines:
        for topic, outcome in batch.check_lines(ledger, lines, utc_now(), profile):
            render.verdict_line(topic, outcome)
