"""Many processes that do the same thing to one ledger at the same moment.

    python racers.py LEDGER PROCESSES [next version]

Each opens the ledger and records a topic of its own. Prints what went wrong, one line a process.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from datetime import UTC, datetime

from gemsearch import asking, novelty
from gemsearch.core.model import Caller
from gemsearch.ledger import migrations
from gemsearch.ledger.connection import open_for_writing
from tests.faults import next_version


def race(path: str, processes: int) -> int:
    """Gives the number of those that failed."""
    waiting, starting = os.pipe()
    children = []
    for number in range(processes):
        child = os.fork()
        if child == 0:
            os.close(starting)
            os.read(waiting, 1)  # returns for all of them when nobody can write any more
            os._exit(_take_part(path, number))
        children.append(child)
    os.close(starting)
    return sum(os.waitpid(child, 0)[1] != 0 for child in children)


def _take_part(path: str, number: int) -> int:
    topic = f"racer{number} number{number}"
    proposal = asking.Proposal(topic, Caller("record"))
    found = [f"https://example.org/{number}"]
    try:
        with closing(open_for_writing(path, busy=30.0)) as ledger:
            status = novelty.record(ledger, proposal, found, datetime.now(UTC)).status
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        sys.stderr.write(f"{number}: {type(error).__name__}: {error}\n")
        return 1
    return status != "novel"


def main() -> None:
    if sys.argv[3:]:
        migrations.MIGRATIONS = next_version.MIGRATIONS
        migrations.VERSION = next_version.VERSION
    sys.exit(race(sys.argv[1], int(sys.argv[2])))


if __name__ == "__main__":
    main()
