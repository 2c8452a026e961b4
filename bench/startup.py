"""Whole processes against bare Python: `check`, and a refusal of `search`, at several sizes.

    python bench/startup.py --sizes 2000,100000,1000000

Runs are interleaved, and medians compared within one run: on another machine the milliseconds
differ, the ratios hardly. Ledgers are those of bench/gates.py, made if they are missing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from bench import corpus, gates

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BASE = 'python -c "import sqlite3, click"'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="2000,10000,100000")
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument(
        "--directory", default=os.path.join(tempfile.gettempdir(), "gemsearch-bench")
    )
    options = parser.parse_args()
    os.makedirs(options.directory, exist_ok=True)
    commands = {"python -c pass": [sys.executable, "-c", "pass"]}
    commands[BASE] = [sys.executable, "-c", "import sqlite3, click"]
    for size in map(int, options.sizes.split(",")):
        commands |= asked_of(gates.prepared(options.directory, size), size)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(options.runs):
        for name, command in commands.items():
            times[name].append(run(command))
    base = statistics.median(times[BASE])
    for name, command in commands.items():
        median = statistics.median(times[name])
        print(
            f"{name:42} {1000 * median:7.1f} ms  {median / base:5.2f} x {BASE}"
            f"  {peak_memory(command):4.0f} MB"
        )


def asked_of(path: str, size: int) -> dict[str, list[str]]:
    """Commands whose answer is a refusal, and one that finds a topic novel."""
    copy = f"{path}.startup"
    shutil.copy(path, copy)
    made = corpus.Corpus(size)
    stored, fresh = made.topic(size // 2), made.topic(corpus.NOVEL)
    edited = f"{stored}s"
    command = [sys.executable, "-m", "gemsearch"]
    return {
        f"check, refused, {size:,} gems": [*command, "check", "--db", copy, stored],
        f"check, edited, {size:,} gems": [*command, "check", "--db", copy, edited],
        f"check, novel, {size:,} gems": [*command, "check", "--db", copy, fresh],
        f"search, refused, {size:,} gems": [*command, "search", "--db", copy, stored],
    }


def run(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=False, capture_output=True, cwd=ROOT)
    return time.perf_counter() - start


def peak_memory(command: list[str]) -> float:
    """Megabytes of the process at its largest, asked for in a child of its own."""
    measure = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    found = subprocess.run(
        [sys.executable, "-c", measure, *command], check=True, capture_output=True, cwd=ROOT
    )
    unit = 1 if sys.platform == "darwin" else 1024
    return int(found.stdout) * unit / 1e6


if __name__ == "__main__":
    main()
