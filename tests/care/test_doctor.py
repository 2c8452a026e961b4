"""doctor finds what is wrong, names what mends it, and mends what is derived."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta

import pytest

from gemsearch import errors
from gemsearch.care import copying, health, repair, surroundings
from gemsearch.care.finding import Finding
from gemsearch.ledger.connection import open_for_reading, open_for_writing
from gemsearch.ledger.times import later
from tests.care.conftest import PAGES, about, beside, change, content, digest
from tests.conftest import START


def kept_copies(path):
    return [name for name in beside(path) if ".backup" in name or ".replaced" in name]


def test_a_sound_ledger_has_no_findings_and_looking_leaves_nothing_behind(path):
    open_for_reading(path).close()
    before = digest(path)
    assert health.examine(path, START) == []
    assert repair.mend(path, START) == []
    assert digest(path).keys() == before.keys()


SEARCHES = "INSERT INTO searches (topic, signature, state, lease_until, created, origin) VALUES"
EARLIER = "'2026-05-11T08:00:00.000Z', 'hook'"
OUT_OF_INDEX = "INSERT INTO gems_fts (gems_fts, rowid, topic) VALUES ('delete', 1, 'gitleaks hook')"
INTO_INDEX = "INSERT INTO gems_fts (rowid, topic) VALUES (1, 'other words')"
DERIVED = {
    "a number of gems": ("UPDATE urls SET gem_count = 99 WHERE id = 1", "counts"),
    "a number of results": ("UPDATE gems SET result_count = 9 WHERE id = 1", "counts"),
    "a day": ("UPDATE rejections SET day = '2020-01-01'", "counts"),
    "a count of words": ("UPDATE words SET gems = 7 WHERE word = 'nightjar'", "words"),
    "a signature": ("UPDATE gems SET signature = 'nightjar' WHERE id = 2", "signatures"),
    "a wording": ("UPDATE wordings SET signature = 'other'", "signatures"),
    "a key": ("UPDATE urls SET key = 'example.org/wrong' WHERE id = 1", "sources"),
    "a host": ("UPDATE urls SET host = 'example.com' WHERE id = 1", "sources"),
    "a lost word": ("DELETE FROM gems_fts_docsize WHERE id = 1", "full-text"),
    "another word": (f"{OUT_OF_INDEX};{INTO_INDEX}", "full-text"),
    "older signatures": (
        "UPDATE settings SET value = '0' WHERE name = 'signature.version'",
        "signature.version",
    ),
    "older keys": ("UPDATE settings SET value = '0' WHERE name = 'canon.version'", "canon.version"),
    "an endless lease": (
        f"{SEARCHES} ('a', 'a', 'open', '2027-01-01T00:00:00.000Z', {EARLIER})",
        "leases",
    ),
}


@pytest.mark.parametrize(("damage", "found"), DERIVED.values(), ids=DERIVED)
def test_derived_state_is_found_wrong_and_mended_after_a_verified_backup(path, damage, found):
    before = content(path)
    change(path, *damage.split(";"))
    assert ("warning", found) in about(path)
    assert len(repair.mend(path, START)) >= 2
    assert not [severity for severity, _ in about(path) if severity != "note"]
    assert len(kept_copies(path)) == 1
    if found != "leases":
        assert content(path) == before


def test_an_index_that_is_missing_is_made_again(path):
    change(path, "DROP INDEX gems_signature")
    assert about(path) == {("error", "index")}
    repair.mend(path, START)
    assert about(path) == set()


def test_what_was_mended_is_kept_as_it_was(path):
    change(path, "UPDATE urls SET gem_count = 99 WHERE id = 1")
    repair.mend(path, START)
    [kept] = kept_copies(path)
    copy = os.path.join(os.path.dirname(path), kept)
    assert about(copy) == {("warning", "counts")}
    assert os.stat(copy).st_mode & 0o077 == 0


def test_signatures_of_older_rules_are_signed_anew(path):
    change(
        path,
        "UPDATE gems SET signature = 'old'",
        "UPDATE settings SET value = '0' WHERE name = 'signature.version'",
    )
    repair.mend(path, START)
    assert [gem[2] for gem in content(path)["gems"]] == ["gitleaks hook", "nightjar zanzibar"]


def test_sources_keyed_by_older_rules_are_merged_and_split_and_counted(path):
    change(
        path,
        # As older rules would have left it: one source twice, and two sources under one key.
        "UPDATE urls SET key = 'older.example/' || id, host = 'older.example'",
        "UPDATE urls SET url = 'https://www.example.org/0/?utm_source=x' WHERE id = 2",
        "UPDATE settings SET value = '0' WHERE name = 'canon.version'",
    )
    repair.mend(path, START)
    found = content(path)
    assert (1, "example.org/0", PAGES[0], "example.org", 2) in found["urls"]
    assert [row[0] for row in found["urls"]] == [1, 3, 4, 5]
    counted = [
        (rank, url_id is not None) for _, gem, url_id, rank, *_ in found["results"] if gem == 1
    ]
    assert counted == [(1, True), (2, False), (3, True), (4, True)]
    assert [(row[2], row[3]) for row in found["rejection_urls"]] == [(1, 1)] * 3
    assert about(path) == set()


# What no rule can make anew


def test_a_foreign_trigger_is_named(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER evil AFTER INSERT ON gems BEGIN SELECT 1; END")
    findings = health.examine(path, START)
    assert [f.severity for f in findings] == ["error"]
    assert "evil" in findings[0].message
    with pytest.raises(errors.LedgerDamaged):
        repair.mend(path, START)


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("UPDATE settings SET value = 'lenient' WHERE name = 'gate.profile'", "settings"),
        ("INSERT INTO settings VALUES ('gate.max_age', 'soon')", "settings"),
        ("UPDATE gems SET created = 'yesterday' WHERE id = 1", "contents"),
        ("UPDATE results SET snippet = x'00ff' WHERE id = 1", "contents"),
        ("DELETE FROM gems WHERE id = 1", "references"),
    ],
)
def test_what_a_person_must_decide_is_an_error_and_left_alone(path, damage, found):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(damage)
    assert ("error", found) in about(path)
    before = content(path)
    try:
        repair.mend(path, START)
    except errors.GemsearchError:
        assert content(path) == before
    assert ("error", found) in about(path)


def test_a_setting_that_is_none_is_mended_by_the_command_that_is_named(path, gemsearch):
    change(path, "UPDATE settings SET value = 'lenient' WHERE name = 'gate.profile'")
    ran = gemsearch("check", "gitleaks hook")
    assert (ran.code, "gate.profile" in ran.err) == (5, True)
    [finding] = [f for f in health.examine(path, START) if f.about == "settings"]
    assert finding.command == "gemsearch config unset gate.profile"
    assert gemsearch(*finding.command.split()[1:]).code == 0
    assert about(path) == set()


def test_a_newer_ledger_is_read_and_never_mended(path):
    change(path, "PRAGMA user_version = 99", "UPDATE urls SET gem_count = 99")
    assert about(path) == {("warning", "version")}
    before = digest(path)
    with pytest.raises(errors.LedgerNewer):
        repair.mend(path, START)
    assert digest(path) == before


def test_what_is_good_to_know_is_a_note(path):
    soon, gone, ahead = (later(START, seconds) for seconds in (30, -30, 86_400))
    change(
        path,
        f"{SEARCHES} ('a', 'a', 'open', '{soon}', '{gone}', 'hook')",
        f"{SEARCHES} ('b', 'b', 'open', '{gone}', '{gone}', 'hook')",
        f"{SEARCHES} ('c', 'c', 'answered', '{gone}', '{gone}', 'hook')",
        f"{SEARCHES} ('d', 'd', 'open', '{ahead}', '{ahead}', 'hook')",
        f"INSERT INTO providers_state VALUES ('brave', 0, {START.timestamp() + 600}, 'quota')",
        "INSERT INTO collections (name, model) VALUES ('gems', 'retsim')",
    )
    said = [(f.severity, f.about, f.message) for f in health.examine(path, START)]
    assert {severity for severity, *_ in said} == {"note"}
    assert [place for _, place, _ in said].count("leases") == 4
    assert ("note", "providers", "brave is left alone for 10 minutes (quota)") in said
    assert ("note", "embeddings", "1 rows that gemsearch did not write") in said


def test_a_ledger_that_is_not_there_yet_is_a_note(tmp_path):
    assert [f.severity for f in health.examine(str(tmp_path / "none.db"), START)] == ["note"]


# Around the ledger


def test_what_others_can_read_is_a_finding_and_the_command_mends_it(path, tmp_path):
    os.chmod(path, 0o644)
    open_for_reading(path).close()
    os.chmod(f"{path}-wal", 0o640)
    findings = health.examine(path, START)
    assert {f.about for f in findings} == {"permissions"}
    for finding in findings:
        subprocess.run(finding.command, shell=True, check=True)
    assert health.examine(path, START) == []


def test_a_folder_where_others_can_put_another_ledger_is_a_finding(path, tmp_path):
    os.chmod(tmp_path, 0o777)
    assert about(path) == {("warning", "permissions")}
    os.chmod(tmp_path, 0o755)
    assert about(path) == set()
    own = tmp_path / "gemsearch"
    own.mkdir(mode=0o755)
    shutil.copy(path, own / "gems.db")
    os.chmod(own / "gems.db", 0o600)
    assert about(str(own / "gems.db")) == {("warning", "permissions")}


def test_too_little_room_is_a_finding_and_full_text_is_then_compared_by_its_rows(path, monkeypatch):
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1 << 16))
    assert about(path) == {("error", "disk"), ("note", "full-text")}
    change(path, "DELETE FROM gems_fts_docsize WHERE id = 1")
    assert ("warning", "full-text") in about(path)
    with pytest.raises(errors.LedgerFull, match="no room"):
        repair.mend(path, START)


def test_a_log_that_never_shrinks_is_a_finding_and_cut_once_its_reader_is_gone(path, monkeypatch):
    monkeypatch.setattr(surroundings, "LARGE_LOG", 10_000)
    monkeypatch.setattr(repair, "LARGE_LOG", 10_000)
    reader = open_for_reading(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM gems").fetchone()
    change(path, *["UPDATE gems SET reason = hex(randomblob(2000))"] * 9)
    assert about(path) == {("warning", "log")}
    reader.close()
    repair.mend(path, START)
    assert about(path) == set()


def test_what_a_killed_process_left_is_named_and_a_living_one_keeps_its_own(path):
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    left = f"{path}.{int(done.stdout)}.new"
    for name in (left, f"{path}.{os.getpid()}.new"):
        shutil.copy(path, name)
    [finding] = health.examine(path, START)
    assert (finding.about, finding.command) == ("left over", f"rm {left}")


MOUNTS = [
    "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw",
    "30 22 0:40 / /home rw shared:5 - nfs4 server:/home rw",
    "31 30 0:41 / /home/a\\040b/local rw - xfs /dev/sdb1 rw",
    "32 22 0:42 / /mnt/far rw - fuse.sshfs host: rw",
    "a line of another kind",
]


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/gems.db", "ext4"),
        ("/home/c/gems.db", "nfs4"),
        ("/home/a b/local/gems.db", "xfs"),
        ("/homely/gems.db", "ext4"),
        ("/mnt/far/gems.db", "fuse.sshfs"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(place, kind):
    assert surroundings.file_system_of(place, MOUNTS) == kind


def test_a_network_file_system_is_a_warning(path, tmp_path, monkeypatch):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"30 22 0:40 / {tmp_path} rw - nfs4 server:/home rw\n")
    monkeypatch.setattr(surroundings, "MOUNTS", str(mounts))
    [finding] = health.examine(path, START)
    assert (finding.about, "nfs4" in finding.message) == ("file system", True)


def test_a_folder_that_a_program_copies_to_other_machines_is_a_warning(path, tmp_path):
    (tmp_path / ".stfolder").mkdir()
    assert about(path) == {("warning", "file system")}
    assert surroundings.synced_folder_of("/home/a/Dropbox (Personal)/x/gems.db").endswith(
        "(Personal)"
    )
    assert surroundings.synced_folder_of("/home/a/syncopation/gems.db") == ""


# The command


def test_doctor_exits_5_when_a_person_must_act_and_0_else(gemsearch):
    gemsearch("record", "topic", "--url", PAGES[0])
    assert gemsearch("doctor").out == "Nothing to mend.\n"
    with open(gemsearch.ledger, "r+b") as file:
        file.truncate(8192)
    ran = gemsearch("doctor")
    assert ran.code == 5
    assert "damaged" in ran.out


def test_the_findings_are_one_json_array_with_what_was_mended(gemsearch):
    gemsearch("record", "topic", "--url", PAGES[0])
    change(gemsearch.ledger, "UPDATE urls SET gem_count = 99")
    ran = gemsearch("doctor", "--fix", "--json")
    assert ran.code == 0
    assert [set(one) for one in ran.json] == [set(Finding._fields)] * 2
    assert [one["severity"] for one in ran.json] == ["mended", "mended"]
    assert gemsearch("doctor", "--json").json == []


def test_a_configuration_that_cannot_be_read_is_an_error(gemsearch, tmp_path):
    (tmp_path / "config.toml").write_text("not = = toml")
    ran = gemsearch("doctor", GEMSEARCH_PROVIDER="")
    assert (ran.code, "error    configuration" in ran.out) == (5, True)


def test_a_copy_to_look_at_needs_room():
    with pytest.raises(errors.LedgerFull, match="no room"), copying.scratch_folder(1 << 60):
        pass


def test_looking_does_not_wait_for_a_writer_nor_keep_one_waiting(path):
    writer = open_for_writing(path)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE gems SET reason = 'unsaid'")
    assert health.examine(path, START + timedelta(minutes=1)) == []
    writer.execute("COMMIT")
    writer.close()
