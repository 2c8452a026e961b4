"""What `install` and `uninstall` share: the agent and the place, and how a change is shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from gemsearch.cli import options, render
from gemsearch.core.text import clean_file_name, clean_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gemsearch.agents.installing.agents import Wish
    from gemsearch.agents.installing.carrying_out import Change
    from gemsearch.agents.installing.files import Contents

# Named here too, so that `--help` loads no installer; a test compares them.
NAMES = ("claude-code", "codex", "gemini", "opencode", "pi", "omp", "copilot", "cursor")

agent = click.argument("agent", type=click.Choice(NAMES))
dry_run = click.option("--dry-run", is_flag=True, help="Show the difference, write nothing.")


def scope(function: Any) -> Any:
    place = click.option(
        "--user/--project",
        "user",
        default=True,
        help="For all your work, the default, or for this folder only.",
    )
    return place(function)


def wish(chosen: Mapping[str, Any], tools: tuple[str, ...] = ()) -> Wish:
    """What a person asked for, from the options of either command."""
    from gemsearch.agents.installing.agents import Wish
    from gemsearch.agents.installing.commands import Choices

    choices = Choices(
        chosen.get("mode") or "",
        chosen.get("source_mode") or "",
        bool(chosen.get("fail_closed")),
        options.path(chosen["db"]) if chosen.get("db") else "",
        tools,
    )
    return Wish("" if chosen["user"] else os.getcwd(), choices, bool(chosen.get("mediate")))


def show_change(change: Change, what: str) -> None:
    if change.is_none:
        return
    render.line(f"{what}  {clean_file_name(change.path)}")
    for backup in change.backups:
        render.line(f"a copy of it as it was: {clean_file_name(backup)}")


def show_differences(changes: Sequence[Change]) -> None:
    lines = [line for change in changes for line in _difference(change)]
    render.lines(lines or ["No difference."])


def _difference(change: Change) -> Iterator[str]:
    import difflib  # start-up

    before, after = _text(change.before), _text(change.after)
    path = clean_file_name(change.path)
    found = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        path if change.before else os.devnull,
        path if change.after else os.devnull,
        lineterm="",
    )
    yield from map(_shown, found)
    if before and after and before.endswith("\n") != after.endswith("\n"):
        yield "\\ the line end at the end of the file differs"


def _text(contents: Contents | None) -> str:
    return contents.text if contents else ""


def _shown(line: str) -> str:
    """A line of a difference as it may be shown: its indentation stays, a secret in it does not."""
    from gemsearch.core.secrets import find_secret  # start-up

    text = line[1:].lstrip(" \t")
    indent = line[: len(line) - len(text)]
    found = find_secret(clean_line(text))
    return f"{indent}(hidden: it looks like {found.kind})" if found else indent + clean_line(text)
