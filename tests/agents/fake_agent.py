"""An agent that knows nothing but its hooks' contract: `python fake_agent.py AGENT COMMAND ...`.

Reads steps as JSON lines, runs the hook around an invented search as that agent would, and writes
one line for each: whether the search ran, what the model saw, and which hooks broke the contract.
A step has the events of its calls (`before` and `after`, either may be missing), which of them run
at the same time, and the text that the search would show.

Contracts: an exit code of 2 blocks and the error output is the reason (Copilot: any but 0 denies);
other codes, and answers outside of the schema, are failed hooks: the tool runs, and nothing of the
answer is used. Codex takes no unknown field and needs `{}` where nothing is said.
"""

from __future__ import annotations

import json
import subprocess
import sys

PRE = {"hookEventName": str, "permissionDecision": str, "permissionDecisionReason": str,
       "additionalContext": str}  # fmt: skip
POST = {"hookEventName": str, "additionalContext": str, "updatedToolOutput": object}
SCHEMAS = {
    ("claude-code", "before"): {"hookSpecificOutput": PRE},
    ("claude-code", "after"): {"hookSpecificOutput": POST, "decision": str, "reason": str},
    ("codex", "before"): {"hookSpecificOutput": PRE},
    ("codex", "after"): {"hookSpecificOutput": POST, "decision": str, "reason": str},
    ("gemini", "before"): {"decision": str, "reason": str},
    ("gemini", "after"): {
        "decision": str,
        "reason": str,
        "hookSpecificOutput": {"hookEventName": str, "additionalContext": str},
    },
    ("copilot", "before"): {"permissionDecision": str, "permissionDecisionReason": str},
    ("copilot", "after"): {
        "modifiedResult": {"resultType": str, "textResultForLlm": str},
        "additionalContext": str,
    },
    ("cursor", "before"): {"permission": str, "user_message": str, "agent_message": str},
    ("cursor", "after"): {},
    ("shim", "before"): {"deny": str, "note": str},
    ("shim", "after"): {"note": str, "replace": str},
}
EVENTS = {
    ("claude-code", "before"): "PreToolUse",
    ("claude-code", "after"): "PostToolUse",
    ("codex", "before"): "PreToolUse",
    ("codex", "after"): "PostToolUse",
    ("gemini", "after"): "AfterTool",
}
SILENT = {"claude-code", "gemini"}  # no output lets the call go on


class Broken(Exception):
    """The hook did not keep to the contract."""


def main() -> None:
    agent, *command = sys.argv[1:]
    for line in sys.stdin:
        sys.stdout.write(json.dumps(step(agent, command, json.loads(line))) + "\n")
        sys.stdout.flush()


def step(agent: str, command: list[str], calls: list[dict]) -> list[dict]:
    """All calls of a step go through each phase at the same time."""
    seen = [{"ran": True, "shown": "", "notes": [], "broken": []} for _ in calls]
    for phase in ("before", "again", "after", "once more"):
        started = [
            start(command, call[phase]) if phase in call and model["ran"] else None
            for call, model in zip(calls, seen, strict=True)
        ]
        for call, model, hook in zip(calls, seen, started, strict=True):
            if hook is not None:
                kind = "before" if phase in {"before", "again"} else "after"
                heed(agent, kind, finished(hook), call, model)
    return seen


def start(command: list[str], event: dict) -> subprocess.Popen:
    hook = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    hook.stdin.write(json.dumps(event).encode())
    hook.stdin.close()
    return hook


def finished(hook: subprocess.Popen) -> tuple[int, str, str]:
    out, err = hook.stdout.read().decode(), hook.stderr.read().decode()
    hook.stdout.close()
    hook.stderr.close()
    return hook.wait(), out, err


def heed(agent: str, phase: str, ran: tuple[int, str, str], call: dict, model: dict) -> None:
    if phase == "after":
        model["shown"] = call.get("text", "")
    try:
        said = answer(agent, phase, ran)
    except Broken as broken:
        model["broken"].append(str(broken))
        if ran[0] == 2 or (agent == "copilot" and phase == "before" and ran[0]):
            model["ran"] = False
        return
    reason, note, instead = meaning(agent, phase, said)
    if reason is not None and phase == "before":
        model["ran"] = False
        model["shown"] = reason
    if instead is not None:
        model["shown"] = instead
    if note is not None:
        model["notes"].append(note)


def answer(agent: str, phase: str, ran: tuple[int, str, str]) -> dict:
    code, out, err = ran
    if code:
        raise Broken(f"exit code {code}")
    if err:
        raise Broken(f"error output: {err}")
    if not out.strip():
        if agent in SILENT:
            return {}
        raise Broken("no answer")
    try:
        said = json.loads(out)
    except ValueError:
        raise Broken(f"no JSON: {out}") from None
    kind = (agent if (agent, phase) in SCHEMAS else "shim", phase)
    keep_to(SCHEMAS[kind], said)
    if agent == "codex" and not said and out.strip() != "{}":
        raise Broken("what allows is {}")
    specific = said.get("hookSpecificOutput")
    if specific and specific["hookEventName"] != EVENTS[agent, phase]:
        raise Broken("an answer to another event")
    return said


def keep_to(schema: dict, said: object) -> None:
    if not isinstance(said, dict):
        raise Broken("no object")
    for name, value in said.items():
        if name not in schema:
            raise Broken(f"unknown field {name}")
        if isinstance(schema[name], dict):
            keep_to(schema[name], value)
        elif not isinstance(value, schema[name]):
            raise Broken(f"{name} is of another type")


def meaning(agent: str, phase: str, said: dict) -> tuple[str | None, str | None, str | None]:
    """Why the call is denied, what is told besides, and what the model sees for the results."""
    specific = said.get("hookSpecificOutput", {})
    if agent in {"claude-code", "codex"}:
        denied = specific.get("permissionDecision") == "deny"
        reason = specific["permissionDecisionReason"] if denied else None
        instead = said["reason"] if said.get("decision") == "block" and agent == "codex" else None
        if "updatedToolOutput" in specific and agent == "claude-code":
            instead = json.dumps(specific["updatedToolOutput"])
        return reason, specific.get("additionalContext"), instead
    if agent == "gemini":
        reason = said["reason"] if said.get("decision") == "deny" else None
        return reason, specific.get("additionalContext"), reason if phase == "after" else None
    if agent == "copilot":
        denied = said.get("permissionDecision") == "deny"
        reason = said["permissionDecisionReason"] if denied else None
        instead = said.get("modifiedResult", {}).get("textResultForLlm")
        return reason, said.get("additionalContext"), instead
    if agent == "cursor":
        return said["agent_message"] if said.get("permission") == "deny" else None, None, None
    return said.get("deny"), said.get("note"), said.get("replace")


if __name__ == "__main__":
    main()
