"""Logs to mine: six weeks of invented agents, as Claude Code and Codex write them.

python -m tools.demo_history HOME
"""

import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gemsearch.providers.sample import Sample
from tools.demo_ledger import TOPICS

LAST = datetime(2026, 11, 20, 16, tzinfo=UTC)
PROJECTS = ("atlas", "orchard", "harbour")
# What these agents ask again and again: each line is one question in several wordings.
FAVOURITES = [
    line.split(" | ")
    for line in """
gitleaks pre-commit hook | pre-commit hook gitleaks | gitleaks hook for secrets
sqlite write-ahead logging | sqlite write-ahead log | WAL mode in sqlite
chezmoi encryption | chezmoi age encryption
postgres connection pooling | connection pooling in postgres | postgres connection pooler
io_uring zero-copy networking internals | io_uring zero-copy receive
git absorb | git-absorb
restic backup encryption | encrypted backups with restic
partial clone and sparse checkout | sparse-checkout and partial clone
sqlite wal mode | sqlite wal2 mode
enable ipv6 forwarding | disable ipv6 forwarding
python 3.12 release notes | python 3.13 release notes | python 3.14 release notes
""".strip().splitlines()
]
SESSIONS = 38
SEED = 12


def build(home):
    """Write the logs below the folder `home`, where the agents would keep them."""
    chance = random.Random(SEED)
    new = chance.sample(TOPICS, len(TOPICS))
    starts = sorted(LAST - timedelta(minutes=chance.randrange(42 * 1440)) for _ in range(SESSIONS))
    for number, start in enumerate(starts):
        asked = list(_asked(chance, new))
        times = [start + timedelta(minutes=3 * place) for place in range(len(asked))]
        project = f"/home/dev/{chance.choice(PROJECTS)}"
        write = _codex if number % 4 == 3 else _claude
        write(Path(home), f"{number:08d}-aaaa-4aaa-8aaa-aaaaaaaaaaaa", project, asked, times)


def _asked(chance, new):
    """The topics of a session: what nobody asked yet, favourites, and some of these again."""
    for _ in range(chance.randint(3, 6)):
        if new and chance.random() < 0.45:
            yield new.pop()
            continue
        wordings = chance.choices(FAVOURITES, range(len(FAVOURITES), 0, -1))[0]
        yield chance.choice(wordings)
        if chance.random() < 0.25:
            yield chance.choice(wordings)


def _claude(home, session, project, topics, times):
    folder = home / ".claude" / "projects" / project.replace("/", "-")
    about = {"cwd": project, "sessionId": session, "version": "2.1.332"}
    lines = []
    for number, (topic, time) in enumerate(zip(topics, times, strict=True)):
        call = f"toolu_{session[:8]}_{number}"
        asked = {"type": "tool_use", "id": call, "name": "WebSearch", "input": {"query": topic}}
        lines.append(about | _line("assistant", f"a{number}", time, [asked]))
        links = [{"title": row.title, "url": row.url} for row in _found(topic)]
        told = f'Web search results for query: "{topic}"\n\n'
        told += f"Links: {json.dumps(links)}\n\nDone." if links else "No links found."
        given = {"type": "tool_result", "tool_use_id": call, "content": told}
        answer = {"query": topic, "results": [{"tool_use_id": f"s{call}", "content": links}, "-"]}
        lines.append(
            about
            | _line("user", f"u{number}", time + timedelta(seconds=4), [given])
            | {"toolUseResult": answer if links else {"query": topic, "results": [told]}}
        )
    _write(folder / f"{session}.jsonl", lines)


def _codex(home, session, project, topics, times):
    folder = home / ".codex" / "sessions" / f"{times[0]:%Y/%m/%d}"
    meta = {"id": session, "timestamp": _iso(times[0]), "cwd": project, "originator": "codex"}
    lines = [{"timestamp": _iso(times[0]), "type": "session_meta", "payload": meta}]
    for number, (topic, time) in enumerate(zip(topics, times, strict=True)):
        call = f"call_{session[:8]}_{number}"
        if number % 3 == 2:  # hosted: the rollout keeps no results
            action = {"type": "search", "query": topic}
            hosted = {"type": "web_search_call", "id": call, "status": "completed"}
            lines.append(_item(time, hosted | {"action": action}))
            continue
        name = {"namespace": "mcp__exa", "name": "web_search_exa"}
        arguments = json.dumps({"query": topic, "numResults": 8})
        lines.append(
            _item(time, {"type": "function_call", "arguments": arguments, "call_id": call} | name)
        )
        output = "\n\n".join(
            f"Title: {row.title}\nURL: {row.url}\nText: {row.snippet}" for row in _found(topic)
        )
        output = output or "No results found."
        done = {"type": "function_call_output", "call_id": call, "output": output}
        lines.append(_item(time + timedelta(seconds=3), done))
    _write(folder / f"rollout-{times[0]:%Y-%m-%dT%H-%M-%S}-{session}.jsonl", lines)


def _found(topic):
    return Sample().search(topic, None, 0).results


def _line(role, uuid, time, content):
    return {
        "type": role,
        "uuid": uuid,
        "timestamp": _iso(time),
        "message": {"role": role, "content": content},
    }


def _item(time, payload):
    return {"timestamp": _iso(time), "type": "response_item", "payload": payload}


def _iso(time):
    return f"{time:%Y-%m-%dT%H:%M:%S}.000Z"


def _write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    build(sys.argv[1])
