"""A pace for a single search outside any ledger: nothing is throttled, nothing remembered."""

from __future__ import annotations


class Unpaced:
    def cooling(self, provider: str) -> tuple[str, float] | None:  # noqa: ARG002 - the interface
        return None

    def claim(self, provider: str, interval: float) -> float:  # noqa: ARG002 - the interface
        return 0.0

    def cool_down(self, provider: str, kind: str, seconds: float) -> None:
        pass
