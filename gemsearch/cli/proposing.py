"""What `search`, `check`, `record` and `explain` have in common."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gemsearch import asking, errors
from gemsearch.cli import answers, options, render
from gemsearch.cli.interrupts import Terminated

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from gemsearch.core.model import Verdict


class Report:
    """Prints a verdict and remembers the exit code."""

    def __init__(self, topic: str, *, as_json: bool) -> None:
        self.topic = topic
        self.as_json = as_json
        self.exit_code = errors.EXIT_NOVEL
        self.is_out = False

    def __call__(self, verdict: Verdict) -> None:
        ago = answers.seconds_ago(verdict, utc_now())
        self.exit_code = render.verdict(verdict, as_json=self.as_json, seconds_ago=ago)
        self.is_out = True


@contextmanager
def reporting(topic: str, *, as_json: bool) -> Iterator[Report]:
    """With --json a failure is an object on standard output too; the error goes on its way.

    Once the answer is out, nothing takes it back: whatever comes then ends the rest of the work.
    """
    report = Report(topic, as_json=as_json)
    try:
        yield report
    except errors.GemsearchError as error:
        if report.is_out:
            return
        if as_json:
            render.failed_search(topic, error)
        raise
    except (KeyboardInterrupt, Terminated):
        if not report.is_out:
            raise


def proposed(
    text: str, origin: str, *, force: bool = False, reason: str | None = None, **fields: Any
) -> asking.Proposal:
    """The topic as it goes into the gates. Raises BadTopic or SecretInTopic."""
    return asking.Proposal(
        asking.accepted(text, allow_secret=fields["allow_secret"]),
        options.caller_from(origin, **fields),
        fields["profile"],
        asking.FORCE if force else asking.REFUSE,
        reason,
    )


def index_new_gems(ledger: sqlite3.Connection) -> None:
    """Once the answer is printed: whoever makes a ledger large pays for its index."""
    from gemsearch.ledger.index import upkeep  # start-up: a refusal adds no gem

    render.flush()
    upkeep.after_writing(ledger)


def utc_now() -> datetime:
    return datetime.now(UTC)
