"""`gemsearch mcp` as clients meet it: a process of its own, real pipes, the SDK's own client."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import jsonschema
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation

from gemsearch import __version__
from gemsearch.agents.mcp_server import calls, server

PAGES = [f"https://example.org/{n}" for n in range(4)]


class Talk:
    """A connected client, driven from ordinary code."""

    def __init__(self, portal, client) -> None:
        self.portal, self.client = portal, client

    def tools(self):
        return self.portal.call(self.client.list_tools).tools

    def call(self, tool, **arguments):
        return self.portal.call(self.client.call_tool, tool, arguments)

    def status(self, tool, **arguments):
        return self.call(tool, **arguments).structured_content["status"]


@contextmanager
def connected(gemsearch, *options, name="claude-code", mode="auto", cwd=None, **env):
    """A client of a server process; what the server says on standard error is in `errors.txt`."""
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "gemsearch", "mcp", *options],
        env=gemsearch.env | env,
        cwd=cwd,
    )
    with (
        gemsearch.replay.with_name("errors.txt").open("a") as errlog,
        start_blocking_portal() as portal,
    ):
        client = Client(
            stdio_client(started, errlog),
            client_info=Implementation(name=name, version="1"),
            mode=mode,
            read_timeout_seconds=30,
        )
        with portal.wrap_async_context_manager(client):
            yield Talk(portal, client)


def rows(gemsearch, sql):
    connection = sqlite3.connect(f"file:{gemsearch.ledger}?mode=ro", uri=True)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def wait_until(happened):
    """Wait for what another process does; a test that waits in vain fails."""
    for _ in range(600):
        if happened():
            return
        time.sleep(0.05)
    pytest.fail("it never happened")


def leased(gemsearch):
    open_rows = "SELECT count(*) FROM searches WHERE lease_until IS NOT NULL"
    try:
        return rows(gemsearch, open_rows) == [(1,)]
    except sqlite3.OperationalError:  # no ledger yet
        return False


def test_an_agent_goes_through_the_loop(gemsearch, tmp_path):
    gemsearch.finds("gitleaks hook", *PAGES)
    gemsearch.finds("secret scanning in commits", *PAGES)
    gemsearch.finds("bad day", error="rate_limited", retry_after=30)
    folder = tmp_path / "project"
    folder.mkdir()
    with connected(gemsearch, cwd=folder, CLAUDE_CODE_SESSION_ID="session-1") as agent:
        assert [tool.name for tool in agent.tools()] == [
            "search",
            "check",
            "record",
            "explain",
            "recent",
        ]
        novel = agent.call("search", topic="gitleaks hook")
        assert novel.structured_content["status"] == "novel"
        assert novel.content[0].text.startswith("NOVEL - recorded as #1: gitleaks hook")

        repeat = agent.call("search", topic="Hook: gitleaks")
        assert not repeat.is_error, "a refusal is an answer like any other"
        assert repeat.structured_content["gem"]["id"] == 1
        assert repeat.content[0].text.startswith("DUPLICATE - already covered: #1")

        reworded = agent.call("search", topic="secret scanning in commits").structured_content
        assert (reworded["status"], reworded["gate"]) == ("duplicate", "source")

        failed = agent.call("search", topic="bad day")
        assert failed.is_error
        assert failed.structured_content is None, "clients would show it in place of the reason"
        assert failed.meta["gemsearch"]["exit_code"] == 4
        assert "replay: recorded failure (rate limited)" in failed.content[0].text

        assert agent.status("check", topic="zanzibar nightjar") == "novel"
        assert agent.status("explain", topic="gitleaks hooks") == "duplicate"
        found = agent.call("record", topic="zanzibar nightjar", results=["https://example.net/"])
        assert found.structured_content["gem_id"] == 2
        [newest, _] = agent.call("recent").structured_content["gems"]
        assert newest["topic"] == "zanzibar nightjar"
    stored = rows(gemsearch, "SELECT DISTINCT origin, agent, session, project FROM gems")
    assert stored == [("mcp", "claude-code", "session-1", str(folder))]


def test_the_tools_describe_themselves(gemsearch):
    with connected(gemsearch) as agent:
        for tool in agent.tools():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            assert tool.input_schema["additionalProperties"] is False
            assert tool.annotations.destructive_hint is False
            assert len(tool.description) < 600
        writing = {t.name for t in agent.tools() if not t.annotations.read_only_hint}
        assert writing == {"search", "record"}
        [reaching_out] = [t.name for t in agent.tools() if t.annotations.open_world_hint]
        assert reaching_out == "search"
        with pytest.raises(MCPError, match="there is no tool frobnicate"):
            agent.call("frobnicate")


def test_clients_of_the_older_protocol_are_served_as_well(gemsearch, tmp_path):
    gemsearch.finds("gitleaks hook", *PAGES)
    options = ("--private", "--project", "demo", "--profile", "strict")
    with connected(gemsearch, *options, name="Some Client", mode="legacy") as agent:
        assert agent.client.server_info.version == __version__
        assert "farther afield" in agent.client.instructions
        assert agent.status("search", topic="gitleaks hook") == "novel"
        assert agent.call("explain", topic="hooks").structured_content["profile"] == "strict"
    [(agent_name, session, *others)] = rows(
        gemsearch, "SELECT agent, session, project, visibility FROM gems"
    )
    assert agent_name == "Some Client"
    assert len(session) == 36, "a session of the server's own"
    assert others == ["demo", "private"]


def test_two_agents_that_propose_a_topic_at_once_search_it_once(gemsearch):
    gemsearch.finds("gitleaks hook", *PAGES, delay=0.5)
    with ExitStack() as both, ThreadPoolExecutor() as at_once:
        agents = [both.enter_context(connected(gemsearch, name=name)) for name in ("one", "two")]
        asked = [at_once.submit(a.status, "search", topic="gitleaks hook") for a in agents]
        statuses = {each.result() for each in asked}
    assert statuses in ({"novel", "pending"}, {"novel", "duplicate"})
    assert rows(gemsearch, "SELECT count(*) FROM gems") == [(1,)]


def test_one_agent_that_proposes_a_topic_twice_at_once_searches_it_once(gemsearch):
    gemsearch.finds("gitleaks hook", *PAGES, delay=0.5)
    with connected(gemsearch) as agent, ThreadPoolExecutor() as at_once:
        asked = [
            at_once.submit(agent.status, "search", topic=topic)
            for topic in ("gitleaks hook", "Hook gitleaks")
        ]
        wait_until(lambda: leased(gemsearch))
        # Neither the protocol nor other calls wait for the search.
        assert agent.status("check", topic="zanzibar nightjar") == "novel"
        assert leased(gemsearch)
        assert sorted(each.result() for each in asked) == ["duplicate", "novel"]
    answered = "SELECT count(*) FROM searches WHERE provider IS NOT NULL"
    assert rows(gemsearch, answered) == [(1,)]


# Without the client's help


class Wire:
    """A server process and its pipes: what no well-behaved client would send."""

    def __init__(self, gemsearch) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gemsearch", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=gemsearch.env,
        )
        client = {"name": "wire", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.send(id=0, method="initialize", params=hello)
        self.send(method="notifications/initialized")

    def send(self, **message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0"} | message).encode())

    def send_bytes(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def call(self, number, tool, **arguments):
        self.send(id=number, method="tools/call", params={"name": tool, "arguments": arguments})

    def answer(self, number):
        for line in self.process.stdout:
            message = json.loads(line)  # nothing but protocol
            if message.get("id") == number:
                return message.get("result") or message["error"]
        raise AssertionError(self.process.stderr.read().decode())


@pytest.fixture
def wire(gemsearch):
    gemsearch.finds("gitleaks hook", *PAGES, delay=20)
    made = Wire(gemsearch)
    patience = threading.Timer(60, made.process.kill)  # or a missing answer is waited for for ever
    patience.start()
    yield made
    patience.cancel()
    made.process.kill()
    with made.process:  # closes its pipes
        pass


def test_the_server_outlives_hostile_input(gemsearch, wire):
    wire.answer(0)
    for line in (b"", b"nonsense", b"[" * 100_000, b'{"id": 1}', b"\xff\xfe\0", b'"\\ud800"'):
        wire.send_bytes(line)
    wire.call(1, "check", topic="x" * 100_000)
    wire.call(2, "check", topic="git\0leaks \ud800\x1b[31m hook")
    wire.call(3, "check", topic={"a": ["deep"] * 1000})
    wire.call(4, "record", topic="many", results=[{"url": "https://a.org", "title": "t"}] * 10_000)
    wire.call(5, "no such tool" * 10_000)
    wire.send(id=6, method="tools/call", params={"name": "check", "arguments": "topic"})
    wire.send(id=7, method="tools/call", params={"name": 7})
    wire.send(id=8, method="frobnicate", params={})
    wire.call(9, "check", topic="zanzibar nightjar")
    found = {}
    while not {1, 2, 3, 4, 5, 6, 7, 8, 9} <= set(found):
        message = json.loads(wire.process.stdout.readline())
        found[message.get("id")] = message.get("result") or message["error"]
        assert len(json.dumps(message)) < 5000
    assert found[2]["structuredContent"]["topic"] == "gitleaks ? hook"
    assert [found[number]["isError"] for number in (1, 3, 4)] == [True, True, True]
    assert {found[number]["code"] for number in (5, 6, 7)} == {-32602}
    assert found[8]["code"] == -32601
    assert found[9]["structuredContent"]["status"] == "novel"


def test_a_search_that_is_cancelled_ends_its_lease(gemsearch, wire):
    wire.call(1, "search", topic="gitleaks hook")
    wait_until(lambda: leased(gemsearch))
    wire.send(method="notifications/cancelled", params={"requestId": 1})
    wait_until(lambda: not leased(gemsearch))
    assert rows(gemsearch, "SELECT state, gem_id FROM searches") == [("released", None)]
    gemsearch.finds("gitleaks hook", *PAGES)
    wire.call(2, "search", topic="gitleaks hook")
    assert wire.answer(2)["structuredContent"]["status"] == "novel"


def test_a_client_that_leaves_takes_its_search_along(gemsearch, wire):
    wire.call(1, "search", topic="gitleaks hook")
    wait_until(lambda: leased(gemsearch))
    wire.process.stdin.close()
    assert wire.process.wait(15) == 0
    assert rows(gemsearch, "SELECT state, gem_id FROM searches") == [("released", None)]
    assert "Traceback" not in wire.process.stderr.read().decode()


def test_a_client_that_listens_no_longer_is_not_waited_for(wire):
    wire.answer(0)
    wire.process.stdout.close()
    wire.call(1, "check", topic="zanzibar nightjar")
    assert wire.process.wait(15) == 0
    assert "Traceback" not in wire.process.stderr.read().decode()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_the_lease(gemsearch, wire, number):
    wire.call(1, "search", topic="gitleaks hook")
    wait_until(lambda: leased(gemsearch))
    os.kill(wire.process.pid, number)
    assert wire.process.wait(15) == 128 + number
    assert rows(gemsearch, "SELECT state, gem_id FROM searches") == [("released", None)]


def test_a_fault_of_ours_is_an_answer_too(caplog):
    nobody = calls.Call("explain", {"topic": "gitleaks"}, None, calls.Setup("gems.db"), None)
    answer = server._answer(nobody)
    assert answer.failed
    assert answer.lines[0] == "gemsearch: a fault of its own (AttributeError) in explain"
    assert "Traceback" in caplog.text, "the details go to standard error"


def test_without_a_client_it_ends(gemsearch):
    closed = ["sh", "-c", f"exec '{sys.executable}' -m gemsearch mcp <&-"]
    ran = subprocess.run(closed, env=gemsearch.env, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_without_the_sdk_it_says_what_to_type(gemsearch, tmp_path):
    """The same for an SDK that is too old: its types lie elsewhere."""
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    (shadow / "mcp_types.py").write_text("raise ModuleNotFoundError(name='mcp_types')")
    path = os.pathsep.join([str(shadow), gemsearch.env["PYTHONPATH"]])
    ran = gemsearch("mcp", PYTHONPATH=path)
    assert ran.code == 5
    assert ran.out == ""
    assert "needs the MCP SDK" in ran.err
    assert "pip install 'gemsearch[mcp]'" in ran.err
