"""The write-ahead log stays short, whoever reads meanwhile."""

from __future__ import annotations

import os
import threading
import time
from contextlib import closing

import pytest

from gemsearch.ledger import connection as ledger_connection
from gemsearch.ledger.connection import open_for_reading, open_for_writing, write_transaction

WRITES, EACH = 300, 40_000  # bytes: more than ten pages


@pytest.fixture
def limit(monkeypatch):
    monkeypatch.setattr(ledger_connection, "_LONG_LOG", 1 << 20)
    return 1 << 20


def write(ledger, times):
    for number in range(times):
        with write_transaction(ledger):
            ledger.execute(
                "INSERT INTO settings VALUES (?, ?)", (f"row {number}", os.urandom(EACH // 2).hex())
            )


def log_of(path):
    return os.path.getsize(f"{path}-wal")


def test_the_log_does_not_grow_with_the_writes_where_somebody_always_reads(tmp_path, limit):
    """Readers that take turns: at no moment is there none, and SQLite alone never begins anew."""
    path = str(tmp_path / "gems.db")
    open_for_writing(path).close()
    stop = threading.Event()

    def read():
        with closing(open_for_reading(path)) as ledger:
            while not stop.is_set():
                ledger.execute("BEGIN")
                ledger.execute("SELECT count(*) FROM settings").fetchone()
                time.sleep(0.004)
                ledger.execute("COMMIT")

    readers = [threading.Thread(target=read) for _ in range(6)]
    for reader in readers:
        reader.start()
    try:
        with closing(open_for_writing(path)) as ledger:
            write(ledger, WRITES)
            grown = log_of(path)
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert grown < 5 * limit < WRITES * EACH / 2


def test_a_reader_that_stays_holds_up_no_writer_and_the_log_is_short_once_it_is_gone(
    tmp_path, limit
):
    path = str(tmp_path / "gems.db")
    with closing(open_for_writing(path)) as ledger:
        with closing(open_for_reading(path)) as reader:
            reader.execute("BEGIN")
            before = reader.execute("SELECT count(*) FROM settings").fetchone()
            write(ledger, WRITES // 3)
            assert log_of(path) > 5 * limit
            assert reader.execute("SELECT count(*) FROM settings").fetchone() == before
            assert ledger.execute("PRAGMA busy_timeout").fetchone() == (5000,)
            reader.execute("COMMIT")
        ledger.execute("DELETE FROM settings WHERE name LIKE 'row %'")
        write(ledger, WRITES // 3)
        assert log_of(path) < 5 * limit
