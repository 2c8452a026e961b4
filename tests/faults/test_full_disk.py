"""P4, a full disk: exit 5 and a clear line, nothing lost, and all is well once there is room."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.faults.driver import FAIL, FULL, find_vfs
from tests.faults.scenarios import LINES, SCENARIOS
from tests.faults.sound import complaints, content
from tests.faults.stress import KILLS, STRESS, again, has_long_form, rounds

# The short form takes the commands that agents run.
EVERY_DAY = {"search", "search forced", "record", "record that makes the ledger", "import --judge"}
EVERY_DAY |= {"hook before a covered search", "hook after a search"}
STARVED = [
    scenario
    for scenario in SCENARIOS
    if not scenario.of_next_version and (STRESS != "short" or scenario.name in EVERY_DAY)
]

needs_system_calls = pytest.mark.skipif(
    find_vfs() is None, reason="this Python's SQLite lets nobody at its system calls"
)


@has_long_form
@needs_system_calls
@pytest.mark.parametrize("scenario", STARVED, ids=str)
def test_a_disk_that_fills_up_at_any_write_loses_nothing(scenario, undisturbed, driver, places):
    alone = undisturbed(scenario)
    for number, random in rounds(f"{scenario}, disk full", -(-KILLS // len(STARVED))):
        at = random.choice(alone.ended.writes)
        place = places("starved")
        scenario.before(place)
        how = random.choice([FULL, FAIL])
        ended = driver(scenario.request(place)._replace(at=at, how=how))
        about = f"{how} at {at} of {alone.ended.moments}; {again(number)}; {ended}"
        assert ended.code in {5, scenario.code}, about
        assert "Traceback" not in ended.err, about
        if ended.code == 5:
            assert "Free some space" in ended.out + ended.err, about
        alone.assert_whole(scenario, place, ended, about)
        alone.assert_goes_on(scenario, place, driver, about)


# More than the pages have room for that are there.
PAGES = [f"https://example.org/puffin/{n}/{'x' * 60}" for n in range(60)]
WRITERS = {
    # A lease that could not be released blocks others for its minute, never its own session.
    "search": ["search", "puffin colonies", "--session", "s1"],
    "record": ["record", "puffin colonies", *(part for url in PAGES for part in ("--url", url))],
    "import": ["import", "--judge", "lines.jsonl"],
}


@pytest.fixture
def ready(place):
    """A ledger, and all that the commands want to put into it."""
    place.finds("puffin colonies", *PAGES)
    lines = [line | {"results": PAGES} for line in LINES]
    place.home.joinpath("lines.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    return place


def assert_full(ran, place, before):
    assert ran.code == 5, ran
    assert "the disk is full" in ran.err
    assert place.ledger in ran.err
    assert "Free some space" in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert complaints(place.ledger) == []
    assert content(place.ledger) == before


@pytest.mark.parametrize("limit", [4_096, 45_000])
@pytest.mark.parametrize("command", WRITERS)
def test_a_limit_on_the_size_of_files_is_a_full_disk(command, limit, ready, driver):
    before = content(ready.ledger)
    done = subprocess.run(
        [sys.executable, "-m", "gemsearch", *WRITERS[command]],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
        cwd=ready.home,
        env=ready.env,
        timeout=60,
        check=False,
    )
    ran = type("Ran", (), {"code": done.returncode, "out": done.stdout, "err": done.stderr})
    assert_full(ran, ready, before)
    assert driver(ready.request(*WRITERS["search"])).code == 0
    assert complaints(ready.ledger) == []


@pytest.mark.parametrize("command", WRITERS)
def test_a_database_that_may_not_grow_is_a_full_disk(command, ready, driver):
    before = content(ready.ledger)
    pages = os.path.getsize(ready.ledger) // 4096
    assert_full(driver(ready.request(*WRITERS[command], most_pages=pages)), ready, before)
    assert driver(ready.request(*WRITERS[command])).code == 0


@needs_system_calls
def test_a_refusal_on_a_full_disk_stands_and_says_that_it_was_not_stored(driver, ready):
    request = ready.request("search", "diet of the otter")
    undisturbed = driver(request)
    writes = undisturbed.writes
    ran = driver(request._replace(at=writes[len(writes) // 2], how=FULL))
    assert (ran.code, ran.out) == (2, undisturbed.out)
    assert "the refusal was not stored: the disk is full" in ran.err


def test_a_full_disk_of_one_megabyte_loses_nothing(tmp_path, base):
    """A file system of its own, really full."""
    from tests.faults.conftest import Place

    disk = tmp_path / "disk"
    disk.mkdir()
    with _mounted(disk):
        place = Place(disk, base)
        recorded = {topic for _, topic, *_ in content(place.ledger)["gems"]}
        (disk / "ballast").write_bytes(bytes(shutil.disk_usage(disk).free - 300_000))
        for number in range(20):
            topic = f"subject{number} matter{number}"
            urls = [part for url in PAGES for part in ("--url", f"{url}/{number}")]
            ran = place("record", topic, *urls)
            if ran.code:
                break
            recorded.add(topic)
        assert (ran.code, ran.out) == (5, ""), ran
        assert "the disk is full" in ran.err
        (disk / "ballast").unlink()
        assert [said for said in complaints(place.ledger) if "doctor: disk:" not in said] == []
        assert {topic for _, topic, *_ in content(place.ledger)["gems"]} == recorded
        assert place("record", topic, *urls).code == 0


@contextmanager
def _mounted(folder):
    done = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        if sys.platform == "linux" and os.geteuid() == 0
        else None
    )
    if done is None or done.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize(
    "arguments", [["check", "puffin"], ["gems"], ["search", "puffin colonies"]]
)
def test_standard_output_that_takes_nothing_is_said_in_a_line(arguments, ready):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gemsearch", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, env=ready.env, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 5
    assert "standard output can't be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert complaints(ready.ledger) == []


@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_standard_stream_is_as_good_as_silence(closed, ready):
    """Files that are opened later must not take its number, and nothing of ours goes into them."""
    command = f"exec {sys.executable} -m gemsearch search 'puffin colonies' {closed}>&-"
    done = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        env=ready.env,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert complaints(ready.ledger) == []
    assert ready("check", "puffin colonies").code == 2
