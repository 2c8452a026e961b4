"""The report of a history as lines of 80 columns, and as a JSON value. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch import __version__, charts
from gemsearch.core.profiles import DEFAULT
from gemsearch.core.text import cells, clean_file_name, clean_line
from gemsearch.history import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gemsearch.history.backfill import Taken
    from gemsearch.history.clusters import Cluster
    from gemsearch.history.collecting import History
    from gemsearch.history.model import Source
    from gemsearch.history.report import ProfileFigures, RecurringSource, Report

WIDTH = 80
_SHOWN = 10  # topics, sources and spans of time; the page and --json have more
_NEXT = "The ledger is as it was. `gemsearch mine --into-ledger` makes gems of this history."
_SPANS = 14  # days, weeks or months
_BAR = 40  # cells


def report_lines(report: Report, history: History, sources: Iterable[Source]) -> list[str]:
    """The whole report; where there is nothing to tell, what was looked at."""
    if not report.calls:
        return [*_nothing(history, sources), *_reading(history)]
    parts = [_overview(report), _reading(history)]
    if report.searches:
        parts += [
            _over_time(report),
            _coming_back(report),
            _sources(report),
            _refusals(report),
            _wrapped(_NEXT),
        ]
    return [line for part in parts if part for line in (*part, "")][:-1]


def taken_lines(taken: Taken, history: History, sources: Iterable[Source]) -> list[str]:
    """What became of the calls that were taken into the ledger."""
    if not taken.calls and not history.files and not history.skipped:
        return ["Nothing new since the last time.", *_looked_at(sources)]
    signals = sentences.listed(taken.repeats)
    return [
        *_wrapped(f"{taken.calls:,} search calls read: {sentences.by_status(taken.by_status)}."),
        *_left_out(taken.secrets, taken.no_topics),
        f"{taken.gems:8,}  new gems, private",
        f"{sum(taken.repeats.values()):8,}  repeats, kept as rejections that nobody was refused",
        *([f"{'':10}{signals}"] if signals else []),
        f"{taken.known:8,}  in the ledger already",
        *_reading(history),
    ]


def report_json(report: Report, history: History, sources: Iterable[Source]) -> dict[str, object]:
    """One object: what was read, and the report's figures by their names."""
    read = {
        "looked_at": [{"source": one.reader, "path": one.path} for one in sources],
        **_read_json(history),
    }
    return {
        "read": read,
        **_figures(report),
        "estimate": sentences.ESTIMATE,
        "version": __version__,
    }


def taken_json(taken: Taken, history: History) -> dict[str, object]:
    return {"read": _read_json(history), **_figures(taken), "version": __version__}


def bar(part: float, width: int = _BAR) -> str:
    """A bar of so many cells, filled up to `part`; anything above nothing is seen."""
    filled = min(width, max(round(part * width), int(part > 0)))
    return "█" * filled


def _nothing(history: History, sources: Iterable[Source]) -> list[str]:
    fetched = " No search in them." if history.files else ""
    return [f"No search call was found.{fetched}", *_looked_at(sources)]


def _looked_at(sources: Iterable[Source]) -> list[str]:
    places = [f"  {one.reader:12} {clean_file_name(one.path)}" for one in sources]
    return ["Looked at:", *places] if places else []


def _overview(report: Report) -> list[str]:
    sessions = f" in {report.sessions:,} sessions" if report.sessions else ""
    days = f", {report.first_day} to {report.last_day}" if report.first_day else ""
    lines = [
        f"{report.calls:,} search calls{sessions}{days}",
        *_wrapped(f"{sentences.by_status(report.by_status)}."),
        *_left_out(report.secrets, report.no_topics),
        *_wrapped(f"Agents: {sentences.listed(report.agents)}."),
    ]
    if set(report.projects) - {""}:
        lines += _wrapped(f"Projects: {sentences.listed(report.projects)}.")
    if report.undated:
        lines += _wrapped(f"Without a time: {report.undated:,}; they come last.")
    if report.searches:
        repeats = f"{report.exact_repeats:,} asked again in the same words"
        lines += ["", f"{report.searches:,} searches for {report.topics:,} topics: {repeats}"]
    return lines


def _left_out(secrets: Mapping[str, int], no_topics: int) -> list[str]:
    lines = []
    if secrets:
        lines += _wrapped(f"Left out, with a secret in the topic: {sentences.listed(secrets)}.")
    if no_topics:
        lines += _wrapped(f"Left out, too long for a topic or without a word: {no_topics:,}.")
    return lines


def _reading(history: History) -> list[str]:
    if not history.files and not history.skipped:
        return []
    others = [
        f"{what}: {count:,}"
        for what, count in (
            ("calls met again in a fork or another log", history.repeated),
            ("calls of gemsearch itself", history.own),
            ("pages fetched", history.fetches),
        )
        if count
    ]
    read = f"Files read: {history.files:,}, {_megabytes(history.bytes)}"
    lines = _wrapped(f"{'; '.join((read, *others))}.")
    for reason, count in history.skipped.most_common():
        lines.append(f"  skipped: {reason} {count:,}")
        first = next((one.place for one in history.places if one.reason == reason), "")
        lines += [f"    the first: {clean_file_name(first)}"] if first else []
    return lines


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count > 1e7 else f"{count / 1e6:.2g} MB"


