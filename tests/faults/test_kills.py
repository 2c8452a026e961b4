"""kill -9 at any moment: the ledger opens, nothing is half there, nothing announced is missing."""

from __future__ import annotations

import os
import re
import signal
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import pytest

from gemsearch.ledger import migrations
from tests.faults import next_version
from tests.faults.driver import KILL, TEAR, Ended
from tests.faults.scenarios import SCENARIOS
from tests.faults.sound import complaints, content
from tests.faults.stress import KILLS, again, has_long_form, rounds

if TYPE_CHECKING:
    from tests.faults.sound import Content

AN_HOUR = 3600.0


@has_long_form
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_command_killed_at_any_moment_leaves_a_whole_ledger(
    scenario, driver, places, monkeypatch
):
    if scenario.of_next_version:
        monkeypatch.setattr(migrations, "MIGRATIONS", next_version.MIGRATIONS)
        monkeypatch.setattr(migrations, "VERSION", next_version.VERSION)
    place = places("undisturbed")
    scenario.before(place)
    before = State.of(place)
    undisturbed = driver(scenario.request(place))
    assert undisturbed.code == scenario.code, undisturbed
    after = State.of(place)
    assert (after.content == before.content) is scenario.keeps
    assert after.complaints == []

    for number, random in rounds(scenario.name, -(-KILLS // len(SCENARIOS))):
        at = random.randint(1, undisturbed.moments)
        how = random.choice([KILL, TEAR]) if at in undisturbed.writes else KILL
        place = places("killed")
        scenario.before(place)
        ended = driver(scenario.request(place)._replace(at=at, how=how))
        about = f"{how} at {at} of {undisturbed.moments}; {again(number)}; {ended}"
        assert ended.code in {-signal.SIGKILL, scenario.code}, about
        left = State.of(place)
        assert left.complaints in ([], before.complaints, [*scenario.told]), about
        assert left.is_before_or_after(before, after, in_parts=scenario.in_parts), about
        assert announced(ended) <= left.gems(), about
        scenario.look(place, ended)

        repeated = driver(scenario.request(place)._replace(clock=AN_HOUR))
        assert repeated.code in scenario.again, (about, repeated)
        left = State.of(place)
        assert left.complaints in ([], [*scenario.told]), about
        assert left.gems() == after.gems() or not scenario.once, about
        assert announced(repeated) <= left.gems(), about


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


class State(NamedTuple):
    """A ledger, and what is wrong with it; no content where there is no ledger."""

    content: Content
    complaints: list[str]

    @classmethod
    def of(cls, place):
        if not os.path.exists(place.ledger):
            return cls({}, [])
        in_an_hour = datetime.now(UTC) + timedelta(seconds=AN_HOUR)
        return cls(content(place.ledger), complaints(place.ledger, in_an_hour))

    def gems(self):
        return {(number, topic) for number, topic, *_ in self.content.get("gems", ())}

    def is_before_or_after(self, before, after, *, in_parts):
        if self.content in (before.content, after.content):
            return True
        tables = ("gems", "results") if in_parts or not before.content else ()
        return bool(tables) and all(
            self.content[table] == after.content[table][: len(self.content[table])]
            for table in tables
        )


def announced(ended):
    """P1: gems that standard output speaks of."""
    return {
        (int(number), topic.partition("  (via")[0])
        for number, topic in re.findall(
            r"^NOVEL - recorded as #(\d+): (.*)$", ended.out, re.MULTILINE
        )
    }


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
