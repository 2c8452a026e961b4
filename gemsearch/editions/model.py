"""What is asked of an edition, what it says of itself, and what came of it."""

from __future__ import annotations

from typing import NamedTuple

from gemsearch.core.text import clean_line
from gemsearch.editions import findings
from gemsearch.errors import WrongCall


class Choice(NamedTuple):
    """Which gems, with their rejections; of the rows that may be published at all."""

    since: str = ""  # a day
    project: str | None = None
    include_history: bool = False
    snippets: bool = False


class Front(NamedTuple):
    """What the edition says of itself; `no_sql` and `no_download` are kept by whoever serves it."""

    title: str
    license: str = ""
    made: str = ""  # a day
    no_sql: bool = False
    no_download: bool = False


class Report(NamedTuple):
    """Rows published in each table, rows withheld by (table, reason), texts looked through."""

    published: dict[str, int]
    withheld: dict[tuple[str, str], int]
    memory: findings.Memory


def checked(front: Front) -> Front:
    """The same in clean text; a finding in it is refused, since nobody would look for it there."""
    front = front._replace(title=clean_line(front.title), license=clean_line(front.license))
    for name, text in {"title": front.title, "license": front.license}.items():
        if kind := findings.in_text(text):
            raise WrongCall(f"the {name} contains what looks like {kind}")
    if not front.title:
        raise WrongCall("the title is empty")
    return front


def require_rows(report: Report) -> None:
    if not report.published["gems"]:
        raise WrongCall(
            "there is nothing to publish: no gem is left",
            hint="Private gems and rows with a finding never are; see the report.",
        )
