from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gemsearch.cli import options
from gemsearch.cli.proposing import index_new_gems, proposed, reporting, utc_now
from gemsearch.errors import WrongCall

if TYPE_CHECKING:
    from typing import TextIO


_LONGEST = 20_000_000


@click.command("record")
@options.topic
@click.option(
    "--results",
    "file",
    type=click.File("r", encoding="utf-8", errors="surrogateescape"),
    help='JSON or JSON lines with url, title, snippet; "-" reads standard input.',
)
@click.option("--url", "urls", multiple=True, help="An address that was found; repeat it.")
@click.option("-p", "--provider", help="Where the results come from.")
@click.option("--force", is_flag=True, help="Record past a refusal, and overrule it.")
@click.option("--reason", help="Why it is forced; kept with the gem.")
@options.proposing
def command(
    topic: tuple[str, ...],
    file: TextIO | None,
    urls: tuple[str, ...],
    provider: str | None,
    force: bool,
    reason: str | None,
    db: str | None,
    as_json: bool,
    **fields: Any,
) -> int:
    """Judge and record results that were found elsewhere.

    \b
    Examples
      gemsearch record "gitleaks hook" --url https://gitleaks.io/
      my-search "gitleaks hook" | gemsearch record "gitleaks hook" --results -

    Both gates judge, as in `search`; the exit codes are the same.
    """
    from gemsearch import novelty
    from gemsearch.ledger.opening import opened_for_writing

    if reason and not force:
        raise click.UsageError("--reason goes with --force")
    if file is None and not urls:
        raise click.UsageError("give --results FILE or --url URL")
    text = " ".join(topic)
    with reporting(text, as_json=as_json) as report:
        results = [*_results_in(_read(file) if file else ""), *urls]
        proposal = proposed(text, "record", force=force, reason=reason, **fields)
        with opened_for_writing(options.path(db)) as ledger:
            verdict = novelty.record(ledger, proposal, results, utc_now(), provider)
            report(verdict)
            if verdict.gem_id is not None:
                index_new_gems(ledger)
    return report.exit_code


def _read(file: TextIO) -> str:
    text = file.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise WrongCall("the results are too long", hint=f"At most {_LONGEST:,} characters.")
    return text


def _results_in(text: str) -> list[object]:
    """The rows of a JSON array, of {"results": [...]}, or of JSON lines."""
    import json

    text = text.removeprefix("\ufeff").strip()
    try:
        return _rows_of(json.loads(text)) if text else []
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise WrongCall(
            f"the results are neither JSON nor JSON lines ({error})",
            hint='Give [{"url": "https://...", "title": "...", "snippet": "..."}, ...].',
        ) from None


def _rows_of(value: object) -> list[object]:
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        return list(value["results"])
    return value if isinstance(value, list) else [value]