def _over_time(report: Report) -> list[str]:
    found = charts.timeline(report.new_by_day, report.refused_by_day, _SPANS, _SPANS)
    if found is None or len(found.spans) < 2:
        return []
    most = max(span.novel + span.refused for span in found.spans)
    last = found.spans[-_SPANS:]
    shown = f", the last {len(last)}" if len(last) < len(found.spans) else ""
    lines = [f"Searches by {found.unit}{shown}: █ repeats by the rules of {DEFAULT}, ░ new"]
    for span in last:
        every = span.novel + span.refused
        repeats = bar(span.refused / most)
        drawn = f"{repeats:░<{len(bar(every / most))}}"
        lines.append(f"  {span.label:10} {every:6,}  {drawn}".rstrip())
    return lines


def _coming_back(report: Report) -> list[str]:
    found = report.coming_back
    tail = f"{found.once:,} stayed in one session."
    lines = [
        f"Topics of several sessions: {found.topics:,}, in {found.searches:,} searches. {tail}"
    ]
    if not found.head:
        return lines
    lines.append("  searches  sessions  first       last")
    for cluster in found.head[:_SHOWN]:
        lines += _cluster(cluster)
    return [*lines, *_more(found.topics - len(found.head[:_SHOWN]))]


def _cluster(cluster: Cluster) -> Iterator[str]:
    counts = f"  {cluster.searches:8,}  {cluster.sessions:8,}"
    days = f"{cluster.first_day:10}  {cluster.last_day:10}"
    yield f"{counts}  {days}  {clean_line(cluster.topic, WIDTH - 46)}"
    others = cluster.wordings[1:]
    if others:
        more = f"  (and {len(others) - 1:,} more)" if len(others) > 1 else ""
        yield f"{'':22}also {clean_line(others[0], WIDTH - 27 - len(more))}{more}"
        yield from (
            f"{'':22}share {clean_line(said, WIDTH - 28)}"
            for said in sentences.shared(cluster.words, cluster.sources)
        )


def _sources(report: Report) -> list[str]:
    found = report.sources
    if not found.sources:
        return []
    lines = [f"Sources found for several topics: {found.recurring:,} of {found.sources:,}."]
    if found.head:
        lines.append("    topics  searches  source")
        lines += [_source(one) for one in found.head[:_SHOWN]]
    return [*lines, *_more(found.recurring - len(found.head[:_SHOWN]))]


def _source(one: RecurringSource) -> str:
    return (
        f"  {one.topics:8,}  {one.searches:8,}  {clean_line(sentences.bare(one.url), WIDTH - 22)}"
    )


def _more(count: int) -> list[str]:
    return [f"  and {count:,} more"] if count > 0 else []


def _refusals(report: Report) -> list[str]:
    lines = [f"What both gates would have refused of these {report.searches:,} searches", ""]
    for one in report.profiles:
        share = one.refused / report.searches
        lines.append(f"  {one.profile:10} {one.refused:6,}  {share:4.0%}  {bar(share)}".rstrip())
    signals = list(report.profiles[0].across_sessions)
    lines += ["", f"  {'':26}" + "".join(f"{signal:>10}" for signal in signals)]
    for one in report.profiles:
        for where, counts in (
            ("across sessions", one.across_sessions),
            ("in one session", one.within_session),
        ):
            row = "".join(f"{counts[signal]:10,}" for signal in signals)
            lines.append(f"  {one.profile:10}{where:16}{row}")
    return [*lines, "", *_wrapped(sentences.REPLAYED, 2), "", *_savings(report.profiles)]


def _savings(profiles: Sequence[ProfileFigures]) -> list[str]:
    lines = ["Saved, by estimate", "              searches  result lists    tokens, about"]
    lines += [
        f"  {one.profile:10} {one.searches_saved:9,} {one.lists_withheld:13,}"
        f" {one.estimate.tokens:16,}"
        for one in profiles
    ]
    return [*lines, "", *_wrapped(sentences.ESTIMATE, 2)]


class _Line(NamedTuple):
    text: str
    width: int


def _wrapped(text: str, indent: int = 0) -> list[str]:
    """Words in lines of 80 columns, with wide characters counted as two."""
    lines: list[_Line] = []
    for word in clean_line(text).split(" "):
        width = cells(word)
        if lines and lines[-1].width + 1 + width <= WIDTH - indent:
            last = lines[-1]
            lines[-1] = _Line(f"{last.text} {word}", last.width + 1 + width)
        else:
            lines.append(_Line(word, width))
    return [" " * indent + line.text for line in lines]


def _read_json(history: History) -> dict[str, object]:
    return {
        "files": history.files,
        "bytes": history.bytes,
        "met_again": history.repeated,
        "own_calls": history.own,
        "fetches": history.fetches,
        "skipped": dict(history.skipped.most_common()),
    }


def _figures(found: Report | Taken) -> dict[str, object]:
    return {name: _plain(value) for name, value in found._asdict().items()}


def _plain(value: object) -> object:
    """NamedTuples as objects, all the way down."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(inner) for name, inner in value._asdict().items()}
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
