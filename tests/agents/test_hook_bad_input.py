"""Whatever comes in and whatever state the ledger is in: the agent goes on, with a whole answer."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.agents.conftest import PAGES, TOPIC
from tests.agents.hooked import AGENTS, Call
from tests.agents.told import COVERED, UNCHECKED, denied, says, states_in, topics_in

# Invented, in the shape of a key that is known by its beginning.
SECRET = "AKIA" + "Q7RM2XJ4LHT5VW3B"
NEW = "wood ash glaze recipes"


def claude(**changed: object) -> dict:
    return Call("claude-code", NEW).before() | changed


def allowed(ran, agent: str = "claude-code") -> bool:
    return says(ran, agent, None)


UNREADABLE = {
    "nothing": b"",
    "half": b'{"hook_event_name": "PreToolUse", "tool_na',
    "no object": b"[1, 2]",
    "null": b"null",
    "no JSON": b"\xff\xfe\x00 \x9d",
    "nested": b'{"a":' * 100_000,
}


@pytest.mark.parametrize("payload", UNREADABLE.values(), ids=UNREADABLE)
def test_a_payload_that_can_not_be_read_lets_the_call_go_on(new_hook, payload):
    assert allowed(new_hook(payload, "claude-code"))
    assert len(new_hook.logged()) == 1
    assert not os.path.exists(new_hook.ledger)


@pytest.mark.parametrize("agent", AGENTS)
def test_what_can_not_be_read_is_answered_in_the_agents_own_way(new_hook, agent):
    assert says(new_hook(b"{", agent), agent, None)
    assert says(new_hook(b"{", agent, "--fail-closed"), agent, denied(agent, UNCHECKED))


INCOMPLETE = {
    "no tool": claude(tool_name=None),
    "no arguments": claude(tool_input=None),
    "arguments of another type": claude(tool_input=["query"]),
    "no topic": claude(tool_input={"prompt": "x"}),
    "a topic of another type": claude(tool_input={"query": {"text": NEW}}),
    "nothing but the event": {"hook_event_name": "PreToolUse"},
}


@pytest.mark.parametrize("event", INCOMPLETE.values(), ids=INCOMPLETE)
def test_a_call_that_lacks_something_goes_on(new_hook, event):
    assert allowed(new_hook(event, "claude-code"))
    assert not os.path.exists(new_hook.ledger)


def test_ids_of_another_type_or_without_end_do_no_harm(hook):
    event = claude(session_id=7, tool_use_id="\ud800" + "x" * 100_000, cwd=["/"])
    assert allowed(hook(event, "claude-code"))
    assert states_in(hook) == ["recorded", "open"]


@pytest.mark.parametrize("event", ["PostToolBatch", "Stop", "", 3])
def test_an_unknown_event_is_no_reason_to_deny_even_when_failing_closed(hook, event):
    ran = hook(claude(hook_event_name=event), "claude-code", "--fail-closed")
    assert allowed(ran)
    assert hook.logged()[0].endswith("the event is none of a hook's")


def test_an_unknown_agent_and_unknown_options_are_logged_and_no_more(hook):
    ran = hook(claude(), "bard")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    ran = hook(claude(), "claude-code", "--mode", "nonsense", "--colour", "--source-mode")
    assert allowed(ran)
    assert [line.partition(": ")[2] for line in hook.logged()] == [
        "there is no agent 'bard'",
        "--mode is deny, warn or record",
        "an option is not known",
        "--source-mode is deny, warn or record",
    ]


NO_SEARCHES = {
    "our own server": claude(tool_name="mcp__gemsearch__record", tool_input={"query": NEW}),
    "another's page": claude(tool_name="WebFetch", tool_input={"url": "https://example.com/"}),
    "a tool with a query": claude(tool_name="ToolSearch", tool_input={"query": "select:WebSearch"}),
    "code": claude(tool_name="mcp__github__search_code", tool_input={"query": TOPIC}),
    "a shell": claude(tool_name="Bash", tool_input={"command": f"grep '{TOPIC}' notes"}),
    "our own command": claude(
        tool_name="Bash", tool_input={"command": f"gemsearch search {TOPIC}"}
    ),
}


@pytest.mark.parametrize("event", NO_SEARCHES.values(), ids=NO_SEARCHES)
def test_what_is_no_web_search_of_others_is_let_through(hook, new_hook, event):
    assert allowed(hook(event, "claude-code", "--fail-closed"))
    assert states_in(hook) == ["recorded"]


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("cursor", {"command": "python3 -P -m gemsearch mcp", "tool_name": "search"}),
        ("gemini", {"tool_name": "mcp_gemsearch_search"}),
        ("gemini", {"tool_name": "mcp_s_search", "mcp_context": {"server_name": "gemsearch"}}),
        ("copilot", {"toolName": "gemsearch-search"}),
        ("opencode", {"tool": "gemsearch_search"}),
        ("pi", {"input": {"command": f"cd /tmp && gemsearch search '{TOPIC}'"}}),
    ],
)
def test_our_own_search_is_told_by_each_agents_name_for_it(hook, agent, told):
    assert says(hook(Call(agent, TOPIC).before() | told, agent), agent, None)
    assert states_in(hook) == ["recorded"]


def test_what_is_no_web_search_makes_no_ledger_and_fears_no_damaged_one(new_hook):
    event = NO_SEARCHES["code"]
    assert allowed(new_hook(event, "claude-code", "--fail-closed"))
    assert not os.path.exists(new_hook.ledger)
    with open(new_hook.ledger, "w") as file:
        file.write("nonsense" * 1000)
    assert allowed(new_hook(event, "claude-code", "--fail-closed"))


class TestTopics:
    @pytest.mark.parametrize(
        "topic",
        ["x" * 401, "word " * 33, "!!! ...", "\u200b\u202e"],
        ids=["long", "many", "-", "0"],
    )
    def test_what_no_gate_takes_for_a_topic_is_searched_and_not_recorded(self, hook, topic):
        call = Call("claude-code", topic)
        assert allowed(hook(call.before(), "claude-code"))
        assert allowed(hook(call.after(PAGES), "claude-code"))
        assert topics_in(hook) == [TOPIC]
        assert len(hook.logged()) == 2
        assert topic not in "".join(hook.logged())

    @pytest.mark.parametrize("mode", ["deny", "record"])
    def test_a_secret_is_denied_by_its_kind_and_stored_nowhere(self, new_hook, mode):
        call = Call("claude-code", f"access denied for {SECRET} in bucket policy")
        ran = new_hook(call.before(), "claude-code", "--mode", mode)
        reason = (
            "gemsearch: the search text contains what looks like an AWS access key id. It was not"
            " searched and not stored. Leave it out and search again."
        )
        assert says(ran, "claude-code", denied("claude-code", reason))
        assert not os.path.exists(new_hook.ledger)

    def test_results_of_a_topic_with_a_secret_are_not_stored(self, hook):
        call = Call("claude-code", f"access denied for {SECRET} in bucket policy")
        assert allowed(hook(call.after(PAGES), "claude-code"))
        assert topics_in(hook) == [TOPIC]
        assert SECRET not in "".join(hook.logged())


class TestResults:
    @pytest.mark.parametrize(
        "response",
        [None, 7, "", [], {}, {"results": None}, {"results": [None, 3, {"content": [None]}]}],
        ids=str,
    )
    def test_results_that_can_not_be_read_end_the_lease_and_cover_nothing(self, hook, response):
        call = Call("claude-code", NEW)
        hook(call.before(), "claude-code")
        ran = hook(call.after([]) | {"tool_response": response}, "claude-code")
        assert allowed(ran)
        assert topics_in(hook) == [TOPIC]
        assert states_in(hook)[1] in {"released", "empty"}

    def test_five_megabytes_are_taken_and_a_hundred_results_of_them_kept(self, hook):
        rows = [(f"Page {n} " + "x" * 1500, f"https://example.com/{n}") for n in range(3300)]
        event = Call("claude-code", NEW).after(rows)
        assert len(json.dumps(event)) > 5_000_000
        assert allowed(hook(event, "claude-code"))
        assert topics_in(hook) == [TOPIC, NEW]
        with closing(sqlite3.connect(hook.ledger)) as ledger:
            assert ledger.execute("SELECT result_count FROM gems").fetchall()[1] == (100,)

    def test_a_payload_without_end_is_given_up(self, hook):
        assert allowed(hook(b'{"a": "' + b"x" * 17_000_000 + b'"}', "claude-code"))
        assert hook.logged()[0].endswith("the payload is too large")

    def test_what_is_no_json_number_is_not_passed_on(self, hook):
        event = json.dumps(Call("claude-code", "smoke and sawdust").after(PAGES))
        ran = hook(event.replace("2.5", "NaN").encode(), "claude-code", "--source-mode", "deny")
        found = ran.json["hookSpecificOutput"]["updatedToolOutput"]
        assert found["durationSeconds"] is None


class TestLedgers:
    def test_a_locked_ledger_refuses_what_it_covers_and_lets_the_rest_pass(self, hook):
        with closing(sqlite3.connect(hook.ledger, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            covered = hook(Call("claude-code", TOPIC).before(), "claude-code")
            new = hook(Call("claude-code", NEW).before(), "claude-code")
            after = hook(Call("claude-code", NEW).after(PAGES), "claude-code")
        assert says(covered, "claude-code", denied("claude-code", COVERED))
        assert allowed(new)
        assert allowed(after)
        assert [line.split(": ")[1] for line in hook.logged()] == ["LedgerBusy"] * 3

    def test_a_ledger_of_a_newer_version_is_read_and_never_written(self, hook):
        with closing(sqlite3.connect(hook.ledger)) as ledger:
            ledger.execute("PRAGMA user_version = 99")
        covered = hook(Call("claude-code", TOPIC).before(), "claude-code")
        assert says(covered, "claude-code", denied("claude-code", COVERED))
        assert allowed(hook(Call("claude-code", NEW).before(), "claude-code"))
        assert allowed(hook(Call("claude-code", NEW).after(PAGES), "claude-code"))
        assert states_in(hook) == ["recorded"]

    @pytest.mark.parametrize("contents", [b"", b"SQLite format 3\0 but no more", b"x" * 9000])
    def test_a_file_that_is_no_ledger_is_left_as_it_is(self, new_hook, contents):
        with open(new_hook.ledger, "wb") as file:
            file.write(contents)
        assert allowed(new_hook(claude(), "claude-code"))
        ran = new_hook(claude(), "claude-code", "--fail-closed")
        assert says(ran, "claude-code", denied("claude-code", UNCHECKED))
        with open(new_hook.ledger, "rb") as file:
            assert file.read() == contents
        assert len(new_hook.logged()) == 2

    def test_a_damaged_page_lets_the_search_go_on(self, hook):
        with open(hook.ledger, "r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (os.path.getsize(hook.ledger) - 4096))
        assert allowed(hook(claude(), "claude-code"))
        assert "LedgerDamaged" in hook.logged()[0]

    def test_a_full_disk_lets_the_search_go_on(self, hook):
        full = os.path.getsize(hook.ledger)
        done = subprocess.run(
            hook.command("claude-code"),
            input=json.dumps(Call("claude-code", NEW).after(PAGES)).encode(),
            capture_output=True,
            env=hook.env,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (full // 8, full // 8)),
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert "LedgerFull" in hook.logged()[0]
        assert topics_in(hook) == [TOPIC]

    def test_a_folder_in_place_of_the_ledger_lets_the_search_go_on(self, new_hook):
        os.mkdir(new_hook.ledger)
        assert allowed(new_hook(claude(), "claude-code"))

    def test_without_a_home_there_is_no_ledger_and_the_search_goes_on(self, new_hook):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "gemsearch.agents.hook", "claude-code"],
            input=json.dumps(claude()).encode(),
            capture_output=True,
            env={name: value for name, value in new_hook.env.items() if name != "HOME"}
            | {"HOME": ""},
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


class TestStreams:
    def in_shell(self, hook, redirected: str, event: dict) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["/bin/sh", "-c", f'exec "$@" {redirected}', "sh", *hook.command("claude-code")],
            input=json.dumps(event).encode(),
            capture_output=True,
            env=hook.env,
            check=False,
        )

    @pytest.mark.parametrize("redirected", [">&-", ">&- 2>&-", ">/dev/full"])
    def test_a_closed_output_harms_neither_the_exit_code_nor_the_ledger(self, hook, redirected):
        done = self.in_shell(hook, redirected, Call("claude-code", TOPIC).before())
        assert (done.returncode, done.stderr) == (0, b"")
        with closing(sqlite3.connect(hook.ledger)) as ledger:
            assert ledger.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert ledger.execute("SELECT count(*) FROM rejections").fetchone() == (1,)

    def test_a_folder_that_is_gone_lets_the_call_go_on(self, hook, tmp_path):
        command = [*hook.command("claude-code")[:-1], "gems.db"]  # beside nothing
        gone = f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir {tmp_path}/gone && "
        done = subprocess.run(
            ["/bin/sh", "-c", f'{gone}exec "$@"', "sh", *command],
            input=json.dumps(claude()).encode(),
            capture_output=True,
            env=hook.env,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def test_a_closed_input_lets_the_call_go_on(self, hook):
        done = self.in_shell(hook, "<&-", claude())
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def test_an_input_that_does_not_end_is_answered_all_the_same(self, hook):
        started = subprocess.Popen(
            hook.command("codex"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=hook.env
        )
        started.stdin.write(b'{"hook_event_name":')
        started.stdin.flush()
        assert started.stdout.read() == b"{}"
        assert started.wait() == 0
        started.stdin.close()
        started.stdout.close()
        assert hook.logged()[0].endswith("no decision within 1.5 s")
