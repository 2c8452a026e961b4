"""Tries the hooks and MCP servers that are installed: `gemsearch doctor` shows what it finds.

Each hook's own command gets a search that a ledger made for this covers, and must refuse it. The
real ledger is not touched. A command from a project's configuration is run only if `install` put it
there on this machine: a folder from elsewhere must not choose what doctor runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.agents import log
from gemsearch.agents.installing import carrying_out, codex_trust, commands, files, receipts
from gemsearch.agents.installing.agents import AGENTS, Wish
from gemsearch.agents.installing.commands import Choices
from gemsearch.care.finding import ERROR, NOTE, WARNING, Finding
from gemsearch.errors import GemsearchError
from gemsearch.ledger.times import iso

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from gemsearch.agents.installing.agents import Part

SLOW_SECONDS = 2.0
_MOST_SECONDS = 10.0
_TOPIC = "gemsearch doctor covered topic"
_LOG_DAYS = 7


class Installed(NamedTuple):
    """A file in which something of ours stands. `is_known`: we may run what it says."""

    agent: str
    part: Part
    text: str
    project: str
    is_known: bool

    def finding(self, severity: str, message: str, command: str = "") -> Finding:
        return Finding(severity, f"agent {self.agent}", message, command)


def findings(ledger: str, now: datetime) -> list[Finding]:
    """What a person should know of the agents: of their set-up, and of hooks that failed lately."""
    found: list[Finding] = []
    places = list(_places(found))
    if places:
        with tempfile.TemporaryDirectory(prefix="gemsearch-doctor-") as folder:
            covered = _covered_ledger(folder)
            for place in places:
                found += _of_place(place, covered)
    return [*found, *_of_log(ledger, now)]


# Where gemsearch is installed


def _places(found: list[Finding]) -> Iterator[Installed]:
    """Each file once. What can't be read is added to `found`."""
    known = receipts.every()
    asked = [(agent, "") for agent in AGENTS] + [(agent, _here()) for agent in AGENTS]
    asked += [(receipt.agent, receipt.project) for receipt in known]
    seen: set[str] = set()
    for agent, project in asked:
        for part in _parts(agent, project):
            if part.path in seen:
                continue
            seen.add(part.path)
            has_receipt = any(receipt.path == part.path for receipt in known)
            try:
                contents = files.read(part.path)
                if contents and carrying_out.is_in(part, contents):
                    is_known = not project or has_receipt
                    yield Installed(agent, part, contents.text, project, is_known)
            except GemsearchError as error:
                if has_receipt:
                    found.append(Finding(ERROR, f"agent {agent}", error.message, error.hint))


def _parts(agent: str, project: str) -> list[Part]:
    try:
        known = AGENTS.get(agent)
        return known.parts(Wish(project, Choices())) if known else []
    except GemsearchError:
        return []  # no home directory, so no configuration of the user's own


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # the folder is gone; the user's own configuration is asked for anyway


# What is wrong with it


def _of_place(place: Installed, covered: str) -> Iterator[Finding]:
    mend = f"gemsearch install {place.agent}"
    found = place.part.found(place.text)
    if not found:
        yield place.finding(WARNING, f"{place.part.path} was damaged by hand", mend)
    for words in found:
        yield from _of_command(place, words, covered, mend)
    yield from _ungated(place)


def _of_command(
    place: Installed, words: Sequence[str], covered: str, mend: str
) -> Iterator[Finding]:
    path = place.part.path
    if not _is_plain(place, words):
        message = f"the command in {path} is not as `install` writes it: not tried"
        yield place.finding(NOTE, message, mend)
    elif not place.is_known:
        yield place.finding(NOTE, f"{path} was not written on this machine: not tried", mend)
    elif shutil.which(words[0]) is None:
        yield place.finding(ERROR, f"{path} runs {words[0]}, which is not there", mend)
    elif commands.is_server(words):
        yield from _tried_server(place, words, mend)
    else:
        yield from _tried_hook(place, words, covered, mend)


def _is_plain(place: Installed, words: Sequence[str]) -> bool:
    """Whether the command is one of ours and nothing besides, by a program that is no project's."""
    if place.project and (not os.path.isabs(words[0]) or _is_within(place.project, words[0])):
        return False
    hook = ["-P", "-m", commands.HOOK_MODULE, place.agent]
    return commands.is_server(words) or list(words[1:5]) == hook


def _is_within(folder: str, path: str) -> bool:
    return os.path.commonpath([os.path.realpath(folder), os.path.realpath(path)]) == (
        os.path.realpath(folder)
    )


