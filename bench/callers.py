"""Workers of `load.py`: each makes one call after the other and writes each down.

A call is a command or a hook in a process of its own, forked where all modules are imported, or one
of the library on a connection that stays open.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

LONGEST = 60  # seconds after which a call counts as hung
TOPICS_A_SECOND, WINDOW = 12, 40
SHARES = {"search": 3, "check": 3, "record": 2, "hook": 2}
READY = """
gemsearch.cli gemsearch.cli.search gemsearch.cli.record gemsearch.cli.check gemsearch.novelty
gemsearch.config gemsearch.core.results gemsearch.core.secrets gemsearch.ledger.opening
gemsearch.ledger.pace gemsearch.ledger.reading gemsearch.ledger.index.upkeep
gemsearch.providers.registry gemsearch.providers.searxng gemsearch.providers.http httpx
gemsearch.agents.hook gemsearch.agents.before gemsearch.agents.after gemsearch.agents.deciding
gemsearch.agents.adapters.claude_code gemsearch.toolcalls.answers gemsearch.library
""".split()


class Call(NamedTuple):
    """One line of a journal. `outcome` is an exit code, a status of the library, or a complaint."""

    kind: str
    topic: str
    outcome: int | str
    gem_id: int | None
    seconds: float


class Ran(NamedTuple):
    code: int
    out: str


def topic_of(number: int) -> str:
    return f"subject{number} aspect{number % 7} {chr(97 + number % 26) * 6}"


def addresses(topic: str) -> list[str]:
    return [f"https://example.org/{quote(topic)}/{n}" for n in range(5)]


class Worker:
    """Calls one after the other until the time is over, and writes each down."""

    def __init__(self, number: int, folder: Path, begun: float, ends: float) -> None:
        self._random = Random()
        self._folder = folder
        self._begun = begun
        self._ends = ends
        self._session = f"session {os.getpid()} {number}"
        self._known: list[str] = []
        self._journal = (folder / "journals" / f"{os.getpid()}.jsonl").open("a", buffering=1)
        self._complaints = folder / "journals" / f"{os.getpid()}.stderr"

    def run(self, pick: Callable[[], str]) -> None:
        while time.monotonic() < self._ends:
            kind, topic = pick(), self._topic()
            started = time.perf_counter()
            outcome, gem_id = getattr(self, f"_{kind}")(topic)
            seconds = time.perf_counter() - started
            if gem_id is not None:
                self._known.append(topic)
            call = Call(kind, topic, outcome, gem_id, seconds)
            self._journal.write(json.dumps(call) + "\n")
        os._exit(0)

    def by_commands(self) -> str:
        return self._random.choices([*SHARES], [*SHARES.values()])[0]

    def by_library(self) -> str:
        time.sleep(0.02)  # else it would be alone on the machine
        return self._random.choice(["library_check", "library_record"])

    def _topic(self) -> str:
        first = int((time.monotonic() - self._begun) * TOPICS_A_SECOND)
        return topic_of(first + self._random.randrange(WINDOW))

    def _search(self, topic: str) -> tuple[int | str, int | None]:
        return self._told(self._command("search", "--json", "--session", self._session, topic))

    def _record(self, topic: str) -> tuple[int | str, int | None]:
        found = [part for url in addresses(topic) for part in ("--url", url)]
        return self._told(self._command("record", "--json", topic, *found))

    def _check(self, topic: str) -> tuple[int | str, int | None]:
        if self._known and self._random.random() < 0.3:
            topic = self._random.choice(self._known)
            ran = self._command("check", topic)
            return (f"lost: {topic}" if ran.code == 0 else ran.code), None
        return self._command("check", topic).code, None

    def _hook(self, topic: str) -> tuple[int | str, int | None]:
        event = {
            "session_id": self._session,
            "cwd": "/project",
            "hook_event_name": "PreToolUse",
            "tool_name": "WebSearch",
            "tool_use_id": os.urandom(8).hex(),
            "tool_input": {"query": topic},
        }
        before = self._event(event)
        if before.code or before.out:
            return self._refused(before), None
        links = [{"title": url, "url": url} for url in addresses(topic)]
        event |= {"hook_event_name": "PostToolUse"}
        event["tool_response"] = {"query": topic, "results": [{"content": links}]}
        after = self._event(event)
        return after.code if after.code or not after.out else "noted", None

    def _event(self, event: dict[str, object]) -> Ran:
        entry = "gemsearch.agents.hook:main"
        return self._command("claude-code", entry=entry, stdin=json.dumps(event))

    def _refused(self, ran: Ran) -> int | str:
        decision = json.loads(ran.out)["hookSpecificOutput"]["permissionDecision"]
        return "denied" if (ran.code, decision) == (0, "deny") else f"{ran}"

    def _told(self, ran: Ran) -> tuple[int | str, int | None]:
        """The exit code, and the gem if the answer says that one was recorded."""
        if ran.code not in {0, 2, 4}:
            said = self._complaints.read_text(errors="replace")
            return f"exit {ran.code}: {said.strip().splitlines()[-1:]}", None
        return ran.code, json.loads(ran.out)["gem_id"]

    def _library_check(self, topic: str) -> tuple[int | str, int | None]:
        from gemsearch import errors

        try:
            return self._library.check(topic).status, None
        except errors.LedgerBusy:
            return 4, None

    def _library_record(self, topic: str) -> tuple[int | str, int | None]:
        from gemsearch import errors

        try:
            verdict = self._library.record(topic, addresses(topic))
        except errors.LedgerBusy:
            return 4, None
        return verdict.status, verdict.gem_id

    @property
    def _library(self):
        if not hasattr(self, "_opened"):
            import gemsearch

            self._opened = gemsearch.open(os.environ["GEMSEARCH_DB"])
        return self._opened

    def _command(self, *arguments: str, entry: str = "gemsearch.cli:main", stdin: str = "") -> Ran:
        given, gives = os.pipe()
        said, says = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(LONGEST)
            errors = os.open(self._complaints, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            for number, descriptor in enumerate((given, says, errors)):
                os.dup2(descriptor, number)
            os.closerange(3, 256)
            _become(entry, arguments)
        os.close(given)
        os.close(says)
        with suppress(BrokenPipeError):
            os.write(gives, stdin.encode())
        os.close(gives)
        with os.fdopen(said) as answer:
            out = answer.read()
        return Ran(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), out)


def _become(entry: str, arguments: Iterable[str]) -> None:
    """The child: run one command, as a process that was started for it."""
    module, _, name = entry.partition(":")
    sys.argv = [module, *arguments]
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    try:
        getattr(import_module(module), name)()
    finally:
        sys.stdout.flush()
        os._exit(70)
