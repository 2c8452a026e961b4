"""Ctrl-C, a termination, a reader that went away: the lease is released, one line says so."""

from __future__ import annotations

import signal
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest

from tests.faults.driver import SIGNALS
from tests.faults.scenarios import SMALL_STEPS
from tests.faults.sound import complaints
from tests.faults.stress import KILLS, again, has_long_form, rounds
from tests.providers.servers import reply, serving, stalled

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
        # Every other time before the answer, which is a fraction of the work.
        at = random.randint(1, undisturbed.moments if number % 2 else 40)
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


# Real signals to real processes


@pytest.fixture
def ready(place):
    place.finds("puffin colonies", "https://example.org/puffin")
    return place


def assert_let_go(place, ended, err, code):
    assert (ended.returncode, err.decode().strip().splitlines()[1:]) == (code, [NOT_COVERED])
    assert live_leases(place.ledger) == []
    assert complaints(place.ledger) == []
    assert place("search", "puffin colonies", "--provider", "replay").code == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_search_that_waits_for_its_provider_ends_at_once_and_releases_its_lease(
    number, code, ready
):
    with serving(stalled({"query": "puffin colonies", "results": []})) as server:
        ready.env |= {"SEARXNG_URL": server.url, "GEMSEARCH_PROVIDER": "searxng"}
        searching = ready.start("search", "puffin colonies")
        wait_until(lambda: server.seen)
        assert ready("check", "puffin colonies").code == 2, "it is being searched"
        searching.send_signal(number)
        out, err = searching.communicate(timeout=20)
    assert out == b""
    assert_let_go(ready, searching, err, code)


@pytest.mark.parametrize(
    ("phase", "number", "code"), [("before", signal.SIGTERM, 143), ("after", signal.SIGINT, 130)]
)
def test_a_search_that_waits_for_others_to_write_takes_no_lease_or_releases_it(
    phase, number, code, ready
):
    """Before the search for its lease, after it for its gem."""
    holding = sqlite3.connect(ready.ledger, isolation_level=None, check_same_thread=False)
    with closing(holding) as holder:

        def answer(_):
            if phase == "after":
                holder.execute("BEGIN IMMEDIATE")
            return reply({"query": "puffin colonies", "results": [{"url": "https://a.example/"}]})

        with serving(answer) as server:
            ready.env |= {"SEARXNG_URL": server.url, "GEMSEARCH_PROVIDER": "searxng"}
            if phase == "before":
                holder.execute("BEGIN IMMEDIATE")
            searching = ready.start("search", "puffin colonies")
            if phase == "after":
                wait_until(lambda: server.seen)
            time.sleep(0.5)  # it has come to the lock
            searching.send_signal(number)
            time.sleep(0.1)
            assert searching.poll() is None
            holder.execute("ROLLBACK")
            out, err = searching.communicate(timeout=20)
    assert out == b""
    assert_let_go(ready, searching, err, code)


def test_a_reader_that_goes_away_loses_its_answer_and_nothing_else(ready):
    searching = ready.start("search", "puffin colonies")
    searching.stdout.close()
    with searching.stderr:
        said = searching.stderr.read()
    assert (searching.wait(30), said) == (1, b"")
    assert "puffin colonies" in gems(ready.ledger)
    assert live_leases(ready.ledger) == []
    assert complaints(ready.ledger) == []


def wait_until(happened):
    for _ in range(500):
        if happened():
            return
        time.sleep(0.02)
    pytest.fail("it did not happen")
