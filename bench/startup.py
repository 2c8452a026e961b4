"""Whole processes against bare Python: `check`, a refusal of `search`, hooks, at several sizes.

    python bench/startup.py --sizes 2000,100000,1000000

Runs are interleaved, and medians compared within one run: on another machine the milliseconds
differ, the ratios hardly. On a busy machine the time of the processor is the one to trust.

Ledgers are those of bench/gates.py, made if they are missing.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from bench import corpus, gates

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PASS, PASS_P = "python -c pass", "python -P -c pass"
CLICK = 'python -c "import sqlite3, click"'
ENVIRONMENT = os.environ | {"PYTHONPATH": ROOT}


class Case(NamedTuple):
    """A command, the name of the case it is compared with, and its input in the n-th run."""

    command: list[str]
    base: str
    given: Callable[[int], str] = lambda _: ""


class Took(NamedTuple):
    """Seconds on the wall's clock, and of the processor."""

    wall: float
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="2000,10000,100000")
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--only", default="", help="cases whose name begins so")
    parser.add_argument(
        "--directory", default=os.path.join(tempfile.gettempdir(), "gemsearch-bench")
    )
    options = parser.parse_args()
    os.makedirs(options.directory, exist_ok=True)
    compileall.compile_dir(os.path.join(ROOT, "gemsearch"), quiet=1)  # as pip does
    cases = {
        PASS: Case([sys.executable, "-c", "pass"], PASS),
        PASS_P: Case([sys.executable, "-P", "-c", "pass"], PASS),
        CLICK: Case([sys.executable, "-c", "import sqlite3, click"], PASS),
    }
    for size in map(int, options.sizes.split(",")):
        made = cases_of(gates.prepared(options.directory, size), size)
        cases |= {name: case for name, case in made.items() if name.startswith(options.only)}
    times: dict[str, list[Took]] = {name: [] for name in cases}
    for number in range(options.runs):
        for name, case in cases.items():
            times[name].append(run(case, number))
    medians = {name: Took(*map(statistics.median, zip(*taken, strict=True)))
               for name, taken in times.items()}  # fmt: skip
    for name, case in cases.items():
        took, base = medians[name], medians[case.base]
        print(
            f"{name:34} {1000 * took.wall:6.1f} ms {took.wall / base.wall:5.2f} x"
            f"   processor {1000 * took.processor:6.1f} ms {took.processor / base.processor:5.2f} x"
            f" {case.base}  {peak_memory(case, options.runs):3.0f} MB"
        )


def cases_of(path: str, size: int) -> dict[str, Case]:
    """Commands whose answer is a refusal, and such as find a topic novel."""
    copy = f"{path}.startup"
    for left in ("", "-wal", "-shm"):
        if os.path.exists(copy + left):
            os.unlink(copy + left)
    shutil.copy(path, copy)
    made = corpus.Corpus(size)
    stored, fresh = made.topic(size // 2), made.topic(corpus.NOVEL)
    edited = f"{stored}s"
    command = [sys.executable, "-m", "gemsearch"]
    hook = [sys.executable, "-P", "-m", "gemsearch.agents.hook", "claude-code", "--db", copy]

    def before(topic: Callable[[int], str]) -> Callable[[int], str]:
        return lambda run: payload("PreToolUse", topic(run), f"{topic(run)} {run}")

    def after(run: int) -> str:
        rows = [{"title": "A page", "url": f"https://example.org/{run}/{n}"} for n in range(8)]
        response = {"query": "", "results": [{"tool_use_id": "s", "content": rows}]}
        topic = made.topic(corpus.NOVEL + 10_000 + run)
        return payload("PostToolUse", topic, f"after {run}", response)

    return {
        f"check, refused, {size:,} gems": Case([*command, "check", "--db", copy, stored], CLICK),
        f"check, edited, {size:,} gems": Case([*command, "check", "--db", copy, edited], CLICK),
        f"check, novel, {size:,} gems": Case([*command, "check", "--db", copy, fresh], CLICK),
        f"search, refused, {size:,} gems": Case([*command, "search", "--db", copy, stored], CLICK),
        f"hook, refused, {size:,} gems": Case(hook, PASS_P, before(lambda _: stored)),
        f"hook, lease, {size:,} gems": Case(
            hook, PASS_P, before(lambda run: made.topic(corpus.NOVEL + 1 + run))
        ),
        f"hook, after, {size:,} gems": Case(hook, PASS_P, after),
    }


def payload(event: str, topic: str, call_id: str, response: object = None) -> str:
    return json.dumps(
        {
            "session_id": "bench",
            "cwd": "/tmp",
            "hook_event_name": event,
            "tool_name": "WebSearch",
            "tool_input": {"query": topic},
            "tool_use_id": call_id,
            "tool_response": response,
        }
    )


def run(case: Case, number: int) -> Took:
    given = case.given(number).encode()
    start, used = time.perf_counter(), processor_used()
    subprocess.run(
        case.command, check=False, capture_output=True, cwd=ROOT, env=ENVIRONMENT, input=given
    )
    return Took(time.perf_counter() - start, processor_used() - used)


def processor_used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_memory(case: Case, number: int) -> float:
    """Megabytes of the process at its largest, asked for in a child of its own."""
    measure = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], capture_output=True, stdin=sys.stdin);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    found = subprocess.run(
        [sys.executable, "-c", measure, *case.command],
        check=True,
        capture_output=True,
        cwd=ROOT,
        env=ENVIRONMENT,
        input=case.given(number).encode(),
    )
    unit = 1 if sys.platform == "darwin" else 1024
    return int(found.stdout) * unit / 1e6


if __name__ == "__main__":
    main()
