"""What comes in by the front door is stored clean, whichever field it stands in."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

import gemsearch
from gemsearch.core.model import Caller, Result
from tests.hostile import ledgers
from tests.hostile.calling import call
from tests.hostile.corpus import LARGE, QUERIES, part, storable
from tests.hostile.inert import is_forbidden
from tests.hostile.parts import parts


def unclean(path):
    return {place for place, text in ledgers.texts_of(path) if any(map(is_forbidden, set(text)))}


def test_no_field_of_an_import_is_stored_unclean(entered):
    assert unclean(entered) == set()
    with closing(sqlite3.connect(entered)) as connection:
        stored = connection.execute("SELECT count(*) FROM searches").fetchone()[0]
    assert stored >= len(storable()) - len(LARGE) - 5, "nearly all of them are topics"


@parts(9)
def test_no_field_of_a_record_is_stored_unclean_or_longer_than_its_limit(step, home):
    with gemsearch.open(home / "gems.db") as ledger:
        for number, text in enumerate(part(step).values()):
            caller = Caller("record", text, text, text, text)
            result = Result(f"https://a.example/{number}", text, text, text)
            ledger.record(
                f"canary{number} sparrow{number}",
                [result, {"url": text, "title": text}, text],
                caller=caller,
                provider=text,
                reason=text,
                force=True,
            )
    assert unclean(home / "gems.db") == set()
    with closing(sqlite3.connect(home / "gems.db")) as connection:
        assert connection.execute("SELECT count(*) FROM gems").fetchone() == (len(part(step)),)
        longest = "SELECT max(length(title)), max(length(snippet)), max(length(published))"
        widths = connection.execute(f"{longest} FROM results").fetchone()
        assert connection.execute("SELECT max(length(url)) FROM urls").fetchone()[0] <= 8192
        passwords = connection.execute("SELECT count(*) FROM urls WHERE url LIKE '%user:%'")
        assert passwords.fetchone() == (0,)
    assert all(width <= 4 * limit for width, limit in zip(widths, (300, 1000, 64), strict=True))


@parts(13)
def test_no_field_of_a_search_is_stored_unclean(step, home):
    row = {"url": "https://a.example/1"}
    for number, text in enumerate(part(step).values()):
        found = [{"url": text, "title": text, "snippet": text, "published": text}, row]
        line = json.dumps({"topic": f"canary{number}", "results": found})
        home.joinpath("replay.jsonl").write_text(line)
        ran = call("search", f"canary{number}", "--agent", text, "--force", "--reason", text)
        assert ran.code == 0
        assert not ran.alarms
    assert unclean(home / "gems.db") == set()


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_a_topic_of_100_kb_is_refused_and_not_repeated(text, home):
    for command in (
        ("check",),
        ("search",),
        ("record", "--url", "https://a.example/"),
        ("explain",),
    ):
        ran = call(*command, "--", text)
        assert ran.code == 1
        assert len(ran.out + ran.err) < 1000


@parts(8)
def test_what_is_found_for_words_of_a_query_language_is_what_has_the_words(step, home):
    """No operator of the full-text language is obeyed, and no error is told as nothing found."""
    call("record", "canary hook", "--url", "https://a.example/")
    for name, text in (part(step) | QUERIES).items():
        ran = call("gems", "--json", "--", text)
        assert ran.code == 0, name
        words = {*"".join(char if char.isalnum() else " " for char in text.lower()).split()}
        if text in QUERIES.values() and ran.out != "[]\n":
            assert words <= {"canary", "hook"}, name
    with closing(sqlite3.connect(home / "gems.db")) as connection:
        assert connection.execute("SELECT count(*) FROM gems").fetchone() == (1,)
