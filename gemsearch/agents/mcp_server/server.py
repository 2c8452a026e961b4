"""Speaks MCP over standard input and output. Only protocol goes out there.

Calls run in threads, each with a connection of its own: a search of seconds holds up neither the
protocol nor other calls. When the client leaves, cancels or ends the process, a search under way is
given up and its lease is released before the server ends.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4
from weakref import WeakValueDictionary

import anyio
import mcp_types as types
from anyio import from_thread, to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from gemsearch import __version__
from gemsearch.agents.mcp_server import calls, clients
from gemsearch.agents.mcp_server.tools import INSTRUCTIONS, TOOLS
from gemsearch.core.model import Caller
from gemsearch.core.text import clean_block, clean_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from mcp.server.context import ServerRequestContext

    from gemsearch.agents.mcp_server.calls import Answer, Call, Setup
    from gemsearch.agents.mcp_server.tools import Tool

_SEARCHES = 8  # at once; more wait their turn
_QUESTIONS = 4

_log = logging.getLogger("gemsearch")


class Proposer(NamedTuple):
    """Who proposes, as far as the person who set the server up says; the client tells the rest."""

    agent: str | None = None
    session: str | None = None
    project: str | None = None
    private: bool = False


def run(setup: Setup, proposer: Proposer, leave: Callable[[int], NoReturn]) -> None:
    """Serve one client until it leaves; a signal ends the process through `leave`."""
    _log_to_standard_error()
    anyio.run(_Desk(setup, proposer).serve, leave)


class _Desk:
    """One client's server."""

    def __init__(self, setup: Setup, proposer: Proposer) -> None:
        self._setup = setup
        self._proposer = proposer
        self._own_session = str(uuid4())
        self._project = proposer.project or clients.project_in(_folder(), os.path.expanduser("~"))
        self._searches = anyio.CapacityLimiter(_SEARCHES)
        self._questions = anyio.CapacityLimiter(_QUESTIONS)
        self._same_topic = WeakValueDictionary[str, anyio.Lock]()
        self._ended_by: int | None = None  # a signal

    async def serve(self, leave: Callable[[int], NoReturn]) -> None:
        server = Server[Any](
            "gemsearch",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        try:
            async with stdio_server(stdin=_Messages.of_standard_input()) as (reading, writing):
                async with anyio.create_task_group() as serving:
                    serving.start_soon(self._end_on_signal, serving.cancel_scope)
                    await server.run(reading, writing, server.create_initialization_options())
                    serving.cancel_scope.cancel()
                if self._ended_by:
                    leave(128 + self._ended_by)
        except* BrokenPipeError:
            pass  # the client is gone

    async def _list_tools(self, *_: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def _call_tool(
        self, context: ServerRequestContext[Any], asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if asked.name not in {tool.name for tool in TOOLS}:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {clean_line(asked.name, 40)}")
        call = calls.Call(
            asked.name,
            asked.arguments or {},
            self._caller(context),
            self._setup,
            from_thread.check_cancelled,
        )
        return _result(await self._answered(call))

    async def _answered(self, call: Call) -> Answer:
        if call.tool != "search":
            return await _in_thread(call, self._questions)
        # A lease does not hold up its own session, so two equal calls would make two searches.
        key = calls.topic_key(call.arguments)
        async with self._same_topic.setdefault(key, anyio.Lock()):
            return await _in_thread(call, self._searches)

    def _caller(self, context: ServerRequestContext[Any]) -> Caller:
        meta = dict(context.meta or {})
        client = context.session.client_params
        told = clients.agent_named(client.client_info.name) if client else None
        agent = self._proposer.agent or told
        session = self._proposer.session or clients.session_of(agent, meta, os.environ)
        return Caller(
            "mcp",
            agent,
            session or self._own_session,
            self._project,
            clients.call_id_of(agent, meta),
            private=self._proposer.private,
        )

    async def _end_on_signal(self, serving: anyio.CancelScope) -> None:
        names = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
        with anyio.open_signal_receiver(*names) as signals:
            async for number in signals:
                self._ended_by = number
                serving.cancel()


async def _in_thread(call: Call, limiter: anyio.CapacityLimiter) -> Answer:
    return await to_thread.run_sync(_answer, call, limiter=limiter)


def _answer(call: Call) -> Answer:
    try:
        return calls.answer(call)
    except Exception as fault:  # noqa: BLE001 - the server must outlive a fault of ours
        _log.exception("%s failed", call.tool)
        reason = f"gemsearch: a fault of its own ({type(fault).__name__}) in {call.tool}"
        return calls.Answer([reason, "Its standard error has the details."], {}, failed=True)


def _result(answer: Answer) -> types.CallToolResult:
    """A refusal is an answer like any other. What failed is an error, and has its words.

    Clients that find structured content show their model that and not the words; the reason of a
    failure would be lost to it, so the values of a failure travel beside.
    """
    text: list[types.ContentBlock] = [types.TextContent(text="\n".join(answer.lines))]
    if answer.failed:
        return types.CallToolResult(content=text, is_error=True, _meta={"gemsearch": answer.values})
    return types.CallToolResult(content=text, structured_content=answer.values)


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input,
        output_schema=tool.output,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads_only,
            destructive_hint=False,
            idempotent_hint=tool.reads_only,
            open_world_hint=tool.open_world,
        ),
    )


class _Messages(anyio.AsyncFile[str]):
    """Lines of standard input, one message each.

    Waiting for one can be given up, which the SDK's own reader can't. Children that a provider
    starts find an empty standard input.
    """

    @classmethod
    def of_standard_input(cls) -> _Messages:
        wire = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        return cls(open(wire, encoding="utf-8", errors="replace"))

    async def readline(self) -> str:
        line = await to_thread.run_sync(self.wrapped.readline, abandon_on_cancel=True)
        return _whole(line)


def _whole(line: str) -> str:
    r"""Put a question mark for half a character (`\ud800`), or the SDK drops the message unread."""
    if "\\ud" not in line.lower():
        return line
    try:
        message = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return message.encode("utf-8", "replace").decode() + "\n"


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was deleted
        return ""


class _Cleaned(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return clean_block(super().format(record))


def _log_to_standard_error() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Cleaned("%(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