def _tried_hook(
    place: Installed, words: Sequence[str], covered: str, mend: str
) -> Iterator[Finding]:
    payload = PAYLOADS[place.agent]
    done, seconds = _run([*words, "--db", covered, "--mode", "deny"], json.dumps(payload))
    path = place.part.path
    if done is None:
        message = f"the hook in {path} did not answer within {_MOST_SECONDS:.0f} s"
        yield place.finding(ERROR, message, mend)
    elif done.returncode != 0:
        yield place.finding(ERROR, f"the hook in {path} failed: {_last_line(done.stderr)}", mend)
    elif not _refuses(place.agent, done.stdout):
        yield place.finding(ERROR, f"the hook in {path} let a covered topic through", mend)
    elif seconds > SLOW_SECONDS:
        message = f"the hook in {path} took {seconds:.1f} s: agents wait for it at every search"
        yield place.finding(WARNING, message)


def _tried_server(place: Installed, words: Sequence[str], mend: str) -> Iterator[Finding]:
    client = {"name": "gemsearch doctor", "version": "1"}
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
    done, _ = _run(words, json.dumps(request) + "\n")
    path = place.part.path
    if done is None:
        yield place.finding(ERROR, f"the MCP server in {path} did not answer", mend)
    elif not _is_initialized(done.stdout):
        message = f"the MCP server in {path} does not start: {_last_line(done.stderr)}"
        yield place.finding(ERROR, message, mend)


def _ungated(place: Installed) -> Iterator[Finding]:
    if not AGENTS[place.agent].gated:
        yield place.finding(NOTE, "its own web search can't be gated; our MCP server is set up")
    if place.agent != "codex" or not place.part.path.endswith("hooks.json"):
        return
    toml = os.path.join(os.path.dirname(place.part.path), "config.toml")
    settings = codex_trust.settings(toml)
    if not codex_trust.search_is_off(settings):
        yield place.finding(
            NOTE,
            "its own web search is on and can't be hooked",
            "gemsearch install codex --mediate",
        )
    if codex_trust.unreviewed(place.part.path, place.text, settings):
        message = "its hooks were not reviewed since they were last changed: Codex skips them"
        yield place.finding(WARNING, message, "type /hooks in Codex")


def _of_log(ledger: str, now: datetime) -> Iterator[Finding]:
    since = iso(now - timedelta(days=_LOG_DAYS))
    recent = [line for line in log.entries(ledger, most=1000) if line >= since]
    if recent:
        times = "once" if len(recent) == 1 else f"{len(recent)} times"
        yield Finding(
            WARNING, "hooks", f"hooks failed {times} in {_LOG_DAYS} days, lastly: {recent[-1]}"
        )


# Trying a command


def _covered_ledger(folder: str) -> str:
    """A ledger that holds the topic which the payloads propose."""
    import gemsearch

    path = os.path.join(folder, "gems.db")
    with gemsearch.open(path) as ledger:
        ledger.record(_TOPIC, [gemsearch.Result("https://example.org/doctor", "Doctor")])
    return path


def _run(words: Sequence[str], sent: str) -> tuple[subprocess.CompletedProcess[str] | None, float]:
    """What came of a command, None when it took too long, and the seconds it took."""
    started = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - our own commands only, see _is_plain
            words,
            input=sent,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, _MOST_SECONDS
    except OSError as fault:
        done = subprocess.CompletedProcess(list(words), 127, "", fault.strerror or str(fault))
    return done, time.monotonic() - started


def _refuses(agent: str, said: str) -> bool:
    answer = _object(said)
    if agent == "gemini":
        return answer.get("decision") == "deny"
    if agent in {"claude-code", "codex"}:
        specific = answer.get("hookSpecificOutput")
        return isinstance(specific, dict) and specific.get("permissionDecision") == "deny"
    return isinstance(answer.get("deny"), str)


def _is_initialized(said: str) -> bool:
    return isinstance(_object(said.partition("\n")[0]).get("result"), dict)


def _object(said: str) -> dict[str, object]:
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1]


_CLAUDE_SHAPED = {
    "session_id": "doctor",
    "transcript_path": None,
    "cwd": "/",
    "hook_event_name": "PreToolUse",
    "tool_use_id": "doctor",
    "tool_input": {"query": _TOPIC},
}


def _of_shim(agent: str, tool: str, given: object) -> dict[str, object]:
    call = {"agent": agent, "event": "pre", "tool": tool, "session": "doctor", "cwd": "/"}
    return call | {"call_id": "doctor", "input": given}


# As the agents send them.
PAYLOADS: Mapping[str, Mapping[str, object]] = {
    "claude-code": _CLAUDE_SHAPED | {"tool_name": "WebSearch"},
    "codex": _CLAUDE_SHAPED | {"tool_name": "mcp__exa__web_search_exa", "turn_id": "doctor"},
    "gemini": {
        "session_id": "doctor",
        "transcript_path": "",
        "cwd": "/",
        "hook_event_name": "BeforeTool",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "tool_name": "google_web_search",
        "tool_input": {"query": _TOPIC},
    },
    "opencode": _of_shim("opencode", "websearch", {"query": _TOPIC}),
    "pi": _of_shim("pi", "bash", {"command": f'brave-search/search.js "{_TOPIC}"'}),
    "omp": _of_shim("omp", "web_search", {"query": _TOPIC}),
}
