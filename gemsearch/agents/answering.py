"""Reads one event of an agent, has it decided, and answers once and in time, whatever happens."""

from __future__ import annotations

import _thread
import os
from typing import TYPE_CHECKING, NoReturn

from gemsearch.agents.event import BEFORE, DENY, UNCHECKED, Decision

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from gemsearch.agents.event import Event

# From here to the answer. The agent waits for two seconds at most, the interpreter's start
# included.
SECONDS = 1.5
SECONDS_TO_LEAVE = 0.2  # what is left for the log when they are over
MOST_BYTES = 16 * 1024 * 1024  # of a payload

ADAPTERS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "shims",
    "pi": "shims",
    "omp": "shims",
    "copilot": "copilot",
    "cursor": "cursor",
}
_MODES = ("deny", "warn", "record")


class Unreadable(Exception):
    """A payload that says too little to decide about."""


class Hook:
    """One call: its options, what is known of the event, and the one answer."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.agent = ""
        self.ledger = ""
        self.modes = {"--mode": "", "--source-mode": ""}
        self.fail_closed = False
        self.event: Event | None = None
        self._problems: list[BaseException | str] = []
        self._adapter: ModuleType | None = None
        self._answering = _thread.allocate_lock()
        self._read(arguments)

    def start(self) -> None:
        """Be ready to answer, and answer in time whatever happens."""
        if self.agent not in ADAPTERS:
            raise Unreadable(f"there is no agent {self.agent!r}")
        name = f"gemsearch.agents.adapters.{ADAPTERS[self.agent]}"
        self._adapter = __import__(name, fromlist=["event_of"])  # start-up: importlib is dearer
        _thread.start_new_thread(self._watch, ())

    def read_event(self) -> Event | None:
        """The event on standard input; None for one that is not a hook's matter."""
        import json

        text = _standard_input().decode("utf-8", "replace")
        payload = json.loads(text, parse_constant=lambda _: None)  # NaN is no JSON
        if not isinstance(payload, dict) or self._adapter is None:
            raise Unreadable("the payload is no JSON object")
        event: Event | None = self._adapter.event_of(payload)
        self.event = event and event._replace(agent=self.agent)
        return self.event

    def report(self, problem: BaseException | str) -> None:
        self._problems.append(problem)

    def leave(self, decision: Decision) -> NoReturn:
        """Answer once, tell the log of what went wrong, and end."""
        self._answering.acquire()  # for good: if the time is over, the watch answers and ends
        self._write(decision)
        self._tell_log()
        os._exit(0)

    def unchecked(self) -> Decision:
        """What to answer when nothing could be decided. After a search nothing is held back."""
        before = self.event is None or self.event.phase == BEFORE
        return Decision(DENY, UNCHECKED) if self.fail_closed and before else Decision()

    def _watch(self) -> None:
        over = _thread.allocate_lock()
        over.acquire()
        over.acquire(timeout=SECONDS)
        if self._answering.acquire(blocking=False):
            self._write(self.unchecked())
            self.report(f"no decision within {SECONDS} s")
            _thread.start_new_thread(self._tell_log, ())
        over.acquire(timeout=SECONDS_TO_LEAVE)
        os._exit(0)

    def _write(self, decision: Decision) -> None:
        left = self._answer(decision).encode("ascii")
        try:
            while left:
                left = left[os.write(1, left) :]
        except OSError as problem:  # nobody listens
            self.report(problem)

    def _answer(self, decision: Decision) -> str:
        if self._adapter is None:
            return ""
        try:
            return str(self._adapter.answer_to(decision, self.event))
        except Exception as problem:  # noqa: BLE001 - the agent gets a whole answer, whatever comes
            self.report(problem)
            return str(self._adapter.answer_to(Decision(), None))

    def _tell_log(self) -> None:
        if not self._problems:
            return
        from gemsearch.agents import log

        phase = self.event.phase if self.event else "?"
        for problem in self._problems:
            log.write(self.ledger, self.agent, phase, problem)

    def _read(self, arguments: Sequence[str]) -> None:
        """The options. One that can't be understood is reported and left out."""
        words = list(arguments)
        while words:
            word = words.pop(0)
            name, given, value = word.partition("=")
            if word == "--fail-closed":
                self.fail_closed = True
            elif name == "--db" or name in self.modes:
                self._set(name, value if given else words.pop(0) if words else "")
            elif not self.agent and not word.startswith("-"):
                self.agent = word
            else:
                self.report("an option is not known")

    def _set(self, name: str, value: str) -> None:
        if name == "--db":
            self.ledger = value
        elif value in _MODES:
            self.modes[name] = value
        else:
            self.report(f"{name} is {', '.join(_MODES[:-1])} or {_MODES[-1]}")


def run(arguments: Sequence[str]) -> NoReturn:
    """Answer one event on standard input, and end the process."""
    hook = Hook(arguments)
    try:
        _occupy_standard_streams()
        hook.start()
        decision = _decision(hook)
    except Unreadable as problem:
        hook.report(str(problem))
        decision = hook.unchecked()
    except BaseException as problem:  # noqa: BLE001 - no fault of ours may block the agent
        hook.report(problem)
        decision = hook.unchecked()
    hook.leave(decision)


def _decision(hook: Hook) -> Decision:
    event = hook.read_event()
    if event is None:
        hook.report("the event is none of a hook's")
        return Decision()
    from gemsearch.toolcalls import names

    if names.kind_of(event.tool, event.server) in {names.OWN, names.FETCH}:
        return Decision()
    from datetime import UTC, datetime

    from gemsearch.agents import deciding

    if not hook.ledger:
        from gemsearch.config import default_ledger_path

        hook.ledger = default_ledger_path()
    hook.ledger = os.path.abspath(hook.ledger)
    kind, topics = deciding.searched_for(event)
    if kind == names.OTHER:
        tools = deciding.tools_named(hook.ledger, hook.report)
        kind, topics = deciding.searched_for(event, tools)
    if kind != names.SEARCH:
        return Decision()
    if not topics:
        raise Unreadable("the call has no topic")
    modes = hook.modes["--mode"], hook.modes["--source-mode"]
    now = datetime.now(UTC)
    return deciding.decide(deciding.Asked(event, topics, hook.ledger, *modes, now, hook.report))


def _standard_input() -> bytes:
    parts = []
    left = MOST_BYTES
    while left > 0 and (part := os.read(0, 1 << 20)):
        parts.append(part)
        left -= len(part)
    if left <= 0:
        raise Unreadable("the payload is too large")
    return b"".join(parts)


def _occupy_standard_streams() -> None:
    """A closed one would be given to the next file opened, and the answer written into that."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
