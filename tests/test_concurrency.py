"""Many processes on one ledger."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def race(processes, topics):
    return subprocess.run(
        [
            *(sys.executable, str(ROOT / "bench" / "concurrency.py")),
            *("--processes", str(processes), "--topics", str(topics)),
        ],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_8_processes_that_propose_the_same_topics_record_each_exactly_once():
    done = race(8, 25)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recorded exactly once: True" in done.stdout


@pytest.mark.soak
def test_32_processes_do_so_for_thousands_of_topics():
    done = race(32, 2000)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recorded exactly once: True" in done.stdout
