"""The shims for opencode, pi and omp: as installed, compiled strictly, and run under Node."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gemsearch.agents.installing import shim

HERE = Path(__file__).parent / "shims"
PACKAGES = HERE / "node_modules"
TOPIC, OTHER = "rye sourdough hydration", "left-handed abacus repair"


@pytest.fixture(scope="module", autouse=True)
def node():
    missing = [what for what in ("node", "npm") if not shutil.which(what)]
    if not missing and not (PACKAGES / ".bin" / "tsc").exists():
        missing = ["TypeScript, which tools/install_typescript.sh installs"]
    if missing and os.environ.get("GEMSEARCH_REQUIRE_NODE") == "1":
        pytest.fail(f"not there: {', '.join(missing)}")
    if missing:
        pytest.skip(f"not there: {', '.join(missing)}")


def compiled(folder, **commands):
    """The installed files with these commands, compiled in a folder of their own."""
    for name in ("tsconfig.json", "package.json", "agent.mjs"):
        shutil.copy(HERE / name, folder)
    (folder / "node_modules").symlink_to(PACKAGES)
    for agent, words in commands.items():
        (folder / f"{agent}.ts").write_text(shim.text(agent, words, ["look_it_up"]))
    for agent in commands:
        if (HERE / f"fits_{agent}.ts").exists():
            shutil.copy(HERE / f"fits_{agent}.ts", folder)
    done = subprocess.run(
        [PACKAGES / ".bin" / "tsc", "--project", folder],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def shims(tmp_path_factory):
    """A folder with both shims, whose command is a program that each test writes anew."""
    folder = tmp_path_factory.mktemp("shims")
    hook = str(folder / "hook")
    code, said = compiled(folder, opencode=[hook, "opencode"], pi=[hook, "pi"])
    assert (code, said) == (0, "")
    return folder


class Agent:
    """Plays an agent with a shim; `hook` is the program that the shim runs."""

    def __init__(self, folder, env):
        self.folder, self.env = folder, env

    def hook(self, script):
        path = self.folder / "hook"
        path.write_text(script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def real_hook(self, *options):
        words = " ".join(options)
        self.hook(f'#!/bin/sh\nexec {sys.executable} -P -m gemsearch.agents.hook "$@" {words}\n')

    def hook_says(self, answer):
        """A hook that keeps what it was told and gives one answer."""
        self.hook(f"#!/bin/sh\ncat > '{self.folder}/told'\nprintf '%s' '{answer}'\n")

    @property
    def told(self):
        return json.loads((self.folder / "told").read_text())

    def play(self, agent, *events):
        (self.folder / "told").unlink(missing_ok=True)
        done = subprocess.run(
            ["node", "agent.mjs", agent, f"./out/{agent}.js"],
            cwd=self.folder, env=self.env, input=json.dumps({"events": events}),
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)


@pytest.fixture
def agent(shims, gemsearch):
    return Agent(shims, gemsearch.env)


def opencode_before(tool="websearch", topic=TOPIC, call="c1"):
    called = {"tool": tool, "sessionID": "s1", "callID": call}
    return {"on": "tool.execute.before", "call": called, "output": {"args": {"query": topic}}}


def opencode_after(output, topic=TOPIC, call="c1", tool="websearch"):
    called = {"tool": tool, "sessionID": "s1", "callID": call, "args": {"query": topic}}
    return {"on": "tool.execute.after", "call": called, "output": output}


def pi_call(tool="web_search", given=None, call="t1"):
    called = {"toolName": tool, "toolCallId": call, "input": given or {"query": TOPIC}}
    return {"on": "tool_call", "call": called}


def pi_result(text, call="t1", *, error=False, tool="web_search", details=None):
    found = {"toolName": tool, "toolCallId": call, "input": {"query": TOPIC}, "isError": error}
    content = [{"type": "text", "text": text}]
    return {"on": "tool_result", "call": found | {"content": content, "details": details}}


LISTING = "\n\n".join(f"Title: Page {n}\nURL: https://site{n}.example/page" for n in range(4))


def test_a_shim_that_would_not_compile_is_noticed(tmp_path):
    (tmp_path / "wrong.ts").write_text(
        'import { ask } from "./pi.js"\nexport const n: number = ask\n'
    )
    code, said = compiled(tmp_path, pi=["hook", "pi"])
    assert code != 0
    assert "wrong.ts" in said


class TestWithTheRealHook:
    def test_opencode_is_refused_a_covered_search_by_an_error_that_tells_what_was_found(
        self, agent, gemsearch
    ):
        gemsearch("record", TOPIC, "--url", "https://rye.example/")
        agent.real_hook()
        (refused,) = agent.play("opencode", opencode_before())
        assert refused["threw"].startswith(f"DUPLICATE - already covered: #1 {TOPIC}")
        assert "https://rye.example/" in refused["threw"]

    def test_opencode_searches_for_a_new_topic_and_its_results_are_recorded(self, agent, gemsearch):
        agent.real_hook()
        found = {"title": "t", "output": LISTING, "metadata": {}}
        before, after = agent.play("opencode", opencode_before(), opencode_after(found))
        assert before["returned"] is None
        assert after["output"]["output"] == LISTING
        (gem,) = gemsearch("gems", "--json").json
        assert (gem["topic"], gem["result_count"]) == (TOPIC, 4)

    @pytest.mark.parametrize("mode", ["warn", "deny"])
    def test_recurring_sources_are_noted_or_replaced(self, agent, gemsearch, mode):
        urls = [word for n in range(4) for word in ("--url", f"https://site{n}.example/page")]
        gemsearch("record", OTHER, *urls)
        agent.real_hook("--source-mode", mode)
        found = {"title": "t", "output": LISTING, "metadata": {}}
        _, after = agent.play("opencode", opencode_before(), opencode_after(found))
        text = after["output"]["output"]
        assert OTHER in text
        assert text.startswith(LISTING if mode == "warn" else "DUPLICATE")

    def test_pi_is_refused_a_search_script_in_the_shell(self, agent, gemsearch):
        gemsearch("record", TOPIC, "--url", "https://rye.example/")
        agent.real_hook()
        given = {"command": f'brave-search/search.js "{TOPIC}" -n 5'}
        (refused,) = agent.play("pi", pi_call("bash", given))
        assert refused["returned"]["block"] is True
        assert refused["returned"]["reason"].startswith("DUPLICATE")


class TestWhatTheHookIsTold:
    def test_of_opencode(self, agent):
        agent.hook_says("{}")
        agent.play("opencode", opencode_before())
        told = agent.told
        assert told.pop("cwd") == str(agent.folder)
        assert told == {
            "agent": "opencode", "event": "pre", "tool": "websearch", "session": "s1",
            "call_id": "c1", "input": {"query": TOPIC},
        }  # fmt: skip

    def test_of_what_an_mcp_tool_found(self, agent):
        agent.hook_says("{}")
        content = [{"type": "text", "text": "one"}, {"type": "image", "data": "x"}]
        agent.play("opencode", opencode_after({"content": content}, tool="exa_web_search"))
        assert (agent.told["event"], agent.told["text"]) == ("post", "one\n")

    def test_of_pi(self, agent):
        agent.hook_says("{}")
        agent.play("pi", pi_call(), pi_result("Answer.", details={"response": {"sources": []}}))
        told = agent.told
        assert (told["agent"], told["session"], told["call_id"]) == ("pi", "session-1", "t1")
        assert (told["event"], told["text"]) == ("post", "Answer.")
        assert told["details"] == {"response": {"sources": []}}

    def test_of_a_failed_search(self, agent):
        agent.hook_says("{}")
        agent.play("pi", pi_result("overloaded", error=True))
        assert (agent.told["event"], agent.told["error"]) == ("fail", "overloaded")
        assert "text" not in agent.told


class TestNotes:
    def test_what_was_said_before_a_search_is_shown_with_its_results(self, agent):
        agent.hook_says('{"note": "seen before"}')
        _, after = agent.play("pi", pi_call(), pi_result("Answer."))
        texts = [block["text"] for block in after["returned"]["content"]]
        assert texts == ["Answer.", "seen before", "seen before"]

    def test_a_note_is_not_shown_with_another_calls_results(self, agent):
        agent.hook(
            '#!/bin/sh\ngrep -q \'"event":"pre"\' && printf \'{"note": "seen"}\' || printf \'{}\'\n'
        )
        _, other, own = agent.play(
            "opencode",
            opencode_before(call="c1"),
            opencode_after({"output": "A"}, call="c2"),
            opencode_after({"output": "A"}, call="c1"),
        )
        assert (other["output"]["output"], own["output"]["output"]) == ("A", "A\n\nseen")

    def test_a_replacement_leaves_nothing_of_what_an_mcp_tool_found(self, agent):
        agent.hook_says('{"replace": "instead"}')
        content = [{"type": "text", "text": "found"}, {"type": "image", "data": "x"}]
        (after,) = agent.play("opencode", opencode_after({"content": content}))
        assert after["output"]["content"] == [{"type": "text", "text": "instead"}]
        assert "output" not in after["output"]


BROKEN = {
    "that is not there": None,
    "that can't be run": "#!/nonexistent/interpreter\n",
    "that says nothing": "#!/bin/sh\ncat >/dev/null\n",
    "that says no JSON": "#!/bin/sh\ncat >/dev/null\necho Traceback\n",
    "that says null": "#!/bin/sh\ncat >/dev/null\necho null\n",
    "that says something else": '#!/bin/sh\ncat >/dev/null\necho \'{"deny": 7, "note": []}\'\n',
    "that does not listen": "#!/bin/sh\nexit 1\n",
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN)
def test_with_a_hook_the_search_goes_on(agent, script):
    (agent.folder / "hook").unlink(missing_ok=True)
    if script is not None:
        agent.hook(script)
    large = "x" * 300_000  # more than a pipe holds
    found = {"output": large}
    before, after = agent.play("opencode", opencode_before(topic=large), opencode_after(found))
    assert before["returned"] is None
    assert after["output"]["output"] == large
    assert agent.play("pi", pi_call()) == [{"returned": None}]


def test_a_hook_that_never_answers_does_not_hold_the_search_up(agent):
    agent.hook("#!/bin/sh\nexec sleep 600\n")
    assert agent.play("pi", pi_call()) == [{"returned": None}]


def test_fail_closed_refuses_when_no_answer_comes(tmp_path, gemsearch):
    words = [str(tmp_path / "nothing"), "opencode", "--fail-closed"]
    code, _ = compiled(tmp_path, opencode=words)
    assert code == 0
    before, after = Agent(tmp_path, gemsearch.env).play(
        "opencode", opencode_before(), opencode_after({"output": "found"})
    )
    assert "gemsearch doctor" in before["threw"]
    assert after["output"]["output"] == "found"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read", {"path": "search.md"}),
        ("gemsearch_search", {"query": TOPIC}),
        ("mcp__gemsearch_search", {"query": TOPIC}),
        ("bash", {"command": "ls"}),
    ],
)
def test_no_hook_is_started_for_what_is_no_web_search(agent, tool, given):
    agent.hook_says('{"deny": "no"}')
    assert agent.play("pi", pi_call(tool, given)) == [{"returned": None}]
    assert not (agent.folder / "told").exists()


def test_a_search_tool_that_the_ledger_names_is_asked_about(agent):
    agent.hook_says('{"deny": "no"}')
    (refused,) = agent.play("opencode", opencode_before(tool="look_it_up"))
    assert refused == {"threw": "no"}


def test_an_event_that_makes_no_sense_never_throws(agent):
    agent.hook_says("{}")
    answers = agent.play(
        "pi",
        {"on": "tool_call", "call": {"toolName": "bash", "toolCallId": "t"}},
        {"on": "tool_call", "call": {"toolName": "web_search"}},
    )
    assert answers == [{"returned": None}] * 2
