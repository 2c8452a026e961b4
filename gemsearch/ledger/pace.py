"""Throttling and cool-downs of the providers, shared by all processes through the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.ledger.connection import write_transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from datetime import datetime

_FAR = 86_400.0  # a slot or cool-down farther ahead was set before the clock went back


class LedgerPace:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], datetime]) -> None:
        self._connection = connection
        self._clock = clock

    def cooling(self, provider: str) -> tuple[str, float] | None:
        """(kind, seconds left) while the provider is to be left alone, else None."""
        row = self._connection.execute(
            "SELECT kind, cooldown_until FROM providers_state WHERE provider = ?", (provider,)
        ).fetchone()
        left = row[1] - self._clock().timestamp() if row else 0.0
        return (row[0], left) if 0 < left <= _FAR else None

    def claim(self, provider: str, interval: float) -> float:
        """Take the next slot, `interval` seconds after the last one; seconds to sleep until it."""
        now = self._clock().timestamp()
        with write_transaction(self._connection):
            row = self._connection.execute(
                "SELECT next_slot FROM providers_state WHERE provider = ?", (provider,)
            ).fetchone()
            slot = row[0] if row and now < row[0] <= now + _FAR else now
            self._connection.execute(
                "INSERT INTO providers_state (provider, next_slot) VALUES (?, ?)"
                " ON CONFLICT (provider) DO UPDATE SET next_slot = excluded.next_slot",
                (provider, slot + interval),
            )
        return float(slot - now)

    def cool_down(self, provider: str, kind: str, seconds: float) -> None:
        """Leave the provider alone for so long; `kind` is what the next refusal will say."""
        until = self._clock().timestamp() + seconds
        with write_transaction(self._connection):
            self._connection.execute(
                "INSERT INTO providers_state (provider, cooldown_until, kind) VALUES (?, ?, ?)"
                " ON CONFLICT (provider) DO UPDATE SET"
                " cooldown_until = excluded.cooldown_until, kind = excluded.kind",
                (provider, until, kind),
            )
