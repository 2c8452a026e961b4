"""Leaving a provider alone for as long as it asks: over all processes, through the ledger."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gemsearch.errors import SearchFailed

if TYPE_CHECKING:
    from gemsearch.providers.base import Pace

# How long a provider is left alone when it doesn't say.
REST = {"rate_limited": 60.0, "quota": 3600.0}


def refuse_while_cooling(provider: str, pace: Pace) -> None:
    cooling = pace.cooling(provider)
    if cooling is None:
        return
    kind, left = cooling
    raise SearchFailed(
        kind if kind in SearchFailed.KINDS else "rate_limited",
        f"{provider} is left alone for {left:.0f} s more ({kind.replace('_', ' ')}): nothing sent",
        provider=provider,
        hint="Try the same topic later, or choose another provider.",
        retry_after=left,
    )


def await_turn(provider: str, pace: Pace, interval: float, deadline: float) -> None:
    """Sleep until the next free slot; refuse where it lies beyond the deadline (monotonic)."""
    if interval <= 0:
        return
    wait = pace.claim(provider, interval)
    if wait >= deadline - time.monotonic():
        raise SearchFailed(
            "rate_limited",
            f"{provider} takes one search every {interval:g} s and the queue is {wait:.0f} s long",
            provider=provider,
            hint="Try the same topic later.",
            retry_after=wait,
        )
    if wait > 0:
        time.sleep(wait)


def cool_down(failure: SearchFailed, provider: str, pace: Pace) -> None:
    """Remember a limit for all processes; a failure of another kind counts if it says how long."""
    if failure.retry_after is None:
        failure.retry_after = REST.get(failure.kind)
    if failure.kind in {*REST, "upstream"} and failure.retry_after:
        pace.cool_down(provider, failure.kind, failure.retry_after)
