"""Ctrl-C, a termination, a reader that went away: the lease is released, one line says so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from tests.faults.driver import SIGNALS
from tests.faults.scenarios import SMALL_STEPS
from tests.faults.sound import complaints
from tests.faults.stress import KILLS, again, has_long_form, rounds

NOT_COVERED = "Not covered: the same topic may be searched again."
CODES = {"interrupt": 130, "terminate": 143}


def live_leases(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT state, lease_until FROM searches"
            " WHERE state IN ('open', 'answered') AND lease_until > ?",
            (f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.999Z",),
        ).fetchall()


def gems(path):
    with closing(sqlite3.connect(path)) as connection:
        return [topic for (topic,) in connection.execute("SELECT topic FROM gems ORDER BY id")]


@has_long_form
@pytest.mark.parametrize("how", SIGNALS)
def test_a_search_interrupted_at_any_moment_releases_its_lease(how, driver, places):
    def ready(name):
        place = places(name)
        place.finds("puffin colonies", "https://example.org/puffin")
        return place, place.request("search", "puffin colonies", changed=SMALL_STEPS, how=how)

    place, request = ready("undisturbed")
    undisturbed = driver(request)
    assert undisturbed.code == 0
    interrupted = 0
    for number, random in rounds(f"search, {how}", KILLS // 2):
        place, request = ready("interrupted")
        at = random.randint(1, undisturbed.moments)
        ended = driver(request._replace(at=at))
        about = f"at {at} of {undisturbed.moments}; {again(number)}; {ended}"
        assert ended.code in {0, CODES[how]}, about
        assert complaints(place.ledger) == [], about
        assert live_leases(place.ledger) == [], about
        if ended.code:
            interrupted += 1
            said = f"gemsearch: {how.removesuffix('e')}ed"
            # After ^C click ends the terminal's line first.
            assert ended.err.strip().splitlines() == [said, NOT_COVERED], about
    assert interrupted
