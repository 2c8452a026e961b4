"""Many agents on one ledger: nothing lost, nothing double, no failure but those promised."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from bench import corpus
from tests.faults.sound import complaints
from tests.faults.stress import PROCESSES, SECONDS, STRESS, folder, has_long_form

ROOT = Path(__file__).resolve().parent.parent.parent
KINDS = {"check", "hook", "library_check", "library_record", "record", "search"}


def load(place, processes, seconds, *beside):
    """What `bench/load.py` says of a run; it judges by itself whether a promise was broken."""
    done = subprocess.run(
        [
            *(sys.executable, str(ROOT / "bench" / "load.py"), "--folder", str(place)),
            *("--processes", str(processes), "--seconds", str(seconds), "--beside", *beside),
        ],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@has_long_form
def test_processes_that_search_check_record_and_hook_at_once_lose_nothing(tmp_path, capsys):
    place = folder() / "load" if STRESS == "long" else tmp_path
    place.mkdir(exist_ok=True)
    said = load(place, PROCESSES, SECONDS, "pages", "care")
    assert set(re.findall(r"^(\w+) +\d+  p50", said, re.MULTILINE)) == KINDS
    assert complaints(str(place / "gems.db")) == []
    if STRESS != "short":
        with capsys.disabled():
            sys.stdout.write(f"\n{PROCESSES} processes, {SECONDS:g} s\n{said}")
    if STRESS == "long":
        shutil.rmtree(place)


def test_openclaw_148307_publish_backup_and_doctor_let_no_writer_wait_for_over_5_seconds(tmp_path):
    """A backup's scan starved writers."""
    corpus.write_ledger(str(tmp_path / "gems.db"), 3_000, profile="guarded")
    said = load(tmp_path, 4, 1.5, "care")
    assert re.match(r"\d+ calls, 0 busy\n", said), said
    assert re.search(r"care: \{'doctor': [1-9]", said), said
