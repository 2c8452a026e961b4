"""Invented histories: the fixture home, and databases in the shapes that agents keep."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from gemsearch.history.collecting import collected
from gemsearch.history.finding import found as found_sources

HOME = Path(__file__).parent / "fixtures" / "home"
WRITTEN = 1_793_600_000.0  # 2026-11-02

# What agentsview kept, by the version in which it began; the newest has all of it.
AGES = {
    "tool_name and input_json alone": ("tool_name", "input_json"),
    "v0.5.0": ("message_id", "session_id", "tool_name", "category", "tool_use_id", "input_json"),
    "v0.17.0": ("message_id", "session_id", "tool_name", "category", "tool_use_id", "input_json",
                "result_content"),
    "0.46.1": ("message_id", "session_id", "tool_name", "category", "tool_use_id", "input_json",
               "result_content", "file_path", "call_index"),
}  # fmt: skip
LINER = (
    'Web search results for query: "x"\n\nLinks: [{"title":"L","url":"https://koi.example/liner"}]'
)
LIST = '[{"type":"input_text","text":"Title: P\\nURL: https://pegs.example/compound"}]'
ENDPINS = (
    '{"search_query": [{"q": "cello endpin length"},'
    ' {"q": "endpin carbon", "domains": ["strings.example"]}]}'
)
POND = "5b1e0c9a-4f6d-4e0b-9d41-6f0c1d2e3a4b"
BOWS = "codex:0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"
TRAMS = "gemini:1f2e3d4c-0000-4000-8000-00000000aaaa"

# session, time, tool, call id, arguments, answer kept inline, answer kept as an event, errored
VIEWED = [
    (POND, "2026-10-03T08:00:01Z", "WebSearch", "toolu_01Liner",
     '{"query":"koi pond liner thickness","allowed_domains":["koi.example","pond.example"]}',
     None, LINER, False),
    (POND, "2026-10-03T08:00:10Z", "WebFetch", "toolu_04Fetch",
     '{"url":"https://koi.example/liner"}', None, "1 mm", False),
    (POND, "2026-10-03T08:00:10Z", "ToolSearch", "toolu_05Tools", '{"query":"select:WebSearch"}',
     None, "x", False),
    (POND, "2026-10-03T08:00:10Z", "mcp__github__search_code", "toolu_06Code",
     '{"query":"pond pump"}', None, "https://code.example/", False),
    (POND, "2026-10-03T08:00:30Z", "WebSearch", "toolu_08Denied",
     '{"query":"Koi Pond Liner Thickness"}', None,
     "PreToolUse:WebSearch hook error: DUPLICATE - already covered: #4 koi", True),
    (POND, "2026-10-03T08:01:10.5Z", "mcp__gemsearch__record", "toolu_12Own",
     '{"query":"pond ice vent"}', None, None, False),
    (POND, "2026-10-03T08:01:10Z", "Bash", "toolu_14Sh",
     '{"command":"brave-search/search.js \\"pond netting mesh\\""}', None,
     "Title: Mesh\nLink: https://nets.example/mesh", False),
    (POND, "2026-10-03T08:01:11Z", "Bash", "toolu_99", '{"command":"ls search"}', None, "x", False),
    (BOWS, "2026-10-04T11:00:09Z", "web_search_exa", "call_exa2",
     '{"query": "violin peg compound"}', None, LIST, False),
    (BOWS, "2026-10-04T11:00:11Z", "run", "call_web1",
     ENDPINS, None, "x", False),
    (BOWS, "2026-10-04T11:00:12Z", "run", "call_sql", '{"query": "SELECT 1"}', None, "1", False),
    (BOWS, "2026-10-04T11:00:15Z", "search", "call_own2", '{"query": "cello endpin length"}', None,
     "NOVEL - recorded as #12: cello endpin length", False),
    (BOWS, "2026-10-04T11:00:16Z", "search", "call_any", '{"query": "cello strap"}', None,
     "1. [Straps](https://straps.example/)", False),
    (BOWS, "2026-10-04T11:00:17Z", "search", "call_mem", '{"query": "cello"}', None, "7", False),
    (TRAMS, "2026-10-06T12:00:02Z", "google_web_search", "google_web_search-1759752002-a1",
     '{\n  "query": "tram gauge history"\n}',
     'Web search results for "x":\n\nA[1]\n\nSources:\n[1] trams.example (https://v.example/AA)',
     None, False),
    (TRAMS, "2026-10-06T12:00:08Z", "google_web_search", "google_web_search-1759752008-d4",
     '{"query":"tram depot closed"}', None, None, False),
    ("agent-7f3", "2026-10-03T08:02:00Z", "WebSearch", "toolu_18Sub",
     '{"query":"pond filter media"}', None, LINER, False),
    (f"{POND}-gone", "2026-10-03T09:00:00Z", "WebSearch", "toolu_gone", '{"query":"deleted"}',
     None, LINER, False),
]  # fmt: skip


FOLDERS = {
    "agent-7f3": "/home/kai/pond",
    POND: "/home/kai/pond",
    BOWS: "/home/kai/violin",
    TRAMS: "",
    f"{POND}-gone": "/x",
}


def agentsview(path: Path, age: str = "0.46.1") -> Path:
    """A database such as that version made, WAL, closed cleanly."""
    columns = AGES[age]
    newest = age == "0.46.1"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, {', '.join(columns)})")
        rows = VIEWED if newest else [row for row in VIEWED if not row[0].endswith("-gone")]
        for number, row in enumerate(rows, start=1):
            _add_call(db, columns, number, row)
        if "session_id" in columns:
            _add_sessions(db, newest=newest)
            times = [(number, row[1]) for number, row in enumerate(rows, start=1)]
            db.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, timestamp)")
            db.executemany("INSERT INTO messages VALUES (?, ?)", times)
        if "result_content" in columns:
            _add_events(db, rows)
    return path


def _add_call(db, columns, number, row):
    session, _, tool, call_id, arguments, inline, *_ = row
    values = {
        "message_id": number,
        "session_id": session,
        "tool_name": tool,
        "tool_use_id": call_id,
        "input_json": arguments,
        "result_content": inline,
    }
    marks = ", ".join("?" * len(columns))
    db.execute(
        f"INSERT INTO tool_calls ({', '.join(columns)}) VALUES ({marks})",
        [values.get(name) for name in columns],
    )


def _add_sessions(db, *, newest):
    db.execute("CREATE TABLE sessions (id, agent, project, started_at)")
    for session in FOLDERS:
        agent = session.partition(":")[0] if ":" in session else "claude"
        row = (session, agent, "tramway", "2026-10-01T00:00:00Z")
        db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", row)
    if newest:
        db.execute("ALTER TABLE sessions ADD COLUMN cwd")
        db.execute("ALTER TABLE sessions ADD COLUMN deleted_at")
        db.executemany("UPDATE sessions SET cwd = ? WHERE id = ?",
                       [(folder, session) for session, folder in FOLDERS.items()])  # fmt: skip
        db.execute("UPDATE sessions SET deleted_at = '2026-10-09' WHERE id LIKE '%-gone'")
        db.execute("ALTER TABLE sessions ADD COLUMN parent_session_id")
        db.execute("UPDATE sessions SET parent_session_id = ? WHERE id = 'agent-7f3'", (POND,))


def _add_events(db, rows):
    db.execute("CREATE TABLE tool_result_events (id INTEGER PRIMARY KEY, session_id, tool_use_id,"
               " status, content)")  # fmt: skip
    for session, _, _, call_id, _, _, event, errored in rows:
        if event:
            db.execute(
                "INSERT INTO tool_result_events (session_id, tool_use_id, status, content)"
                " VALUES (?, ?, ?, ?)",
                (session, call_id, "errored" if errored else "completed", event),
            )


def opencode(path: Path) -> Path:
    """The parts of the fixture home's files, as the newer versions keep them."""
    parts = sorted((HOME / ".local/share/opencode/storage/part").rglob("*.json"))
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "PRAGMA journal_mode = WAL;"
            "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, directory TEXT);"
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT,"
            " time_created INTEGER, time_updated INTEGER);"
            "INSERT INTO session VALUES ('ses_old1', 'global', '/home/kai/kites')"
        )
        for number, part in enumerate(parts):
            held = json.loads(part.read_text(encoding="utf-8"))
            names = {"id": held.pop("id"), "session": held.pop("sessionID")}
            message = held.pop("messageID")
            changed = 1791000000000 + number
            db.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)",
                (names["id"], message, names["session"], json.dumps(held), changed, changed),
            )
    return path


