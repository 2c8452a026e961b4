"""The command line. One file a command, loaded when it is called; `render.py` alone prints."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

import click

from gemsearch import __version__, errors
from gemsearch.cli import render
from gemsearch.cli.interrupts import Terminated, raising_on_termination

# Sections of `gemsearch --help`, and the module of each command where its name is not enough.
_SECTIONS = {
    "Every day": (
        *("search", "check", "record", "explain"),
        *("gems", "rejections", "serve", "publish"),
    ),
    "Look closer, correct": ("show", "stats", "mark", "forget"),
    "Set up and care": (
        *("providers", "keys", "config", "path", "doctor"),
        *("import", "export", "merge", "backup", "eval", "demo"),
    ),
    "Agents and their history": ("mine", "hook", "install", "uninstall", "mcp"),
}
_MODULES = {"import": "importing", "export": "exporting", "config": "configure"}

_ABOUT_TOPICS = frozenset({"search", "check", "record"})


class LazyGroup(click.Group):
    """Knows its commands by name and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for names in _SECTIONS.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"gemsearch.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command = module.command
        assert isinstance(command, click.Command)  # noqa: S101 - our own modules
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _SECTIONS.items():
            rows = [(name, self._short_help(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(rows)

    def _short_help(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return command.get_short_help_str(limit=70) if command else ""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Stop repeating the same web search.

    A proposed topic is judged before the search, its sources after it. Novel topics are recorded
    with their results; covered ones are refused in one short line, with exit code 2.

    \b
    Exit codes
      0    novel
      2    duplicate, or being searched by another agent: pick another topic
      3    searched, and nothing was found: rephrase
      4    not now: the same topic may work later
      5    a person must act
      1    wrong call
    """


def main() -> NoReturn:
    render.open_streams()
    render.expect_any_letter()
    render.leave(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and give its exit code.

    Click's own code for a wrong call is 2, which here means "duplicate": a typo must not read as
    a refusal, so wrong calls are 1.
    """
    about_topic = bool(arguments) and arguments[0] in _ABOUT_TOPICS
    try:
        with raising_on_termination():
            code = cli.main(arguments, prog_name="gemsearch", standalone_mode=False)
            render.flush()
    except click.ClickException as error:
        render.usage(error, about_topic=about_topic)
        return errors.EXIT_WRONG_CALL
    except errors.GemsearchError as error:
        render.failure(error, about_topic=about_topic)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        render.interrupted("interrupted", about_topic=about_topic)
        return errors.EXIT_INTERRUPTED
    except Terminated:
        render.interrupted("terminated", about_topic=about_topic)
        return errors.EXIT_TERMINATED
    except BrokenPipeError:
        render.nobody_listens()
        return errors.EXIT_WRONG_CALL
    except OSError as error:
        render.unwritable(error)
        return errors.EXIT_NEEDS_PERSON
    return code or 0
