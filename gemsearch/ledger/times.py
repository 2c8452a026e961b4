"""Times as the ledger writes them: UTC, ISO 8601, to the millisecond, all of one length.

Texts of one length sort as the times do. Nobody here asks what time it is: `now` is a value.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def later(moment: datetime, seconds: float) -> str:
    """`moment` moved by so many seconds; kept inside the calendar's bounds."""
    try:
        return iso(moment + timedelta(seconds=seconds))
    except OverflowError:
        return iso(
            datetime.max.replace(tzinfo=UTC) if seconds > 0 else datetime.min.replace(tzinfo=UTC)
        )


def seconds_between(earlier: str, moment: datetime) -> float:
    """Seconds from an ISO time to `moment`; negative when it lies ahead."""
    return (moment - datetime.fromisoformat(earlier)).total_seconds()
