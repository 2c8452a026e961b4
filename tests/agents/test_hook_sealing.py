"""A large ledger gets its index while no agent waits."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from contextlib import closing

from bench import corpus
from gemsearch.ledger.connection import open_for_writing
from tests.agents.hooked import Call
from tests.agents.told import says

PAGES = [(f"Page {n}", f"https://example.com/kelp/{n}") for n in range(3)]


def test_the_gem_that_makes_it_due_leaves_the_index_to_a_process_of_its_own(new_hook):
    # The ledger looks at every 64th gem whether an index is due; it is from 5,000 gems on.
    corpus.write_ledger(new_hook.ledger, 5119, profile="guarded")
    call = Call("claude-code", "kelp forest otter census")
    assert says(new_hook(call.after(PAGES), "claude-code"), "claude-code", None)
    assert sealed_gems(new_hook) == 5120


def sealed_gems(hook, tries: int = 300) -> int:
    for _ in range(tries):
        with closing(sqlite3.connect(hook.ledger)) as ledger:
            if ledger.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'index_segments'"
            ).fetchone():
                (gems,) = ledger.execute(
                    "SELECT sum(gems) FROM index_segments WHERE state = 'ready'"
                ).fetchone()
                if gems:
                    return gems
        time.sleep(0.1)
    return 0


def test_a_small_ledger_and_a_missing_one_are_left_as_they_are(tmp_path):
    path = tmp_path / "gems.db"
    command = [sys.executable, "-P", "-m", "gemsearch.agents.sealing", str(path)]
    assert subprocess.run(command, check=False).returncode == 0
    assert not path.exists()
    open_for_writing(str(path)).close()
    before = path.read_bytes()
    assert subprocess.run(command, check=False).returncode == 0
    assert path.read_bytes() == before
