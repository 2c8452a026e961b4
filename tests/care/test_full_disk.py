"""Where the disk is full nothing is lost, no half file is left, and the exit code says it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import closing

import pytest

from gemsearch.care import forgetting, health
from gemsearch.care.backup import back_up
from gemsearch.care.copying import unheard
from gemsearch.ledger.connection import open_for_writing
from tests.care.conftest import about, beside, change, content, fill
from tests.conftest import START

ROOM = 64 * 1024  # bytes that a file may have: less than a ledger


def run_with_little_room(gemsearch, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "gemsearch", *arguments],
        env=gemsearch.env,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM)),
    )


@pytest.fixture
def filled(gemsearch, tmp_path):
    """The command's ledger, another one and a backup, each larger than the room there is."""
    other = tmp_path / "other" / "gems.db"
    for name, word in ((gemsearch.ledger, "wombat"), (str(other), "quokka")):
        with closing(open_for_writing(name)) as ledger:
            fill(ledger, 12, word=word)
    back_up(gemsearch.ledger, str(tmp_path / "copy.db"), unheard)
    return gemsearch


@pytest.mark.parametrize(
    "arguments",
    [
        ("backup", "new.db"),
        ("backup", "--restore", "copy.db", "--yes"),
        ("merge", "other/gems.db", "--yes"),
        ("doctor", "--fix"),
        ("doctor", "--salvage", "new.db"),
        ("forget", "3", "--yes"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_full_disk_is_told_and_leaves_the_ledger_as_it_was(
    filled, tmp_path, monkeypatch, arguments
):
    monkeypatch.chdir(tmp_path)
    change(filled.ledger, "UPDATE urls SET gem_count = 9 WHERE id = 1")
    before, files = content(filled.ledger), set(beside(filled.ledger))
    ran = run_with_little_room(filled, *arguments)
    assert ran.returncode == 5, ran
    assert "room" in ran.stderr or "disk" in ran.stderr, ran
    assert "Traceback" not in ran.stderr
    after = content(filled.ledger)
    if arguments[0] == "forget":  # the rows are gone, the rewriting is left to doctor
        assert {row[0] for row in before["gems"]} - {row[0] for row in after["gems"]} <= {3}
        finish(filled.ledger)
    else:
        assert after == before
    left = {name for name in beside(filled.ledger) if not name.endswith(("-wal", "-shm"))}
    assert left <= files
    assert about(filled.ledger) == {("warning", "counts")}


def finish(path):
    with closing(open_for_writing(path)) as ledger:
        if forgetting.UNFINISHED in dict(content(path)["settings"]):
            assert ("warning", "forgotten") in about(path)
            forgetting.rewrite(ledger)
    assert not [f for f in health.examine(path, START) if f.about == "forgotten"]


def test_after_a_full_disk_the_same_merge_is_made_whole(filled, tmp_path):
    other = str(tmp_path / "other" / "gems.db")
    run_with_little_room(filled, "merge", other, "--yes")
    assert filled("merge", other, "--yes").code == 0
    assert len(content(filled.ledger)["gems"]) == 24
    assert os.path.exists(other)
