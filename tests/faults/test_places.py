"""P7, places that can't be written, or hold no ledger: asking works or says why, never "novel"."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.faults.conftest import Driver, Place
from tests.faults.scenarios import hook
from tests.faults.sound import content

NOBODY = 65534
COVERED, NEW = "diet of the otter", "puffin colonies"
NOT_COVERED = "Not covered: the same topic may be searched again."

as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else"
)


@pytest.fixture
def shared(base):
    """A ledger in a folder that another user can reach, and not change."""
    folder = Path(tempfile.mkdtemp(prefix="gemsearch-shared-"))
    folder.chmod(0o755)
    place = Place(folder, base)
    place.finds(NEW, "https://example.org/puffin")
    os.chmod(place.ledger, 0o644)
    yield place
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def somebody_else(tmp_path_factory):
    made = Driver(tmp_path_factory.mktemp("driver"), "everything")
    yield made
    made.close()


@pytest.fixture
def nobody(somebody_else, shared):
    def run(*arguments, **fields):
        return somebody_else(shared.request(*arguments, user=NOBODY, **fields))

    return run


def denied(ended):
    return json.loads(ended.out)["hookSpecificOutput"]["permissionDecision"] == "deny"


# Read-only


@as_root
def test_in_a_read_only_folder_asking_works_and_writing_says_why_it_can_not(nobody, shared):
    assert nobody("check", COVERED).code == 2
    assert nobody("check", NEW).code == 0
    assert nobody("explain", COVERED).code == 0
    assert "otter diet" in nobody("gems", "--json", "--limit", "100").out
    refused = nobody("search", COVERED)
    assert refused.code == 2
    assert "the refusal was not stored" in refused.err
    for arguments in (["search", NEW], ["record", NEW, "--url", "https://example.org/p"]):
        ended = nobody(*arguments)
        assert (ended.code, ended.out) == (5, "")
        assert "the ledger can't be written here" in ended.err
        assert shared.ledger in ended.err
        assert ended.err.endswith(f"{NOT_COVERED}\n")
    for arguments in (["mark", "1", "--wrong"], ["forget", "1", "--yes"], ["doctor", "--fix"]):
        ended = nobody(*arguments)
        assert "Traceback" not in ended.err
        assert ended.code == 5, (arguments, ended)
    assert sorted(os.listdir(shared.home)) == ["gems.db", "replay.jsonl"]


@as_root
def test_in_a_read_only_folder_a_hook_refuses_what_is_covered_and_lets_the_rest_pass(
    somebody_else, shared
):
    assert denied(somebody_else(hook(shared, "PreToolUse", COVERED)._replace(user=NOBODY)))
    passed = somebody_else(hook(shared, "PreToolUse", NEW)._replace(user=NOBODY))
    assert (passed.code, passed.out) == (0, "")


@as_root
def test_from_a_read_only_folder_a_backup_and_an_edition_can_be_made(nobody, tmp_path):
    with tempfile.TemporaryDirectory() as own:
        os.chown(own, NOBODY, NOBODY)
        assert nobody("backup", f"{own}/copy.db").code == 0
        assert nobody("publish", f"{own}/edition/public.db", "--yes").code == 0


@as_root
def test_codeburn_1017_and_crush_2903_in_a_read_only_folder_a_dead_writers_log_is_seen_or_said(
    nobody, driver, shared
):
    """Zero rows were shown, silently."""
    assert driver(shared.request("record", NEW, "--url", "https://example.org/p")).code == 0
    with closing(sqlite3.connect(shared.ledger)) as writer:
        writer.execute("UPDATE gems SET reason = 'in the log'")
        writer.commit()
        for end in ("", "-wal", "-shm"):
            shutil.copy(shared.ledger + end, f"{shared.home}/dead.db{end}")
            os.chmod(f"{shared.home}/dead.db{end}", 0o644)
    for kept in (("-wal", "-shm"), ("-wal",)):
        for end in {"-wal", "-shm"}.difference(kept):
            os.unlink(f"{shared.home}/dead.db{end}")
        for topic in (NEW, COVERED):
            ended = nobody("check", topic, "--db", f"{shared.home}/dead.db")
            assert ended.code in {2, 5}, ended
            if ended.code == 5:
                assert "can't be" in ended.err


# Not to be read


@as_root
@pytest.mark.parametrize("closed", ["file", "folder"])
def test_a_ledger_that_can_not_be_read_is_an_error_and_never_novel(
    closed, nobody, somebody_else, shared
):
    os.chmod(shared.ledger if closed == "file" else shared.home, 0o700)
    for command in ("check", "explain", "search"):
        ended = nobody(command, COVERED)
        assert (ended.code, ended.out) == (5, ""), ended
        assert shared.ledger in ended.err
        assert "permission" in ended.err.lower()
    ended = somebody_else(hook(shared, "PreToolUse", COVERED)._replace(user=NOBODY))
    assert (ended.code, ended.out) == (0, "")


# No home


@pytest.mark.parametrize("home", ["/dev/null", "/proc/1/nowhere", "a file"])
def test_without_a_home_that_can_be_written_a_search_says_so_and_asking_works(home, place):
    del place.env["GEMSEARCH_DB"]
    if home == "a file":
        home = str(place.home / "file")
        Path(home).write_text("")
    place.env |= {"HOME": home}
    assert place("check", NEW).code == 0
    ran = place("record", NEW, "--url", "https://example.org/p")
    assert (ran.code, ran.out) == (5, "")
    assert home in ran.err
    assert ran.err.endswith(f"{NOT_COVERED}\n")


def test_a_home_that_is_not_there_yet_is_made_by_the_first_search_only(place):
    del place.env["GEMSEARCH_DB"]
    home = place.home / "not" / "yet"
    place.env |= {"HOME": str(home)}
    assert place("check", NEW).code == 0
    assert not home.exists()
    assert place("record", NEW, "--url", "https://example.org/p").code == 0
    assert place("check", NEW).code == 2


# No ledger


def _directory(path):
    path.mkdir()


def _fifo(path):
    os.mkfifo(path)


def _loop(path):
    path.symlink_to(path.name)


def _dangling(path):
    path.symlink_to("nowhere.db")


def _socket(path):
    with closing(socket.socket(socket.AF_UNIX)) as listening, suppress(OSError):
        listening.bind(str(path))


def _device(path):
    path.symlink_to("/dev/zero")


def _below_a_file(path):
    path.parent.rmdir()
    path.parent.write_text("a file")


ODD = [_directory, _fifo, _loop, _dangling, _socket, _device, _below_a_file]
COMMANDS = [
    ["check", NEW],
    ["search", NEW],
    ["record", NEW, "--url", "https://example.org/p"],
    ["explain", NEW],
    ["gems"],
    ["stats"],
    ["doctor"],
    ["doctor", "--fix"],
    ["import", "--judge", "lines.jsonl"],
    ["export", "export.jsonl"],
    ["backup", "copy.db"],
    ["publish", "edition/public.db", "--yes"],
    ["forget", "1", "--yes"],
    ["mark", "1", "--wrong"],
    ["config", "set", "gate.profile", "strict"],
]


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__.strip("_"))
def test_a_path_that_is_no_file_is_named_and_left_alone_by_every_command(
    make, places, driver, tmp_path
):
    place = places(make.__name__, empty=True)
    place.env["XDG_STATE_HOME"] = str(tmp_path / "state")
    folder = place.home / "odd"
    folder.mkdir()
    place.env["GEMSEARCH_DB"] = str(folder / "gems.db")
    place.finds(NEW, "https://example.org/puffin")
    (place.home / "lines.jsonl").write_text("")
    make(folder / "gems.db")
    before = sorted(os.walk(place.home))
    # Every command on two of them, those that judge on all.
    for arguments in COMMANDS if make in {_directory, _loop} else COMMANDS[:4]:
        if make is _below_a_file and arguments in (["check", NEW], ["explain", NEW], ["doctor"]):
            continue  # nothing can be there: the topic is novel
        ended = driver(place.request(*arguments))
        about = (arguments, ended)
        assert ended.code == 5, about
        assert str(folder / "gems.db") in ended.err + ended.out, about
        assert "Traceback" not in ended.err, about
        assert "NOVEL" not in ended.out, about
    ended = driver(hook(place, "PreToolUse", NEW))
    assert (ended.code, ended.out) == (0, "")
    assert len(list(tmp_path.joinpath("state").rglob("hook.log"))) == folder.is_file()
    for log in folder.glob("*.hook.log"):
        log.unlink()
    assert sorted(os.walk(place.home)) == before


def test_a_ledger_reached_through_a_link_is_the_same_ledger(place):
    link = place.home / "link.db"
    link.symlink_to("gems.db")
    assert place("record", NEW, "--url", "https://example.org/p", "--db", str(link)).code == 0
    assert place("check", NEW).code == 2
    assert NEW in {row[1] for row in content(place.ledger)["gems"]}
