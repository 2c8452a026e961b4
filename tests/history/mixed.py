"""A small history of two agents whose every figure can be counted by hand.

Written as Claude Code and Codex write their logs, below a home folder; all of it is invented.
"""

from __future__ import annotations

import json

LEAKS = [f"https://leaks.example/{n}" for n in range(1, 5)]
SQLITE = [f"https://sqlite.example/{n}" for n in range(1, 4)]
OTHERS = [f"https://others.example/{n}" for n in range(1, 9)]
SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f"

A = "aaaaaaaa-1111-4111-8111-111111111111"
B = "bbbbbbbb-2222-4222-8222-222222222222"
C = "cccccccc-3333-4333-8333-333333333333"
D = "dddddddd-4444-4444-8444-444444444444"
FORK = "eeeeeeee-5555-4555-8555-555555555555"


def write(home):
    """Write every log below `home`."""
    atlas = home / ".claude" / "projects" / "-home-dev-atlas"
    first = [
        *asked(A, 1, "gitleaks pre-commit hook", LEAKS, "2026-11-02T10:00"),
        *asked(A, 2, "gitleaks pre-commit hook", LEAKS, "2026-11-02T10:05"),
        *asked(A, 3, "sqlite wal mode", SQLITE, "2026-11-02T10:10"),
        *other(A, "WebFetch", {"url": SQLITE[0], "prompt": "read"}, "2026-11-02T10:11"),
        *other(A, "mcp__gemsearch__search", {"topic": "tmux"}, "2026-11-02T10:12"),
    ]
    put(atlas / f"{A}.jsonl", first)
    put(atlas / f"{FORK}.jsonl", [line | {"sessionId": FORK} for line in first[:4]])
    put(
        atlas / f"{B}.jsonl",
        [
            *asked(B, 1, "Pre-commit hook: gitleaks", LEAKS[:2], "2026-11-03T09:00"),
            "not a line of JSON",
            *asked(B, 2, "gitleaks hook for secrets", [*LEAKS[:3], OTHERS[0]], "2026-11-03T09:05"),
            *asked(B, 3, "postgres 15 upgrade notes", OTHERS[1:3], "2026-11-03T09:10"),
            *failed(B, 4, "tea kettle descaling", "Error: overloaded", "2026-11-03T09:15"),
            *failed(B, 5, "sqlite wal mode", "PreToolUse hook error: DUPLICATE - already covered",
                    "2026-11-03T09:20"),
            *asked(B, 6, f"curl 401 with {SECRET}", OTHERS[:1], "2026-11-03T09:25"),
            *asked(B, 7, "word " * 40, OTHERS[:1], "2026-11-03T09:30"),
        ],
    )  # fmt: skip
    put(
        atlas / B / "subagents" / "agent-1.jsonl",
        asked(B, 8, "restic backup", None, "2026-11-03T09:35"),
    )
    codex = home / ".codex" / "sessions" / "2026" / "11"
    put(
        codex / "04" / f"rollout-2026-11-04T08-00-00-{C}.jsonl",
        [
            meta(C, "/home/dev/orchard", "2026-11-04T08:00"),
            *through_exa(C, 1, "gitleaks hook for secrets", [*LEAKS[:3], OTHERS[0]],
                         "2026-11-04T08:05"),
            hosted("ws_c2", "chezmoi encryption", "2026-11-04T08:10"),
            *through_exa(C, 3, "postgres 16 upgrade notes", OTHERS[3:5], "2026-11-04T08:15"),
        ],
    )  # fmt: skip
    put(
        codex / "05" / f"rollout-2026-11-05T08-00-00-{D}.jsonl",
        [
            meta(D, "/home/dev/orchard", "2026-11-05T08:00"),
            hosted("ws_d1", "chezmoi encryption", "2026-11-05T08:05"),
            *through_exa(D, 2, "left-handed abacus repair", [], "2026-11-05T08:10"),
            *through_exa(D, 3, "sqlite wal2 mode", OTHERS[5:7], "2026-11-05T08:15"),
        ],
    )


def asked(session, number, topic, urls, time):
    """A search of Claude Code and what it found; None: the log ends before the answer."""
    call = f"toolu_{session[:4]}{number}"
    use = {"type": "tool_use", "id": call, "name": "WebSearch", "input": {"query": topic}}
    yield claude(session, f"{call}a", "assistant", [use], time)
    if urls is None:
        return
    links = [{"title": "Page", "url": url} for url in urls]
    told = f'Web search results for query: "{topic}"\n\nLinks: {json.dumps(links)}\n\nDone.'
    result = {"type": "tool_result", "tool_use_id": call, "content": told}
    yield claude(session, f"{call}u", "user", [result], time)


def failed(session, number, topic, said, time):
    call = f"toolu_{session[:4]}{number}"
    use = {"type": "tool_use", "id": call, "name": "WebSearch", "input": {"query": topic}}
    yield claude(session, f"{call}a", "assistant", [use], time)
    result = {"type": "tool_result", "tool_use_id": call, "is_error": True, "content": said}
    yield claude(session, f"{call}u", "user", [result], time) | {"toolUseResult": said}


def other(session, tool, arguments, time):
    call = f"toolu_{session[:4]}{tool}"
    use = {"type": "tool_use", "id": call, "name": tool, "input": arguments}
    yield claude(session, f"{call}a", "assistant", [use], time)
    result = {"type": "tool_result", "tool_use_id": call, "content": "text"}
    yield claude(session, f"{call}u", "user", [result], time)


def claude(session, uuid, role, content, time):
    return {
        "type": role,
        "uuid": uuid,
        "cwd": "/home/dev/atlas",
        "sessionId": session,
        "version": "2.1.332",
        "timestamp": f"{time}:00.000Z",
        "message": {"role": role, "content": content},
    }


def meta(session, folder, time):
    told = {"id": session, "timestamp": f"{time}:00.000Z", "cwd": folder, "originator": "codex"}
    return {"timestamp": f"{time}:00.000Z", "type": "session_meta", "payload": told}


def through_exa(session, number, topic, urls, time):
    call = f"call_{session[:4]}{number}"
    arguments = json.dumps({"query": topic})
    name = {"namespace": "mcp__exa", "name": "web_search_exa"}
    use = {"type": "function_call", "arguments": arguments, "call_id": call} | name
    yield codex_item(use, time)
    output = "\n\n".join(f"Title: Page\nURL: {url}" for url in urls) or "No results found."
    yield codex_item({"type": "function_call_output", "call_id": call, "output": output}, time)


def hosted(call, topic, time):
    action = {"type": "search", "query": topic}
    return codex_item(
        {"type": "web_search_call", "id": call, "status": "completed", "action": action}, time
    )


def codex_item(payload, time):
    return {"timestamp": f"{time}:00.000Z", "type": "response_item", "payload": payload}


def put(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")