def llm(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, response TEXT,"
            " datetime_utc TEXT, conversation_id TEXT);"
            "CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER,"
            " name TEXT, arguments TEXT, tool_call_id TEXT);"
            "CREATE TABLE tool_results (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER,"
            " name TEXT, output TEXT, tool_call_id TEXT, instance_id INTEGER, exception TEXT);"
            "INSERT INTO responses VALUES ('r1', 'm', 's', '', '2026-10-10T15:00:00+00:00', 'c1'),"
            " ('r2', 'm', '', 'done', '2026-10-10T15:00:05', 'c1');"
        )
        for call, topic, tool in [
            ("tc_1", "sundial latitude", "web_search"),
            ("tc_2", "sundial motto", "web_search"),
            ("tc_3", "sundial", "llm_time"),
            ("tc_4", "sundial noon mark", "web_search"),
        ]:
            db.execute(
                "INSERT INTO tool_calls (response_id, name, arguments, tool_call_id)"
                " VALUES ('r1', ?, ?, ?)",
                (tool, json.dumps({"query": topic}), call),
            )
        text = "Title: Dials URL: https://dials.example/lat"
        db.execute(
            "INSERT INTO tool_results (response_id, name, output, tool_call_id, exception) VALUES"
            " ('r2', 'web_search', ?, 'tc_1', NULL), ('r2', 'web_search', 'x', 'tc_2', 'OSError')",
            (text,),
        )
    return path


