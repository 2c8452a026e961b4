"""Many hooks started at once on one ledger: is each topic leased once, and how long does it take?

    python bench/hooks.py --hooks 50 --topics 10 --sizes 0,100000

Size 0 is a ledger that is not there yet: the hooks make it. Prints the slowest hook, from its start
to its end, and exits 1 if one failed, wrote to its log, or leased a topic that another had.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from typing import NamedTuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from bench import corpus, gates
from gemsearch.agents import log
from gemsearch.ledger.connection import open_for_reading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENVIRONMENT = os.environ | {"PYTHONPATH": ROOT}


class Outcome(NamedTuple):
    seconds: float
    code: int
    said: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hooks", type=int, default=50)
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--sizes", default="0,2000,100000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--directory", default=os.path.join(tempfile.gettempdir(), "gemsearch-bench")
    )
    options = parser.parse_args()
    os.makedirs(options.directory, exist_ok=True)
    compileall.compile_dir(os.path.join(ROOT, "gemsearch"), quiet=1)  # as pip does
    right = True
    for size in map(int, options.sizes.split(",")):
        for _ in range(options.rounds):
            right &= at_once(options, size)
    sys.exit(not right)


def at_once(options: argparse.Namespace, size: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        ledger = os.path.join(folder, "gems.db")
        if size:
            shutil.copy(gates.prepared(options.directory, size), ledger)
        made = corpus.Corpus(max(size, 1))
        topics = [made.topic(corpus.NOVEL + n) for n in range(options.topics)]
        outcomes = raced(ledger, [topics[n % len(topics)] for n in range(options.hooks)])
        problems = log.entries(ledger)
        with closing(open_for_reading(ledger)) as connection:
            leased = [topic for (topic,) in connection.execute("SELECT topic FROM searches")]
    failed = sum(outcome.code != 0 for outcome in outcomes)
    pending = sum("PENDING" in outcome.said for outcome in outcomes)
    slowest = max(outcome.seconds for outcome in outcomes)
    print(
        f"{options.hooks} hooks, {size:,} gems: {len(leased)} leases of {len(topics)} topics,"
        f" {pending} pending, {failed} failed, {len(problems)} problems, slowest {slowest:.2f} s"
    )
    for problem in problems:
        print(f"  {problem}")
    return sorted(leased) == sorted(topics) and not failed and not problems


def raced(ledger: str, topics: list[str]) -> list[Outcome]:
    """Start all, then give each its event; the time of each is from its start to its end."""
    command = [sys.executable, "-P", "-m", "gemsearch.agents.hook", "claude-code", "--db", ledger]
    started = []
    for number, topic in enumerate(topics):
        hook = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
        )
        hook.stdin.write(event(topic, number))
        hook.stdin.close()
        started.append((time.perf_counter(), hook))
    ended: dict[int, float] = {}
    while len(ended) < len(started):
        for number, (_, hook) in enumerate(started):
            if number not in ended and hook.poll() is not None:
                ended[number] = time.perf_counter()
        time.sleep(0.001)
    return [
        Outcome(ended[number] - start, hook.returncode, hook.stdout.read().decode())
        for number, (start, hook) in enumerate(started)
    ]


def event(topic: str, number: int) -> bytes:
    told = {
        "session_id": f"session {number}",
        "cwd": "/tmp",
        "hook_event_name": "PreToolUse",
        "tool_name": "WebSearch",
        "tool_input": {"query": topic},
        "tool_use_id": f"call {number}",
    }
    return json.dumps(told).encode()


if __name__ == "__main__":
    main()
