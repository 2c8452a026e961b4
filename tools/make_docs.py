"""Writes the pages that are made from the program itself: docs/cli.md and docs/schema.md.

python tools/make_docs.py            write them
python tools/make_docs.py --check    exit 1 when one of them is not up to date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import click

from gemsearch.cli import cli
from gemsearch.ledger.migrations import schema

DOCS = Path(__file__).resolve().parent.parent / "docs"

CLI_HEAD = """# Commands

Made by `make docs` from the commands' own `--help`.

Shell completion: put one of these lines into your shell's start-up file.

```sh
eval "$(_GEMSEARCH_COMPLETE=bash_source gemsearch)"   # ~/.bashrc
eval "$(_GEMSEARCH_COMPLETE=zsh_source gemsearch)"    # ~/.zshrc
_GEMSEARCH_COMPLETE=fish_source gemsearch | source    # ~/.config/fish/config.fish
```
"""

SCHEMA_HEAD = """# The ledger's tables

Made by `make docs` from `gemsearch/ledger/schema.sql`. Times are UTC, ISO 8601.

Browse them with `datasette "$(gemsearch path)"`, or list them with
`sqlite-utils tables "$(gemsearch path)" --counts`.
"""


def pages() -> dict[str, str]:
    return {"cli.md": cli_page(), "schema.md": schema_page()}


def cli_page() -> str:
    cli.name = "gemsearch"
    return "\n".join([CLI_HEAD, *_help_of(cli, "gemsearch", None)])


def _help_of(command: click.Command, name: str, parent: click.Context | None) -> list[str]:
    context = click.Context(command, info_name=command.name, parent=parent, terminal_width=90)
    shown = [line.rstrip() for line in command.get_help(context).splitlines()]
    lines = [f"## {name}", "", "```text", *shown, "```", ""]
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            assert found is not None
            lines += _help_of(found, f"{name} {sub}", context)
    return lines


def schema_page() -> str:
    lines = [SCHEMA_HEAD]
    for paragraph in schema().split("\n\n"):
        lines += _described(paragraph.strip().split("\n"))
    return "\n".join(lines)


def _described(statement: list[str]) -> list[str]:
    about = [line.removeprefix("-- ") for line in statement if line.startswith("--")]
    code = [line for line in statement if not line.startswith("--")]
    if not about or not code:
        return []
    kind, name = code[0].split()[1:3]
    lines = [f"## {name}", "", *about, ""]
    if kind == "TABLE":
        columns = [_column(line.strip()) for line in code[1:-1] if _is_column(line.strip())]
        lines += ["| column | type | meaning |", "|---|---|---|", *columns, ""]
    return lines


def _is_column(line: str) -> bool:
    return not line.startswith(("UNIQUE", "PRIMARY KEY"))


def _column(line: str) -> str:
    declared, _, meaning = line.partition(" -- ")
    name, kind = declared.rstrip(",").split()[:2]
    return f"| `{name}` | {kind} | {meaning.replace('|', '/')} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    only_check = parser.parse_args().check
    stale = [
        name
        for name, text in pages().items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text
    ]
    for name in stale if not only_check else ():
        (DOCS / name).write_text(pages()[name], encoding="utf-8")
        print(f"wrote docs/{name}")
    if only_check and stale:
        sys.exit(f"not up to date, run `make docs`: {', '.join(stale)}")


if __name__ == "__main__":
    main()
