"""How many topics a second the batch path decides, beside one call after the other.

    python bench/batch.py --gems 10000 --topics 5000

Builds a made-up ledger, then judges fresh topics: `check --batch` against single checks, and
`import --judge` against single records, in one process each, with 8 sources a topic.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime

from bench.corpus import NOVEL, Corpus, url_of, write_ledger
from gemsearch import asking, batch, novelty
from gemsearch.core.model import Caller
from gemsearch.core.profiles import PROFILES
from gemsearch.ledger.connection import open_for_writing
from gemsearch.ledger.index import upkeep

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SINGLE = 200  # topics decided one by one, for the comparison


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gems", type=int, default=10_000)
    parser.add_argument("--topics", type=int, default=5_000)
    parser.add_argument("--profile", choices=list(PROFILES), default="guarded")
    options = parser.parse_args()
    corpus = Corpus(options.gems)
    rows = [
        {
            "topic": corpus.topic(NOVEL + n),
            "results": [url_of(source) for source in corpus.sources(NOVEL + n)],
        }
        for n in range(options.topics)
    ]
    print(f"{options.gems} gems, {options.topics} topics, profile {options.profile}; per second:")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/gems.db"
        write_ledger(path, options.gems, profile=options.profile)
        with closing(open_for_writing(path)) as ledger:
            upkeep.bring_up_to_date(ledger)
            for name, together, apart in (
                ("check", check_together, novelty_check),
                ("import --judge", import_together, novelty_record),
            ):
                alone = rate(lambda apart=apart: [apart(ledger, r) for r in rows[:SINGLE]], SINGLE)
                batched = rate(lambda together=together: together(ledger, rows), len(rows))
                print(f"  {name:15} {batched:7.0f} in a batch, {alone:6.0f} one by one")


def rate(work, count: int) -> float:
    """Topics a second of processor time: other work on the machine does not count."""
    started = time.process_time()
    work()
    return count / (time.process_time() - started)


def check_together(ledger, rows: list[dict]) -> None:
    for _ in batch.check_lines(ledger, map(json.dumps, rows), NOW):
        pass


def import_together(ledger, rows: list[dict]) -> None:
    batch.propose(ledger, batch.parsed(map(json.dumps, rows)), NOW)


def novelty_check(ledger, row: dict) -> None:
    asking.check(ledger, asking.Proposal(asking.accepted(row["topic"])), NOW)


def novelty_record(ledger, row: dict) -> None:
    proposal = asking.Proposal(asking.accepted(row["topic"]), Caller("import"))
    novelty.record(ledger, proposal, row["results"], NOW)


if __name__ == "__main__":
    main()
