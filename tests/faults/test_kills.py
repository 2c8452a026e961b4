"""kill -9 at any moment: the ledger opens, nothing is half there, nothing announced is missing."""

from __future__ import annotations

import signal
import time

import pytest

from tests.faults.driver import KILL, TEAR, Ended
from tests.faults.scenarios import SCENARIOS
from tests.faults.states import State, announced
from tests.faults.stress import KILLS, again, has_long_form, rounds


@has_long_form
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_command_killed_at_any_moment_leaves_a_whole_ledger(
    scenario, undisturbed, driver, places
):
    alone = undisturbed(scenario)
    for number, random in rounds(scenario.name, -(-KILLS // len(SCENARIOS))):
        at = random.randint(1, alone.ended.moments)
        how = random.choice([KILL, TEAR]) if at in alone.ended.writes else KILL
        place = places("killed")
        scenario.before(place)
        ended = driver(scenario.request(place)._replace(at=at, how=how))
        about = f"{how} at {at} of {alone.ended.moments}; {again(number)}; {ended}"
        assert ended.code in {-signal.SIGKILL, scenario.code}, about
        alone.assert_whole(scenario, place, ended, about)
        alone.assert_goes_on(scenario, place, driver, about)


@has_long_form
def test_a_process_killed_after_a_random_time_leaves_a_whole_ledger(places):
    """Processes of their own, from the start of the interpreter on."""
    for number, random in rounds("processes", KILLS // 10):
        place = places("killed")
        place.finds("puffin colonies", "https://example.org/puffin")
        before = State.of(place)
        searching = place.start("search", "puffin colonies", "--session", "s1")
        time.sleep(random.uniform(0.02, 0.4))
        searching.kill()
        out, err = searching.communicate(timeout=30)
        ended = Ended(searching.returncode, out.decode(), err.decode(), 0, [])
        about = f"{again(number)}; {ended}"
        left = State.of(place)
        assert left.complaints == [], about
        assert left.gems() - before.gems() <= {(26, "puffin colonies")}, about
        assert announced(ended) <= left.gems(), about
        assert place("search", "puffin colonies", "--session", "s1").code in {0, 2}, about
        assert (26, "puffin colonies") in State.of(place).gems(), about


def test_a_forget_killed_before_the_file_is_rewritten_is_told_and_mended_by_doctor(driver, places):
    place = places("undisturbed")
    forget = ("forget", "3", "--yes")
    moments = driver(place.request(*forget)).moments
    told = set()
    for at in (moments - 100, moments - 40):
        place = places("killed")
        driver(place.request(*forget, at=at))
        assert 3 not in {number for number, _ in State.of(place).gems()}
        told.update(State.of(place).complaints)
        assert driver(place.request("doctor", "--fix")).code == 0
        assert State.of(place).complaints == []
        with open(place.ledger, "rb") as file:
            assert b"heron diet" not in file.read()
    assert told == {"doctor: forgotten: old pages of the file still hold what was forgotten"}
