"""Several providers in the user's order: the next one only after the last one failed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gemsearch.errors import EXIT_NOT_NOW, SearchFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gemsearch.providers.base import Pace, Page, Provider

# The topic is at fault: another provider would search something the gate can't compare.
TOPIC_AT_FAULT = {"query_too_long", "bad_query"}
SHORTEST = 1.0  # seconds that are worth another try


class Fallback:
    """`served_by` of the page and of this object names the provider that answered.

    An empty page is an answer: nothing is tried after it.
    """

    def __init__(self, providers: Sequence[Provider]) -> None:
        self.providers = providers
        self.name = ",".join(provider.name for provider in providers)
        self.served_by = ""

    def search(self, topic: str, pace: Pace, timeout: float) -> Page:
        deadline = time.monotonic() + timeout
        failures: list[SearchFailed] = []
        for place, provider in enumerate(self.providers):
            left = deadline - time.monotonic()
            if failures and left < SHORTEST:
                break
            # A slow provider may use up its share only, or the next one would never be asked.
            share = left / (len(self.providers) - place)
            try:
                page = provider.search(topic, pace, share)
            except SearchFailed as failure:
                if failure.kind in TOPIC_AT_FAULT:
                    raise
                failures.append(failure)
                continue
            self.served_by = page.served_by or provider.name
            return page._replace(served_by=self.served_by)
        raise combined(failures)


def combined(failures: Sequence[SearchFailed]) -> SearchFailed:
    """One failure for all: worth another try later if one of them is."""
    later = [failure for failure in failures if failure.exit_code == EXIT_NOT_NOW]
    told = (later or list(failures))[0]
    waits = [failure.retry_after for failure in later if failure.retry_after is not None]
    return SearchFailed(
        told.kind,
        "; ".join(failure.message for failure in failures),
        provider=told.provider,
        hint=told.hint,
        retry_after=min(waits, default=told.retry_after),
        billed=next((failure.billed for failure in failures if failure.billed != "no"), "no"),
    )
