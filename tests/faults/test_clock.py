"""P9, clocks that are wrong: order is by number, and no lease, wording or age outlives its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gemsearch import batch
from gemsearch.ledger import settings
from gemsearch.ledger.connection import write_transaction
from gemsearch.ledger.times import iso, later, seconds_between
from tests.faults.conftest import TOPICS
from tests.faults.sound import complaints, content

YEAR = timedelta(days=365)
PAGES = [f"https://example.org/{n}" for n in range(4)]
BERLIN = ZoneInfo("Europe/Berlin")
MOMENTS = {
    "the epoch": datetime(1970, 1, 1, tzinfo=UTC),
    "a year of three digits": datetime(500, 6, 1, tzinfo=UTC),
    "the last second of 32 bits": datetime(2038, 1, 19, 3, 14, 7, tzinfo=UTC),
    "the second after it": datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
    "beyond unsigned 32 bits": datetime(2106, 2, 7, 6, 28, 16, tzinfo=UTC),
    "a leap day": datetime(2028, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC),
    "the last day of all": datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    "the hour that comes twice": datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN),
    "the same hour again": datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
    "the hour that is left out": datetime(2026, 3, 29, 2, 30, tzinfo=BERLIN),
}


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_at_any_time_topics_are_recorded_refused_learned_and_leased(loop, moment):
    loop.clock.now = moment
    loop.finds("gitleaks pre-commit hook", *PAGES)
    loop.finds("secret scanning", *PAGES)
    assert loop.search("gitleaks pre-commit hook").novel
    assert loop.search("secret scanning").match.signal == "sources"
    assert loop.search("hooks for pre-commit gitleaks").status == "duplicate"
    if moment.year < 9999:
        assert loop.search("scanning secret").match.signal == "wording"
    for table, column in (("gems", "created"), ("rejections", "created"), ("wordings", "expires")):
        for (text,) in loop.rows(f"SELECT {column} FROM {table}"):
            assert len(text) == len("2026-05-11T09:00:00.000Z")
            assert text >= iso(moment)
    assert complaints(loop.path, moment) == []


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_times_are_texts_of_one_length_that_sort_as_the_times_do(moment):
    times = [later(moment, seconds) for seconds in (-1e12, -86400, -0.002, 0, 0.002, 86400, 1e12)]
    assert times == sorted(times)
    assert {len(text) for text in times} == {24}
    assert seconds_between(iso(moment), moment) == pytest.approx(0, abs=0.001)


def test_the_hour_that_comes_twice_is_two_hours():
    first, second = (MOMENTS[name] for name in ("the hour that comes twice", "the same hour again"))
    assert (iso(first)[11:16], iso(second)[11:16]) == ("00:30", "01:30")


# Going back


def test_gems_stand_in_the_order_in_which_they_came_whatever_the_clock_says(loop):
    for number, topic in enumerate(TOPICS[:6]):
        loop.clock.advance(days=-365 * number)
        assert loop.search(topic).gem_id == number + 1
    assert [row[0] for row in loop.rows("SELECT topic FROM gems ORDER BY id")] == TOPICS[:6]
    assert loop.search(" ".join(reversed(TOPICS[0].split()))).match.gem_id == 1


def test_a_wording_learned_before_the_clock_went_back_refuses_for_no_longer_than_its_days(loop):
    loop.clock.now += 10 * YEAR
    loop.finds("gitleaks pre-commit hook", *PAGES)
    loop.finds("secret scanning", *PAGES)
    loop.search("gitleaks pre-commit hook")
    loop.search("secret scanning")
    assert loop.check("scanning secret").match.signal == "wording"
    loop.clock.now -= 10 * YEAR
    assert loop.check("scanning secret").novel, "one search too many, not ten years of refusals"
    assert loop.check("secret scanning", profile="published").novel
    assert loop.search("secret scanning").match.signal == "sources"
    assert loop.check("scanning secret").match.signal == "wording", "learned anew"


def test_a_gem_from_the_future_is_young(loop):
    with write_transaction(loop.connection):
        settings.put(loop.connection, "gate.max_age", "30")
    loop.clock.now += YEAR
    loop.search("gitleaks hook")
    loop.clock.now -= YEAR
    assert loop.check("hook gitleaks").status == "duplicate"


@pytest.mark.parametrize("days", [30, 557_000, 735_000, 999_999])
def test_an_age_however_long_is_an_age(loop, days):
    """Years of three digits sort before years of four."""
    with write_transaction(loop.connection):
        settings.put(loop.connection, "gate.max_age", str(days))
    loop.search("gitleaks hook")
    assert loop.check("hook gitleaks").status == "duplicate"


def test_an_answer_from_the_future_is_taken_by_the_next_attempt_at_once(loop):
    class Killed(BaseException):
        pass

    loop.clock.now += YEAR
    loop.connection.execute(
        "CREATE TEMP TRIGGER killed BEFORE INSERT ON gems BEGIN SELECT raise(ABORT, 'killed'); END"
    )
    with pytest.raises(Exception, match="killed"):
        loop.search("gitleaks hook", session="s1")
    loop.connection.execute("DROP TRIGGER killed")
    loop.clock.now -= YEAR
    assert loop.search("gitleaks hook", session="s2").novel
    assert loop.provider.asked == ["gitleaks hook"]


@pytest.mark.parametrize(
    "created", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", "2026-13-01", "", None, 7]
)
def test_an_imported_line_of_no_time_of_ours_counts_as_of_now(loop, created):
    line = f'{{"topic": "gitleaks hook", "results": ["{PAGES[0]}"], "created": "{created}"}}'
    assert batch.propose(loop.connection, batch.parsed([line]), loop.clock()) == {"novel": 1}
    assert loop.value("SELECT created FROM gems") == iso(loop.clock())


# Whole processes


@pytest.mark.parametrize("year", ["last year", "2038", "9999"])
def test_commands_work_at_any_time_and_after_the_clock_was_set_right(year, place, driver):
    now = datetime.now(UTC)
    moment = now - YEAR if year == "last year" else datetime(int(year), 12, 30, tzinfo=UTC)
    offset = (moment - now).total_seconds()
    place.finds("puffin colonies", "https://example.org/p")
    place.finds("gannet dives", "https://example.org/g")
    assert driver(place.request("search", "puffin colonies", clock=offset)).code == 0
    killed = driver(place.request("search", "gannet dives", clock=offset))
    moments = killed.moments
    assert killed.code == 0
    place.finds("storm petrels", "https://example.org/s")
    driver(place.request("search", "storm petrels", clock=offset, at=moments // 3))
    for clock in (offset, 0.0):
        assert driver(place.request("check", "colonies of puffins", clock=clock)).code == 2
    assert driver(place.request("search", "storm petrels", "--session", "other")).code == 0
    newest = [row[1] for row in content(place.ledger)["gems"]][-3:]
    assert newest == ["puffin colonies", "gannet dives", "storm petrels"]
    assert complaints(place.ledger) == []
