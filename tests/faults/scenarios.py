"""Commands that are killed and starved, each on a ledger where it has something to do."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.editions import check, schema
from gemsearch.ledger import migrations
from tests.faults import next_version
from tests.faults.conftest import pages_of
from tests.faults.sound import complaints, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.conftest import Place
    from tests.faults.driver import Ended, Request

LINES = [
    {"topic": f"{word} lighthouse", "results": [{"url": f"https://example.net/{word}"}]}
    for word in ("basalt", "granite", "marble", "slate", "gneiss", "chalk", "schist", "flint")
]
# A small ledger reaches the limits of a large one.
SMALL_STEPS = {
    "gemsearch.ledger.index.upkeep:PLAIN_SCAN_LIMIT": 20,
    "gemsearch.ledger.index.upkeep:SEALED_AT": 8,
    "gemsearch.ledger.index.upkeep:_TIERS": [16, 64],
    "gemsearch.ledger.index.upkeep:_AFTER_WRITING": 16,
}


def nothing(_: Place) -> None:
    """Leave the ledger as it is."""


def always(_: Place, __: Ended) -> None:
    """Nothing more to look at."""


class Scenario(NamedTuple):
    """`code` is the exit code when nothing befalls it, `again` those of a second run after a kill.

    `look` asserts what only this command promises; `in_parts` says that a beginning of its work
    may be there without the rest, `once` that a second run adds no gem, `keeps` that nothing but
    attempts changes in the ledger. `told` is what doctor may say of a ledger after a kill.
    """

    name: str
    request: Callable[[Place], Request]
    before: Callable[[Place], None] = nothing
    code: int = 0
    again: tuple[int, ...] = (0, 2)
    look: Callable[[Place, Ended], None] = always
    in_parts: bool = False
    once: bool = True
    keeps: bool = False
    told: tuple[str, ...] = ()
    of_next_version: bool = False

    def __str__(self) -> str:
        return self.name


def hook_event(name: str, topic: str, *urls: str) -> str:
    """What Claude Code tells its hooks of a web search."""
    event: dict[str, object] = {
        "session_id": "s1",
        "cwd": "/project",
        "hook_event_name": name,
        "tool_name": "WebSearch",
        "tool_use_id": f"call of {topic}",
        "tool_input": {"query": topic},
    }
    if urls:
        content = [{"title": f"Title of {url}", "url": url} for url in urls]
        event["tool_response"] = {"query": topic, "results": [{"content": content}]}
    return json.dumps(event)


def hook(place: Place, name: str, topic: str, *urls: str) -> Request:
    entry = "gemsearch.agents.hook:main"
    return place.request("claude-code", entry=entry, stdin=hook_event(name, topic, *urls))


def _finds(place: Place) -> None:
    place.finds("puffin colonies", *(f"https://example.org/puffin/{n}" for n in range(4)))
    place.finds("sett construction", *pages_of("badger burrows"))


def _lines(place: Place) -> str:
    path = place.home / "lines.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return str(path)


def _log(place: Place) -> str:
    path = place.home / "calls.jsonl"
    lines = [
        {"query": line["topic"], "links": line["results"], "session": "s", "id": f"c{number}"}
        | {"agent": "pi", "time": f"2026-05-0{number}T09:00:00Z"}
        for number, line in enumerate(LINES, start=1)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def _other_ledger(place: Place) -> None:
    place("import", "--judge", _lines(place), "--db", str(place.home / "other.db"))


def _export(place: Place) -> None:
    place("export", str(place.home / "export.jsonl"))
    os.unlink(place.ledger)


def _miscount(place: Place) -> None:
    with closing(sqlite3.connect(place.ledger)) as connection:
        connection.execute("UPDATE urls SET gem_count = gem_count + 1")
        connection.execute("DELETE FROM words WHERE word > 'm'")
        connection.commit()


def _publish(place: Place) -> None:
    place("publish", str(place.home / "edition" / "public.db"), "--yes", "--title", "Old")


def _edition_is_old_or_new(place: Place, _: Ended) -> None:
    folder = place.home / "edition"
    path = str(folder / "public.db")
    with closing(schema.open_finished(path)) as edition:
        counts = {
            table: edition.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in schema.TABLES
        }
    check.check(path, counts, snippets=False)
    for name in ("metadata.yml", "README.md"):
        assert (folder / name).read_text().endswith("\n")


def _backup_is_whole_or_absent(place: Place, ended: Ended) -> None:
    copy = str(place.home / "copy.db")
    if os.path.exists(copy):
        assert content(copy) == content(place.ledger)
        assert complaints(copy) == []
    else:
        assert ended.out == ""


def _version_fits(place: Place, _: Ended) -> None:
    with closing(sqlite3.connect(place.ledger)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        columns = [row[1] for row in connection.execute("PRAGMA table_info(gems)")]
        assert ("language" in columns) is (version == next_version.VERSION)
        assert version >= migrations.VERSION


SCENARIOS = [
    Scenario("search", lambda place: place.request("search", "puffin colonies"), _finds),
    Scenario(
        "search refused by the query gate",
        lambda place: place.request("search", "diet of the otter"),
        code=2,
    ),
    Scenario(
        "search refused by the source gate",
        lambda place: place.request("search", "sett construction"),
        _finds,
        code=2,
    ),
    Scenario(
        "search forced",
        lambda place: place.request("search", "--force", "otter diet"),
        lambda place: place.finds("otter diet", "https://example.org/new"),
        again=(0,),
        once=False,
    ),
    Scenario(
        "search that builds an index",
        lambda place: place.request("search", "puffin colonies", changed=SMALL_STEPS),
        _finds,
    ),
    Scenario(
        "record",
        lambda place: place.request(
            "record", "gannet dives", "--url", "https://example.org/gannet", "--call-id", "c1"
        ),
    ),
    Scenario(
        "record that makes the ledger",
        lambda place: place.request("record", "gannet dives", "--url", "https://example.org/g"),
        lambda place: os.unlink(place.ledger),
    ),
    Scenario(
        "import",
        lambda place: place.request("import", str(place.home / "export.jsonl")),
        _export,
        again=(0, 5),
    ),
    Scenario(
        "import --judge",
        lambda place: place.request(
            "import", "--judge", _lines(place), changed={"gemsearch.batch:TOGETHER": 3}
        ),
        in_parts=True,
    ),
    Scenario(
        "hook before a search",
        lambda place: hook(place, "PreToolUse", "puffin colonies"),
        again=(0,),
        keeps=True,
    ),
    Scenario(
        "hook before a covered search",
        lambda place: hook(place, "PreToolUse", "diet of the otter"),
        again=(0,),
    ),
    Scenario(
        "hook after a search",
        lambda place: hook(place, "PostToolUse", "puffin colonies", "https://example.org/p"),
        again=(0,),
    ),
    Scenario(
        "mine --into-ledger",
        lambda place: place.request(
            *("mine", "--into-ledger", "--source", "jsonl", "--path", _log(place)),
            changed={"gemsearch.history.backfill:TOGETHER": 3},
        ),
        in_parts=True,
    ),
    Scenario(
        "merge",
        lambda place: place.request(
            *("merge", str(place.home / "other.db"), "--yes"),
            changed={"gemsearch.batch:TOGETHER": 3},
        ),
        _other_ledger,
        again=(0,),
        in_parts=True,
    ),
    Scenario(
        "forget",
        lambda place: place.request("forget", "3", "--yes"),
        again=(0, 1),
        told=("doctor: forgotten: old pages of the file still hold what was forgotten",),
    ),
    Scenario("mark", lambda place: place.request("mark", "1", "--wrong"), again=(0,)),
    Scenario(
        "config set gate.profile",
        lambda place: place.request("config", "set", "gate.profile", "published"),
        again=(0,),
    ),
    Scenario("doctor --fix", lambda place: place.request("doctor", "--fix"), _miscount),
    Scenario(
        "backup",
        lambda place: place.request("backup", str(place.home / "copy.db")),
        look=_backup_is_whole_or_absent,
        again=(0, 1),
        keeps=True,
    ),
    Scenario(
        "publish",
        lambda place: place.request(
            "publish", str(place.home / "edition" / "public.db"), "--yes", "--title", "New"
        ),
        _publish,
        look=_edition_is_old_or_new,
        keeps=True,
    ),
    Scenario(
        "migration",
        lambda place: place.request(
            *("record", "gannet dives", "--url", "https://example.org/g"),
            entry="tests.faults.next_version:main",
        ),
        look=_version_fits,
        in_parts=True,
        of_next_version=True,
    ),
]
