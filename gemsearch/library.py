"""The library: a ledger opened from Python.

with gemsearch.open("gems.db") as ledger:
    if ledger.check("gitleaks pre-commit hook").novel:
        ledger.record("gitleaks pre-commit hook", ["https://gitleaks.io/"])
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from gemsearch import asking, novelty
from gemsearch.core.model import Caller
from gemsearch.ledger import reading
from gemsearch.ledger.connection import open_for_reading, open_for_writing, translating

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gemsearch.core.model import Result, Verdict
    from gemsearch.ledger.reading import Gem


def open(  # noqa: A001 - gemsearch.open(path), as tarfile.open
    path: str | os.PathLike[str], profile: str | None = None, *, read_only: bool = False
) -> Ledger:
    """The ledger at `path`, made if it is missing; `profile` overrides the ledger's own.

    Raises LedgerError with the path and what to do, LedgerBusy when others hold it for over 5 s.
    """
    return Ledger(os.fspath(path), profile, read_only=read_only)


class Ledger:
    """One open ledger; use it in one thread, and close it (or use it in a `with` statement)."""

    def __init__(self, path: str, profile: str | None = None, *, read_only: bool = False) -> None:
        self.path = os.path.abspath(path)
        self.profile = profile
        self._connection = open_for_reading(path) if read_only else open_for_writing(path)

    def check(
        self, topic: str, *, session: str | None = None, allow_secret: bool = False
    ) -> Verdict:
        """What the query gate says of a topic. Writes nothing; raises BadTopic, SecretInTopic."""
        caller = Caller(session=session)
        with translating(self.path):
            return asking.check(
                self._connection, self._proposal(topic, caller, allow_secret), _now()
            )

    def record(
        self,
        topic: str,
        results: Iterable[Result | dict[str, object] | str],
        *,
        caller: Caller = Caller(origin="record"),  # noqa: B008 - a value, never changed
        provider: str | None = None,
        allow_secret: bool = False,
        force: bool = False,
        reason: str | None = None,
    ) -> Verdict:
        """Judge results that were obtained elsewhere by both gates, and record them if novel.

        A result is a Result, a dict with url, title, snippet and published, or an address.
        `force` records past a refusal and overrules it, `reason` says why.
        """
        proposal = self._proposal(topic, caller, allow_secret)._replace(
            on_match=asking.FORCE if force else asking.REFUSE, reason=reason
        )
        with translating(self.path):
            return novelty.record(self._connection, proposal, results, _now(), provider)

    def explain(self, topic: str, *, allow_secret: bool = False) -> asking.Explanation:
        """Why a topic would be refused now or not, with the nearest gems and every score."""
        with translating(self.path):
            return asking.explain(
                self._connection, self._proposal(topic, Caller(), allow_secret), _now()
            )

    def search(self, text: str, limit: int = 20) -> list[Gem]:
        """Gems that have all these words in their topic, newest first. No web search is made."""
        with translating(self.path):
            return list(reading.gems(self._connection, text=text, limit=limit))

    def gem(self, gem_id: int) -> Gem:
        """One gem. Raises NotFound."""
        with translating(self.path):
            return reading.gem(self._connection, gem_id)

    def results(self, gem_id: int) -> tuple[Result, ...]:
        """The results that a gem was recorded with."""
        with translating(self.path):
            return reading.results(self._connection, gem_id)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _proposal(self, topic: str, caller: Caller, allow_secret: bool) -> asking.Proposal:
        accepted = asking.accepted(topic, allow_secret=allow_secret)
        return asking.Proposal(accepted, caller, self.profile)


def _now() -> datetime:
    return datetime.now(UTC)
