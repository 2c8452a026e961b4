"""A database from a stranger is refused or read safely: the ledger and the file stay as they are.

Each kind goes through everything that takes another database: merge, its rehearsal, and import.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.hostile import ledgers
from tests.hostile.calling import call
from tests.hostile.corpus import NESTED
from tests.hostile.inert import is_forbidden
from tests.hostile.parts import parts

WAYS = (
    ("merge", "{}", "--yes"),
    ("merge", "{}", "--dry-run"),
    ("import", "{}", "--judge"),
    ("import", "{}"),
)


@pytest.fixture(scope="module")
def donor(tmp_path_factory):
    """A sound ledger of three gems and two refusals, which each kind is made of."""
    path = str(tmp_path_factory.mktemp("donor") / "donor.db")
    for number in range(3):
        call(
            "record",
            f"donor{number} sparrow{number}",
            "--url",
            f"https://d{number}.example/",
            "--db",
            path,
        )
    for number in range(2):
        call(
            "record", f"sparrow{number} donor{number}", "--url", "https://e.example/", "--db", path
        )
    return path


def sql(*statements, **pragmas):
    def spoil(path):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            for name, value in pragmas.items():
                connection.execute(f"PRAGMA {name} = {value}")
            for statement in statements:
                connection.execute(statement)

    return spoil


def rebuilt(table, columns, kind="TABLE", rest=""):
    """The same table with other columns, and none of its triggers."""
    return sql(
        f"ALTER TABLE {table} RENAME TO kept_{table}",
        f"CREATE {kind} {table} ({columns}) {rest}",
        legacy_alter_table="ON",
    )


def replaced_by_view(table, select):
    return sql(f"ALTER TABLE {table} RENAME TO kept", f"CREATE VIEW {table} AS {select}",
               legacy_alter_table="ON")  # fmt: skip


def content(data):
    return lambda path: _write(path, data)


def _write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def page(number, byte):
    def spoil(path):
        with open(path, "r+b") as file:
            file.seek((number - 1) * 4096)
            file.write(byte * 4096)

    return spoil


def pages_of(table, byte):
    def spoil(path):
        with closing(sqlite3.connect(path)) as connection:
            row = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
            number = row.fetchone()[0]
        page(number, byte)(path)

    return spoil


def instead(make):
    def spoil(path):
        os.unlink(path)
        make(path)

    return spoil


def sparse(path):
    with open(path, "r+b") as file:
        file.truncate(9 << 30)


def beside(suffix, data):
    def spoil(path):
        _write(f"{path}{suffix}", data)

    return spoil


def many_tables(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for number in range(1000):
            connection.execute(f"CREATE TABLE canary{number} (a)")
        connection.execute("COMMIT")


def in_utf_16(path):
    """The same rows in a database of the other encoding."""
    with closing(sqlite3.connect(path)) as source:
        schema = source.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
            " AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%_fts_%'"
        ).fetchall()
        rows = {
            name: source.execute(f"SELECT * FROM {name}").fetchall()
            for (name,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if "_fts" not in name
        }
        stamp = source.execute("PRAGMA application_id").fetchone()[0]
    os.unlink(path)
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA encoding = 'UTF-16le'")
        for (statement,) in schema:
            made.execute(statement)
        for name, values in rows.items():
            for row in values:
                made.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
        made.execute(f"PRAGMA application_id = {stamp}")
        made.execute("PRAGMA user_version = 1")
        made.commit()


GEM = (
    "id, topic, signature, provider, agent, session, project, origin, created, day, result_count,"
    " reason, visibility"
)
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
GEMS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id,"
    " 'canary ' || i AS topic, 'canary' AS signature, NULL AS provider, NULL AS agent,"
    " NULL AS session, NULL AS project, 'record' AS origin,"
    " '2026-01-01T00:00:00.000Z' AS created, '2026-01-01' AS day, 0 AS result_count,"
    " NULL AS reason, 'open' AS visibility FROM n"
)


def as_it_is(path):
    """A sound ledger."""


REFUSED = {
    "a text": content(b"canary\n" * 999),
    "a header and noise": content(b"SQLite format 3\0" + os.urandom(8176)),
    "a header alone": content(b"SQLite format 3\0"),
    "zeros": content(bytes(100_000)),
    "another application": sql("PRAGMA application_id = 1"),
    "no application": sql("PRAGMA application_id = 0"),
    "a newer version": sql("PRAGMA user_version = 99"),
    "cut off": lambda path: os.truncate(path, 8192),
    "cut off within a page": lambda path: os.truncate(path, 20_001),
    "a zeroed first page": page(1, b"\0"),
    "a zeroed page of gems": pages_of("gems", b"\0"),
    "a page of gems of ones": pages_of("gems", b"\xff"),
    "a zeroed page of results": pages_of("results", b"\0"),
    "a sparse file of 9 GB": sparse,
    "a folder": instead(os.mkdir),
    "a dangling link": instead(lambda path: os.symlink("nowhere", path)),
    "a link to itself": instead(lambda path: os.symlink(path, path)),
    "a device": instead(lambda path: os.symlink("/dev/zero", path)),
    "gone": os.unlink,
    "a view for gems": replaced_by_view("gems", "SELECT * FROM kept"),
    "a view without end for gems": replaced_by_view("gems", GEMS),
    "a view without end for results": replaced_by_view(
        "results", f"SELECT i AS id, i AS gem_id FROM ({ENDLESS})"
    ),
    "a view of a blob without end": replaced_by_view(
        "settings", "SELECT 'a' AS name, hex(randomblob(900000000)) AS value"
    ),
    "a full-text table for gems": sql(
        "ALTER TABLE gems RENAME TO kept",
        f"CREATE VIRTUAL TABLE gems USING fts5({GEM})",
        legacy_alter_table="ON",
    ),
    "computed columns": rebuilt(
        "gems", GEM.replace("topic,", "topic AS (hex(zeroblob(90000000))),")
    ),
    "a missing column": rebuilt("gems", GEM.replace(", created", "")),
    "a missing table": sql("DROP TABLE rejection_urls"),
    "a schema that is none": sql(
        "UPDATE sqlite_master SET sql = 'CREATE TABLE gems (canary' WHERE name = 'gems'",
        writable_schema="ON",
    ),
    "a schema of another table": sql(
        "UPDATE sqlite_master SET rootpage = 1 WHERE name = 'gems'", writable_schema="ON"
    ),
    "a page beyond the file": sql(
        "UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'gems'", writable_schema="ON"
    ),
    "bytes for a topic": sql("UPDATE gems SET topic = x'00ff' WHERE id = 1"),
    "bytes that are no text": sql("UPDATE gems SET topic = CAST(x'63ff61' AS TEXT) WHERE id = 1"),
    "a number for a time": sql("UPDATE gems SET created = 5 WHERE id = 1"),
    "nonsense for a time": sql("UPDATE gems SET created = 'canary' WHERE id = 1"),
    "a text for a count": sql("UPDATE rejections SET score = 'canary' WHERE id = 1"),
    "nothing for a topic": sql(
        "CREATE TABLE other AS SELECT * FROM gems",
        "DROP TABLE gems",
        "ALTER TABLE other RENAME TO gems",
        "UPDATE gems SET topic = NULL",
        legacy_alter_table="ON",
    ),
    "a topic of 5 MB": sql("UPDATE gems SET topic = hex(zeroblob(2500000)) WHERE id = 1"),
    "a title of 8 MB": sql(
        "UPDATE results SET title = CAST(zeroblob(8000000) AS TEXT) WHERE id = 1"
    ),
}
READ = {
    "a sound ledger": as_it_is,
    "a trigger that would write": sql(
        "CREATE TRIGGER canary AFTER INSERT ON gems BEGIN DELETE FROM gems; END"
    ),
    "an index with an expression": sql("CREATE INDEX canary ON gems (upper(topic))"),
    "a view of its own": sql(f"CREATE VIEW canary AS {ENDLESS}"),
    "a thousand tables": many_tables,
    "the other encoding": in_utf_16,
    "a journal beside it": beside("-journal", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600)),
    "noise for a log": beside("-wal", os.urandom(5000)),
    "noise for an index of the log": beside("-shm", os.urandom(32768)),
    "larger pages": sql("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 65536", "VACUUM"),
}
DOUBTFUL = {  # either is right, as long as nothing else happens
    "a version below zero": sql("PRAGMA user_version = -1"),
    "an unknown origin": sql("UPDATE gems SET origin = 'canary' WHERE id = 1"),
    "an unknown gate": sql("UPDATE rejections SET gate = 'canary' WHERE id = 1"),
    "NUL in a topic": sql("UPDATE gems SET topic = 'can' || char(0) || 'ary' WHERE id = 1"),
    "an evidence without end": sql(
        f"UPDATE rejections SET evidence = '{NESTED['arrays without end']}' WHERE id = 1"
    ),
    "a deep evidence": sql(
        f"UPDATE rejections SET evidence = '{NESTED['arrays that end']}' WHERE id = 1"
    ),
    "a deep answer": sql(
        f"UPDATE searches SET answer = '{NESTED['arrays that end']}', state = 'answered'"
    ),
    "an unknown profile": sql("UPDATE settings SET value = 'canary' WHERE name = 'gate.profile'"),
    "a nonsense setting": sql("INSERT INTO settings VALUES ('gate.max_age', 'canary')"),
    "no name of its own": sql("DELETE FROM settings WHERE name = 'ledger.uuid'"),
    "a hostile name of its own": sql(
        "UPDATE settings SET value = char(27) || '[2J' WHERE name = 'ledger.uuid'"
    ),
    "the largest number": sql("UPDATE gems SET id = 9223372036854775807 WHERE id = 3"),
    "a number below zero": sql("UPDATE gems SET id = -5 WHERE id = 3"),
    "results of no gem": sql("UPDATE results SET gem_id = gem_id + 77"),
    "a refusal by no gem": sql("UPDATE rejections SET gem_id = 77"),
    "a score beyond all": sql("UPDATE rejections SET score = 9e999"),
    "a year beyond all": sql("UPDATE gems SET created = '9999-12-31T23:59:59.999Z'"),
    "a day that is none": sql("UPDATE gems SET created = '2026-02-31T99:00:00.000Z' WHERE id = 1"),
    "reserved bytes": lambda path: _patch(path, 20, b"\xff"),
    "a page size of one": lambda path: _patch(path, 16, b"\x00\x01"),
    "another file format": lambda path: _patch(path, 18, b"\x07\x07"),
    "a count of pages that is wrong": lambda path: _patch(path, 28, b"\x7f\xff\xff\xff"),
}


def _patch(path, offset, data):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


@pytest.fixture
def ledger(home):
    """The ledger that must not change: a gem of its own, nothing in its log."""
    call("record", "canary hook", "--url", "https://a.example/")
    return str(home / "gems.db")


@pytest.fixture
def foreign(donor, tmp_path):
    def make(spoil):
        folder = tmp_path / "foreign"
        folder.mkdir()
        path = str(folder / "other.db")
        shutil.copy(donor, path)
        spoil(path)
        return path

    return make


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def rows_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return [line for line in connection.iterdump() if line.startswith("INSERT")]


def around(path):
    """What can be seen of a file from outside, and of what stands beside it."""
    folder = os.path.dirname(path)
    names = sorted(os.listdir(folder))
    seen = [os.lstat(os.path.join(folder, name)) for name in names]
    return names, [(one.st_size, one.st_mtime_ns, one.st_ino) for one in seen]


def told(way, path, *more):
    ran = call(*(word.format(path) for word in way), *more)
    assert not ran.alarms
    assert "Traceback" not in ran.err
    return ran


@parts(2)
@pytest.mark.parametrize("spoil", REFUSED.values(), ids=REFUSED)
def test_what_is_no_ledger_is_refused_and_nothing_changes(step, spoil, foreign, ledger):
    path = foreign(spoil)
    before, outside = digest(ledger), around(path)
    for way in WAYS[::step]:
        ran = told(way, path)
        assert ran.code in {1, 5}
        assert "gemsearch: " in ran.err
    assert digest(ledger) == before
    assert around(path) == outside


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: _write(path, b"")], ids=["pipe", "empty"])
def test_merge_waits_for_no_pipe_and_takes_no_empty_file(make, foreign, ledger):
    path = foreign(instead(make))
    before = digest(ledger)
    for way in WAYS[:2]:
        assert told(way, path).code == 5
    assert digest(ledger) == before


@pytest.mark.parametrize("spoil", READ.values(), ids=READ)
def test_what_a_ledger_may_have_besides_is_left_alone(spoil, foreign, ledger):
    path = foreign(spoil)
    outside = around(path)
    for way in WAYS[1::-1]:
        assert told(way, path).code == 0
    assert around(path) == outside
    assert_sound(ledger, gems=4)


@parts(2)
@pytest.mark.parametrize("spoil", DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_can_be_read_or_refused_is_one_of_both(step, spoil, foreign, ledger):
    path = foreign(spoil)
    before, outside = rows_of(ledger), around(path)
    for way in WAYS[: 4 // step]:
        ran = told(way, path)
        assert ran.code in {0, 1, 5}
        if ran.code or "--dry-run" in way:
            assert rows_of(ledger) == before
        before = rows_of(ledger)
    assert around(path) == outside
    assert_sound(ledger)
    fresh = f"{os.path.dirname(ledger)}/fresh.db"
    if told(WAYS[3], path, "--db", fresh).code == 0:
        assert_sound(fresh)


def test_every_hostile_text_in_a_foreign_ledger_is_cleaned_or_refused(templates, home, ledger):
    """The whole corpus at once, in every column of every table; then from the front door."""
    for name, gems in (("spoiled.db", None), ("entered.db", 100)):
        path = shutil.copy(templates / name, home / "foreign.db")
        for way in WAYS[:3]:
            assert told(way, str(path)).code in {0, 1, 5}
        assert_sound(ledger, at_least=gems)


def test_no_name_of_a_foreign_file_is_obeyed(donor, home, ledger):
    for name in (
        "\x1b[2Jcanary.db",
        "can\nary.db",
        "\u202ecanary.db",
        "-canary.db",
        "a?mode=rw#.db",
    ):
        shutil.copy(donor, name)
        for way in WAYS[:2]:
            assert told((*way[:1], "--", way[1]), name, *way[2:]).code in {0, 1}
    assert_sound(ledger)


def assert_sound(path, gems=None, at_least=None):
    """Nothing unclean is in the ledger, and doctor finds nothing that a person must mend."""
    unclean = {place for place, text in ledgers.texts_of(path) if any(map(is_forbidden, set(text)))}
    assert unclean <= {"history_files.path"}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        counted = connection.execute("SELECT count(*) FROM gems").fetchone()[0]
    assert gems is None or counted == gems
    assert at_least is None or counted >= at_least
    assert call("gems", "--json", "--db", path).code == 0
    assert '"error"' not in call("doctor", "--json", "--db", path).out


@pytest.mark.parametrize("table", ["gems", "results", "settings", "searches", "gems_fts"])
def test_a_view_in_place_of_a_table_is_no_ledger_to_read_either(table, foreign, home):
    """It may have no end, and a command that reads it would not come to one."""
    path = foreign(
        sql(f"DROP TABLE {table}", f"CREATE VIEW {table} AS {ENDLESS}", legacy_alter_table="ON")
    )
    for run in (("gems",), ("gems", "canary"), ("check", "canary"), ("stats",), ("export",)):
        ran = told(run, path, "--db", path)
        assert (ran.code, f"{table} is no table in it" in ran.err) == (5, True)
