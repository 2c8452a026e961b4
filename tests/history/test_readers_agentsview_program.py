"""The database that the real agentsview program makes of the fixture sessions, if it is there."""

from __future__ import annotations

import shutil

import pytest

from gemsearch.history.finding import found
from gemsearch.history.model import Source
from tests.history.logs import mined
from tools.mine_agentsview import synced

PROGRAM = shutil.which("agentsview")


@pytest.mark.skipif(PROGRAM is None, reason="the program agentsview is not on the PATH")
def test_what_the_real_program_keeps_is_found_and_counts_once_beside_the_logs(tmp_path):
    database = Source("agentsview", str(synced(PROGRAM, tmp_path)))
    kept, history = mined(database)
    logs = [source for source in found({}, str(tmp_path)) if source.reader != "agentsview"]
    known, _ = mined(*logs)
    both, together = mined(*logs, database)

    def keys(calls):
        return {(call.agent, call.call_id, call.topic) for call in calls}

    assert len(kept) >= 31, "as 0.46.1 kept them"
    assert keys(kept) <= keys(known)
    assert keys(both) == keys(known)
    assert len(both) == len(known)
    assert together.repeated > len(kept)
    assert history.own >= 6
    assert not history.skipped
