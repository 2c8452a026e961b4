"""Options that several commands share, and the values they become."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from gemsearch.core.model import Caller
from gemsearch.core.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _together(*decorators: Decorator) -> Decorator:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


db = click.option(
    "--db",
    metavar="PATH",
    help="The ledger; else $GEMSEARCH_DB, else the one `gemsearch path` prints.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object.")
profile = click.option(
    "--profile", type=click.Choice(list(PROFILES)), help="Rules for this call, not the ledger's."
)
allow_secret = click.option(
    "--allow-secret", is_flag=True, help="The topic only looks as if it held a secret."
)
topic = click.argument("topic", nargs=-1, required=True)

proposer = _together(
    click.option("--agent", envvar="GEMSEARCH_AGENT", help="Who proposes the topic."),
    click.option("--session", envvar="GEMSEARCH_SESSION", help="The agent's conversation."),
    click.option("--project", envvar="GEMSEARCH_PROJECT", help="What it works on."),
)
call_id = click.option("--call-id", help="Makes a repeated call one attempt.")
private = click.option("--private", is_flag=True, help="Never publish this gem.")

# What every command takes that judges a topic.
proposing = _together(profile, allow_secret, proposer, call_id, private, db, as_json)

# What every command takes that runs a web search.
searching = _together(
    click.option("-p", "--provider", envvar="GEMSEARCH_PROVIDER", help="Where to search."),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0.1, max=300),
        default=20.0,
        show_default=True,
        help="Seconds for the whole search.",
    ),
)

listing = _together(
    click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True),
    click.option("--json", "form", flag_value="json", help="A JSON array."),
    click.option("--nl", "form", flag_value="nl", help="One JSON object a line."),
    click.option("--csv", "form", flag_value="csv", help="CSV with a header."),
)


def path(db: str | None) -> str:
    """The ledger's path: the option, the environment, or the user's own folder."""
    from gemsearch.config import default_ledger_path

    return os.path.abspath(db) if db else default_ledger_path()


def caller_from(origin: str, **fields: Any) -> Caller:
    return Caller(
        origin=origin,
        agent=fields["agent"],
        session=fields["session"],
        project=fields["project"],
        call_id=fields["call_id"],
        private=fields["private"],
    )
