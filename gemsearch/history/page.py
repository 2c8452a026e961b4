"""The report as one HTML page: nothing is loaded, nothing runs, everything is escaped.

It may be shared, so it says less than the terminal: projects by their last folder, no session, and
neither topics nor addresses with a private datum in them.
"""

from __future__ import annotations

import os
import tempfile
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gemsearch import charts
from gemsearch.core.profiles import DEFAULT
from gemsearch.core.secrets import find_private
from gemsearch.core.text import clean_line
from gemsearch.errors import WrongCall
from gemsearch.history import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from gemsearch.history.clusters import Cluster
    from gemsearch.history.report import ProfileFigures, RecurringSource, Report

_TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
_OURS = b'<meta name="generator" content="gemsearch mine">'
_MOST = 12  # topics and sources that are named
_WORDINGS = 4  # other wordings of a topic that are shown
_TEXT, _ADDRESS = 160, 110  # cells


class Tile(NamedTuple):
    value: str
    label: str
    note: str


class Topic(NamedTuple):
    text: str
    others: tuple[str, ...]
    because: tuple[str, ...]
    searches: int
    sessions: int
    days: str
    bar: Markup


class Source(NamedTuple):
    text: str
    topics: int
    searches: int
    bar: Markup


class Refused(NamedTuple):
    """A profile's row: its bar is divided into across and within sessions."""

    name: str
    share: str
    bar: Markup
    rows: tuple[tuple[str, dict[str, int]], ...]


def rendered(report: Report, now: datetime) -> str:
    """The page as text."""
    with open(os.path.join(_TEMPLATES, "report.css"), encoding="utf-8") as file:
        style = file.read()
    head, found = report.coming_back.head[:_MOST], report.sources.head[:_MOST]
    topics = [_topic(one, report) for one in head if any(map(_is_public, one.wordings))]
    sources = [_source(one, report) for one in found if _is_public(one.url)]
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            policy=_policy(style),
            style=Markup(style),  # noqa: S704 - our own file
            today=f"{now:%Y-%m-%d}",
            default=DEFAULT,
            tiles=_tiles(report),
            timeline=charts.timeline(report.new_by_day, report.refused_by_day),
            topics=topics,
            more_topics=report.coming_back.topics - len(head),
            sources=sources,
            more_sources=report.sources.recurring - len(found),
            profiles=[_refused(one, report.searches) for one in report.profiles],
            signals=list(sentences.SIGNALS),
            meanings=sentences.SIGNALS,
            replayed=sentences.REPLAYED,
            estimate=sentences.ESTIMATE,
            facts=_facts(report),
            hidden=_hidden(head, found),
        )
    )


def find_place(name: str) -> str:
    """Where the page goes. Raises WrongCall for a place that holds anything but such a page."""
    path = os.path.abspath(name)
    if os.path.lexists(path) and not _is_ours(path):
        raise WrongCall(
            f"{path} is there already and is no page of gemsearch mine", hint="Name another file."
        )
    return path


def save(path: str, text: str) -> None:
    """Write the page, whole or not at all, for its owner alone to read."""
    folder, name = os.path.split(path)
    draft = ""
    try:
        descriptor, draft = tempfile.mkstemp(dir=folder, prefix=f".{name}.")  # made 0600
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        raise WrongCall(
            f"the page can't be written ({error.strerror}): {path}", hint="Name another folder."
        ) from error
    finally:
        with suppress(OSError):
            os.unlink(draft)


def _is_ours(path: str) -> bool:
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return _OURS in file.read(1024)


def _clean(value: object) -> object:
    """Whatever stands on the page passes here; only markup of our own is left as it is."""
    return clean_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        finalize=_clean,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _policy(style: str) -> str:
    """Only this very style sheet; no script, no picture, no address is followed by itself."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _tiles(report: Report) -> list[Tile]:
    default = next(one for one in report.profiles if one.profile == DEFAULT)
    every = max(1, report.searches)
    across = sum(default.across_sessions.values())
    return [
        Tile(f"{report.searches:,}", "searches", f"for {report.topics:,} different topics"),
        Tile(
            f"{report.exact_repeats:,}",
            "asked again",
            f"in the very same words: {report.exact_repeats / every:.0%} of the searches",
        ),
        Tile(
            f"{default.refused:,}",
            "would be refused",
            f"{default.refused / every:.0%} by the default rules, {across:,} of them across"
            " sessions",
        ),
        Tile(
            f"{default.estimate.tokens:,}",
            "tokens saved",
            f"by estimate; {default.searches_saved:,} searches not made at all",
        ),
    ]


def _topic(cluster: Cluster, report: Report) -> Topic:
    first, *others = [clean_line(text, _TEXT) for text in cluster.wordings if _is_public(text)]
    more = [f"{len(others) - _WORDINGS} more"] if len(others) > _WORDINGS else []
    words = cluster.words if _is_public(cluster.topic) else ()  # they are words of the core
    sources = [url for url in cluster.sources if _is_public(url)]
    return Topic(
        first,
        (*others[:_WORDINGS], *more),
        tuple(clean_line(said, _TEXT) for said in sentences.shared(words, sources)),
        cluster.searches,
        cluster.sessions,
        " to ".join(dict.fromkeys(filter(None, (cluster.first_day, cluster.last_day)))),
        charts.bar(cluster.searches / report.coming_back.head[0].searches),
    )


def _source(one: RecurringSource, report: Report) -> Source:
    part = one.topics / report.sources.head[0].topics
    text = clean_line(sentences.bare(one.url), _ADDRESS)
    return Source(text, one.topics, one.searches, charts.bar(part, "source"))


def _refused(one: ProfileFigures, searches: int) -> Refused:
    every = max(1, searches)
    parts = [
        (sum(one.across_sessions.values()) / every, "refused"),
        (sum(one.within_session.values()) / every, "within"),
    ]
    return Refused(
        one.profile,
        f"{one.refused:,}, {one.refused / every:.0%}",
        charts.stacked(parts),
        (("across sessions", one.across_sessions), ("within one", one.within_session)),
    )


def _facts(report: Report) -> Sequence[tuple[str, str]]:
    left_out = sentences.listed(report.secrets)
    facts: Iterable[tuple[str, str]] = (
        ("calls", sentences.by_status(report.by_status)),
        ("agents", sentences.listed(report.agents)),
        ("projects", sentences.listed(report.projects) if set(report.projects) - {""} else ""),
        ("without a time", f"{report.undated:,}" if report.undated else ""),
        ("with a secret", f"left out: {left_out}" if left_out else ""),
        ("no topics", f"{report.no_topics:,} too long, or without a word" * bool(report.no_topics)),
    )
    return [(name, said) for name, said in facts if said]


def _hidden(head: Iterable[Cluster], found: Iterable[RecurringSource]) -> int:
    """Texts that would stand on the page and must not."""
    texts = [*(text for one in head for text in one.wordings), *(one.url for one in found)]
    return sum(not _is_public(text) for text in texts)


def _is_public(text: str) -> bool:
    return find_private(text) is None
