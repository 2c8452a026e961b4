"""Charts as inline SVG, drawn here: no script, nothing fetched, colours left to the style sheet.

Shapes only. Words stand beside them in HTML, so that they keep their size on a phone; every chart
has its numbers in a table too.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_DAYS = 45  # more are drawn by week
MOST_WEEKS = 54  # and more than these by month
_WIDTH, _HEIGHT = 1000, 200


class Span(NamedTuple):
    """A day, a week or a month, and what happened in it."""

    label: str
    novel: int
    refused: int


class Timeline(NamedTuple):
    svg: Markup
    spans: Sequence[Span]
    unit: str
    top: int  # what the upper edge stands for


def timeline(
    novel: Mapping[str, int],
    refused: Mapping[str, int],
    most_days: int = MOST_DAYS,
    most_weeks: int = MOST_WEEKS,
) -> Timeline | None:
    """Novel and refused topics over time, stacked; None when there is no day to show."""
    days = sorted(day for day in map(_parsed, {*novel, *refused}) if day)
    if not days:
        return None
    length = (days[-1] - days[0]).days + 1
    unit = "day" if length <= most_days else "week" if length <= 7 * most_weeks else "month"
    spans = _spans(days[0], days[-1], unit, novel, refused)
    top = _round_up(max(span.novel + span.refused for span in spans))
    return Timeline(_columns(spans, top), spans, unit, top)


def bar(part: float, kind: str = "refused") -> Markup:
    """A horizontal bar, filled up to `part` of its length."""
    return stacked([(part, kind)])


def stacked(parts: Sequence[tuple[float, str]]) -> Markup:
    """A horizontal bar of several parts, one after the other, each of its kind."""
    drawn, at = Markup(), 0.0
    for part, kind in parts:
        drawn += Markup('<rect class="gs-{}" x="{}" width="{}" height="10"></rect>').format(
            kind, _number(100 * at), _number(100 * _within(part))
        )
        at = _within(at + part)
    return Markup(
        '<svg class="gs-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        "{}</svg>"
    ).format(drawn)


def gauge(score: float, threshold: float) -> Markup:
    """A score between 0 and 1, and the threshold from which on it refuses."""
    at = _number(100 * _within(threshold))
    return Markup(
        '<svg class="gs-gauge" viewBox="0 0 100 10" preserveAspectRatio="none" role="img"'
        ' aria-label="Score {:.2f}, threshold {:.2f}">'
        '<rect class="gs-track" width="100" height="10"></rect>'
        '<rect class="gs-{}" width="{}" height="10"></rect>'
        '<line class="gs-mark" x1="{}" x2="{}" y1="-2" y2="12"></line></svg>'
    ).format(
        score,
        threshold,
        "refused" if score >= threshold else "novel",
        _number(100 * _within(score)),
        at,
        at,
    )


def _columns(spans: Sequence[Span], top: int) -> Markup:
    step = _WIDTH / len(spans)
    width = min(step * 0.8, 60)
    columns = Markup("").join(
        _column(span, index * step + (step - width) / 2, width, top)
        for index, span in enumerate(spans)
    )
    lines = Markup("").join(
        Markup('<line class="gs-grid" x1="0" x2="{}" y1="{}" y2="{}"></line>').format(_WIDTH, y, y)
        for y in (0, _HEIGHT // 2, _HEIGHT)
    )
    return Markup(
        '<svg class="gs-columns" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img"'
        ' aria-label="Novel and refused topics over time; the numbers are in the table below">'
        "{}{}</svg>"
    ).format(_WIDTH, _HEIGHT, lines, columns)


def _column(span: Span, left: float, width: float, top: int) -> Markup:
    novel, refused = (_HEIGHT * count / top for count in (span.novel, span.refused))
    said = f"{span.label}: {span.novel} novel, {span.refused} refused"
    return Markup("<g><title>{}</title>{}{}</g>").format(
        said,
        _rectangle("novel", left, _HEIGHT - novel, width, novel),
        _rectangle("refused", left, _HEIGHT - novel - refused, width, refused),
    )


def _rectangle(kind: str, left: float, upper: float, width: float, height: float) -> Markup:
    return Markup('<rect class="gs-{}" x="{}" y="{}" width="{}" height="{}"></rect>').format(
        kind, _number(left), _number(upper), _number(width), _number(height)
    )


def _spans(
    first: date, last: date, unit: str, novel: Mapping[str, int], refused: Mapping[str, int]
) -> list[Span]:
    counts: dict[str, list[int]] = {}
    day = first
    while day <= last:
        counts.setdefault(_label(day, unit), [0, 0])
        day += timedelta(days=1)
    for which, counted in enumerate((novel, refused)):
        for text, count in counted.items():
            if parsed := _parsed(text):
                counts[_label(parsed, unit)][which] += count
    return [Span(label, *pair) for label, pair in counts.items()]


def _label(day: date, unit: str) -> str:
    if unit == "month":
        return f"{day:%Y-%m}"
    return (day - timedelta(days=day.weekday() if unit == "week" else 0)).isoformat()


def _parsed(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except (TypeError, ValueError):
        return None


def _round_up(count: int) -> int:
    """An even number at or above `count` that reads well on an axis."""
    tens: int = 10 ** max(0, len(str(count)) - 2)
    steps = (2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 50, 60, 80, 100)
    return next(step * tens for step in steps if step * tens >= count)


def _within(part: float) -> float:
    return min(1.0, max(0.0, part))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
