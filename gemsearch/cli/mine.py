from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from gemsearch.cli import options, render
from gemsearch.cli.proposing import utc_now

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from datetime import datetime

    from gemsearch.history.backfill import Taken
    from gemsearch.history.collecting import History
    from gemsearch.history.model import Mark, Source
    from gemsearch.history.proposals import Choice


@click.command("mine")
@click.option(
    "--source",
    "names",
    metavar="NAME",
    multiple=True,
    help="Only these logs (claude-code, codex, agentsview, jsonl, sql ...); else all that exist.",
)
@click.option("--path", help="Where the logs of the one --source are.")
@click.option(
    "--fields", help="For jsonl, its field names: topic=query,urls=links,session=chat,time=ts."
)
@click.option("--query", help="For sql, the query that gives the calls.")
@click.option(
    "--since",
    metavar="DAY",
    type=click.DateTime(["%Y-%m-%d"]),
    help="From this day on (UTC), such as 2026-05-11.",
)
@click.option("--agent", default="", help="Only this agent's calls.")
@click.option("--project", default="", help="Only this folder's calls: its path or its name.")
@click.option("--html", metavar="FILE", help="Also write the report as a page of its own.")
@click.option("--into-ledger", is_flag=True, help="Take the history into the ledger instead.")
@options.db
@options.as_json
def command(
    names: tuple[str, ...],
    path: str | None,
    fields: str | None,
    query: str | None,
    since: datetime | None,
    agent: str,
    project: str,
    html: str | None,
    into_ledger: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Find the searches in agents' own logs, and what kept coming back.

    Reports how often the same was searched, what that cost and what both gates would have
    refused. The logs are only read, the ledger is left as it is, and nothing is sent anywhere.

    --into-ledger fills the ledger with it: calls are proposed in the order of time, new ones
    become private gems with their own time. It can be interrupted and run again; a second run
    reads only what is new.

    \b
    Examples
      gemsearch mine
      gemsearch mine --source claude-code --since 2026-05-01 --html searches.html
      gemsearch mine --source jsonl --path calls.jsonl --fields topic=query,urls=urls
      gemsearch mine --into-ledger
    """
    from gemsearch.history.proposals import Choice

    if html and into_ledger:
        raise click.UsageError("--html shows the report; --into-ledger prints none")
    if (fields and names != ("jsonl",)) or (query and names != ("sql",)):
        raise click.UsageError("--fields goes with --source jsonl, --query with --source sql")
    sources = _sources(names, path, fields or query)
    looked_at = _looked_at(names, sources)
    choice = Choice(f"{since:%Y-%m-%d}" if since else "", agent, project)
    if into_ledger and sources:
        _take(options.path(db), sources, looked_at, choice, as_json=as_json)
    else:
        _report(options.path(db), sources, looked_at, choice, html, as_json=as_json)


def _sources(names: tuple[str, ...], path: str | None, how: str | None) -> list[Source]:
    """What to read: the place given, or those where agents keep their logs."""
    from gemsearch.history.finding import GENERIC, default_sources, found
    from gemsearch.history.model import Source

    home = os.path.expanduser("~")
    usual = [one for name in names for one in default_sources(name, os.environ, home)]
    if (path or how) and len(names) != 1:
        raise click.UsageError("--path, --fields and --query go with exactly one --source")
    if path:
        if not os.path.lexists(path):
            raise click.UsageError(f"there is nothing at {path}")
        return [Source(names[0], os.path.abspath(path), how or "")]
    if generic := set(names).intersection(GENERIC):
        raise click.UsageError(f"--source {min(generic)} needs a --path")
    there = found(os.environ, home)
    return [one for one in there if not names or one in usual]


def _looked_at(names: tuple[str, ...], sources: list[Source]) -> list[Source]:
    """The places for a person who wonders why nothing was found: those that don't exist too."""
    from gemsearch.history.finding import READERS, default_sources

    home = os.path.expanduser("~")
    usual = (one for name in names or READERS for one in default_sources(name, os.environ, home))
    return sources or list(usual)


def _report(
    db: str,
    sources: list[Source],
    looked_at: list[Source],
    choice: Choice,
    html: str | None,
    *,
    as_json: bool,
) -> None:
    from gemsearch.cli import report_lines
    from gemsearch.history import report
    from gemsearch.ledger import settings
    from gemsearch.ledger.opening import opened_for_question

    place = None
    if html:
        from gemsearch.history import page  # start-up: the template engine

        place = page.find_place(html)
    with opened_for_question(db) as ledger:
        tools = settings.of_hooks(ledger).tools
    now = utc_now()
    with _read(sources, {}, tools) as history:
        with render.progress("judging") as advance:
            found = report.report_of(history.calls, now, choice, advance)
        if as_json:
            render.json_value(report_lines.report_json(found, history, looked_at))
        else:
            render.drawn(report_lines.report_lines(found, history, looked_at))
    if place:
        page.save(place, page.rendered(found, now))
        render.note(f"written: {place}")


def _take(
    db: str, sources: list[Source], looked_at: list[Source], choice: Choice, *, as_json: bool
) -> None:
    from gemsearch.cli import report_lines
    from gemsearch.history import backfill
    from gemsearch.ledger import settings
    from gemsearch.ledger.index import upkeep
    from gemsearch.ledger.opening import opened_for_writing

    with opened_for_writing(db) as ledger:
        tools, marks = settings.of_hooks(ledger).tools, backfill.known_marks(ledger)
        with _read(sources, marks, tools) as history:
            taken = _taken(ledger, history, choice)
        upkeep.bring_up_to_date(ledger)
        if as_json:
            render.json_value(report_lines.taken_json(taken, history))
        else:
            render.lines(report_lines.taken_lines(taken, history, looked_at))


def _taken(ledger: sqlite3.Connection, history: History, choice: Choice) -> Taken:
    from gemsearch.history import backfill

    with render.progress("taking in") as advance:
        every, done = max(1, len(history.calls)), 0

        def tell(count: int) -> None:
            nonlocal done
            done += count
            advance(min(1.0, done / every))

        taken = backfill.take(ledger, history.calls, utc_now(), choice, history.marks, tell)
        advance(1.0)
        return taken


def _read(sources: list[Source], marks: Mapping[str, Mark], tools: frozenset[str]) -> History:
    from gemsearch.history.collecting import collected, size_of

    with render.progress("reading") as advance:
        every, done = max(1, size_of(sources, marks)), 0

        def tell(count: int) -> None:
            nonlocal done
            done += count
            advance(min(1.0, done / every))

        return collected(sources, marks=marks, searches=tools, scripts=tools, on_bytes=tell)
