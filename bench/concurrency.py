"""Many processes propose the same topics at once: is each recorded exactly once?

    python bench/concurrency.py --processes 8 --topics 200

Prints gems, errors and the time a proposal took, and exits 1 when a topic was lost or doubled.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORKER = """
import json, sys, time
from gemsearch import asking, errors, novelty
from gemsearch.core.model import Caller, Result
from gemsearch.ledger.connection import open_for_writing
from gemsearch.cli.proposing import utc_now
from gemsearch.providers.base import Page

class Instant:
    name = "instant"
    def search(self, topic, pace, timeout):
        return Page((Result(f"https://example.org/{topic.replace(' ', '/')}"),))

path, worker, topics = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
outcomes, slowest = {}, 0.0
ledger = open_for_writing(path)
for topic in topics:
    caller = Caller(session=f"session {worker}")
    started = time.perf_counter()
    try:
        status = novelty.search(ledger, asking.Proposal(topic, caller), Instant, utc_now).status
    except errors.GemsearchError as error:
        status = type(error).__name__
    slowest = max(slowest, time.perf_counter() - started)
    outcomes[status] = outcomes.get(status, 0) + 1
print(json.dumps([outcomes, slowest]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--topics", type=int, default=200)
    options = parser.parse_args()
    topics = [f"subject{n} aspect{n % 7} {chr(97 + n % 26) * 6}" for n in range(options.topics)]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/gems.db"
        started = time.perf_counter()
        outcomes, slowest = race(path, topics, options.processes)
        seconds = time.perf_counter() - started
        recorded = recorded_topics(path)
    proposals = options.processes * options.topics
    print(f"{options.processes} processes x {options.topics} topics: {outcomes}")
    print(f"{proposals / seconds:.0f} proposals/s, slowest {slowest * 1000:.0f} ms")
    print(f"recorded exactly once: {sorted(recorded) == sorted(topics)}")
    allowed = {"novel", "duplicate", "pending"}
    sys.exit(not (sorted(recorded) == sorted(topics) and outcomes.keys() <= allowed))


def race(path: str, topics: list[str], processes: int) -> tuple[dict[str, int], float]:
    racing = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, path, str(n), json.dumps(topics)],
            stdout=subprocess.PIPE,
        )
        for n in range(processes)
    ]
    outcomes: dict[str, int] = {}
    slowest = 0.0
    for racer in racing:
        counted, longest = json.loads(racer.communicate()[0])
        slowest = max(slowest, longest)
        for status, count in counted.items():
            outcomes[status] = outcomes.get(status, 0) + count
    return outcomes, slowest


def recorded_topics(path: str) -> list[str]:
    from gemsearch.ledger.connection import open_for_reading

    ledger = open_for_reading(str(Path(path)))
    found = [topic for (topic,) in ledger.execute("SELECT topic FROM gems")]
    ledger.close()
    return found


if __name__ == "__main__":
    main()
