"""Many processes on one ledger."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_8_processes_that_propose_the_same_topics_record_each_exactly_once():
    done = subprocess.run(
        [
            *(sys.executable, str(ROOT / "bench" / "concurrency.py")),
            *("--processes", "8", "--topics", "25"),
        ],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recorded exactly once: True" in done.stdout
