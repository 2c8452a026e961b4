"""Indexes new gems of a large ledger, in a process that no agent waits for.

    python -P -m gemsearch.agents.sealing LEDGER

A hook must be gone in two seconds, and sealing may take one of its own.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

from gemsearch.errors import GemsearchError


def leave_to_a_child(ledger: str) -> None:
    """Start it and go on; without an index gems are found all the same."""
    with suppress(OSError):
        subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-m", "gemsearch.agents.sealing", ledger],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def main(ledger: str) -> None:
    from gemsearch.ledger.index import upkeep
    from gemsearch.ledger.opening import opened_for_correcting

    try:
        with opened_for_correcting(ledger) as connection:
            upkeep.after_writing(connection)
    except GemsearchError:
        return


if __name__ == "__main__":
    main(sys.argv[1])