def goose(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, working_dir TEXT);"
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT,"
            " role TEXT, content_json TEXT, created_timestamp INTEGER);"
            "INSERT INTO sessions VALUES ('g1', '/home/kai/dials')"
        )
        ask = {"name": "exa__web_search_exa", "arguments": {"query": "gnomon angle"}}
        shell = {"name": "developer__shell", "arguments": {"command": "gemsearch check gnomon"}}
        text = {"type": "text", "text": "Title: G\nURL: https://dials.example/gnomon"}
        found = {"status": "success", "value": {"content": [text]}}
        for number, content in enumerate(
            [
                [{"type": "text", "text": "search"}],
                [
                    {"type": "toolRequest", "id": call, "toolCall": {"value": tool}}
                    for call, tool in (("call-1", ask), ("call-2", ask), ("call-3", shell))
                ],
                [{"type": "toolResponse", "id": "call-1", "toolResult": found}],
                [{"type": "toolResponse", "id": "call-2", "toolResult": {"status": "error"}}],
            ]
        ):
            db.execute(
                "INSERT INTO messages (session_id, role, content_json, created_timestamp)"
                " VALUES ('g1', 'x', ?, ?)",
                (json.dumps(content), 1791640000 + number),
            )
    return path


def mined(*sources, **options):
    """What is found in sources, as the list of calls and the counts."""
    with collected(sources, **options) as history:
        return list(history.calls), history


def told(calls):
    """The parts of calls that a test lists."""
    return [
        (call.call_id, call.topic, call.answer.status, len(call.answer.results)) for call in calls
    ]


def at_home(reader: str, home: Path = HOME):
    return [source for source in found_sources({}, str(home)) if source.reader == reader]


def copied_home(folder: Path) -> Path:
    """The fixture home with the databases that can't be kept as text."""
    home = folder / "home"
    shutil.copytree(HOME, home)
    for second, path in enumerate(sorted(home.rglob("*"))):
        # As agents write: one after the other. A checkout's files are all of one moment.
        os.utime(path, (WRITTEN + second, WRITTEN + second))
    (home / ".agentsview").mkdir(mode=0o700)
    agentsview(home / ".agentsview" / "sessions.db")
    opencode(home / ".local/share/opencode/opencode.db")
    (home / ".config/io.datasette.llm").mkdir(parents=True)
    llm(home / ".config/io.datasette.llm/logs.db")
    (home / ".local/share/goose/sessions").mkdir(parents=True)
    goose(home / ".local/share/goose/sessions/sessions.db")
    return home
