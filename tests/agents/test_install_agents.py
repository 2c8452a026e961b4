"""`gemsearch install` and `uninstall`: what they do to a home, and to one that is in a bad way."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys

import pytest

from gemsearch.agents.installing import carrying_out, receipts, shim
from gemsearch.agents.installing.agents import AGENTS, Wish
from gemsearch.agents.installing.commands import Choices
from gemsearch.cli import installed
from gemsearch.errors import BadConfiguration

# What each agent's own configuration may look like before, by the paths in a home.
CLAUDE = (
    '{\n  "permissions": {\n    "allow": ["Bash(ls:*)"]\n  },\n  "hooks": {\n'
    '    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [\n'
    '          {"type": "command", "command": "~/bin/lint"}\n        ]\n      }\n    ]\n  }\n}'
)
EXISTING = {
    "claude-code": {".claude/settings.json": CLAUDE},
    "gemini": {".gemini/settings.json": '// größe\n{\n\t"ui": {"theme": "x"}, // mine\n}\n'},
    "codex": {
        ".codex/config.toml": '# mine\nmodel = "x"\n[mcp_servers.exa]\ncommand = "npx"\n',
        ".codex/hooks.json": '{"hooks":{"Stop":[]}}',
    },
    "opencode": {".config/opencode/opencode.jsonc": "{}", ".config/opencode/plugins/own.ts": "1"},
    "pi": {".pi/agent/extensions/own.ts": "1"},
    "omp": {".omp/agent/settings.json": "{}"},
    "copilot": {".copilot/mcp-config.json": '{\r\n  "mcpServers": {}\r\n}\r\n'},
    "cursor": {".cursor/mcp.json": '\ufeff{"mcpServers": {"exa": {"url": "https://x"}}}\n'},
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    for name in list(os.environ):
        if name.startswith(("XDG_", "CLAUDE_", "CODEX_", "GEMINI_", "PI_", "COPILOT_", "OMP_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GEMSEARCH_CONFIG", str(tmp_path / "gemsearch" / "config.toml"))
    return folder


def write(home, files):
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(0o640)


def tree(home):
    """Every file and folder, to the byte and the mode."""
    found = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        content = path.read_bytes() if path.is_file() else None
        found[name] = (stat.S_IMODE(path.lstat().st_mode), content)
    return found


def parts(agent, project="", **choices):
    mediate = choices.pop("mediate", agent == "codex")
    return AGENTS[agent].parts(Wish(str(project), Choices(**choices), mediate))


def install(agent, project="", **choices):
    return [
        carrying_out.install(part, agent, str(project)) for part in parts(agent, project, **choices)
    ]


def uninstall(agent, project=""):
    return [carrying_out.uninstall(part) for part in reversed(parts(agent, project))]


def test_the_command_and_the_installers_know_the_same_agents():
    assert set(installed.NAMES) == set(AGENTS)


@pytest.mark.parametrize("agent", AGENTS)
class TestRoundTrip:
    def test_a_home_that_had_nothing_has_nothing_again(self, home, agent):
        install(agent)
        assert tree(home)
        uninstall(agent)
        assert tree(home) == {}

    def test_a_home_that_had_its_own_has_it_to_the_byte(self, home, agent):
        write(home, EXISTING[agent])
        before = tree(home)
        install(agent)
        assert tree(home) != before
        uninstall(agent)
        assert tree(home) == before
        assert receipts.every() == []

    def test_a_project_likewise(self, home, agent, tmp_path):
        project = tmp_path / "a project"
        project.mkdir()
        install(agent, project)
        assert tree(home) == {}
        uninstall(agent, project)
        assert tree(project) == {}

    def test_the_second_time_changes_nothing(self, home, agent):
        write(home, EXISTING[agent])
        install(agent)
        once = tree(home)
        assert all(change.is_none for change in install(agent))
        assert tree(home) == once

    def test_after_python_moved_it_is_mended_and_still_comes_out_to_the_byte(
        self, home, agent, monkeypatch
    ):
        write(home, EXISTING[agent])
        before = tree(home)
        monkeypatch.setattr(sys, "executable", "/old/python")
        install(agent)
        monkeypatch.undo()
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("GEMSEARCH_CONFIG", str(home.parent / "gemsearch" / "config.toml"))
        install(agent)
        ours = [p for p in home.rglob("*") if p.is_file() and "before-gemsearch" not in p.name]
        assert not any(b"/old/python" in path.read_bytes() for path in ours)
        uninstall(agent)
        assert tree(home) == before

    def test_a_mended_home_that_had_nothing_has_nothing_again(self, home, agent):
        install(agent)
        install(agent, db="/other.db")
        uninstall(agent)
        assert tree(home) == {}

    def test_without_the_receipt_our_entries_go_all_the_same(self, home, agent):
        write(home, EXISTING[agent])
        install(agent)
        for receipt in receipts.every():
            receipts.discard(receipt.path)
        uninstall(agent)
        left = [p for p in home.rglob("*") if p.is_file() and "before-gemsearch" not in p.name]
        assert not any(b"gemsearch" in path.read_bytes() for path in left)

    def test_a_dry_run_writes_nothing(self, home, agent):
        write(home, EXISTING[agent])
        before = tree(home)
        for part in parts(agent):
            carrying_out.install(part, agent, dry_run=True)
        assert tree(home) == before
        install(agent)
        now = tree(home)
        for part in parts(agent):
            carrying_out.uninstall(part, dry_run=True)
        assert tree(home) == now

    def test_uninstalling_what_is_not_there_changes_nothing(self, home, agent):
        write(home, EXISTING[agent])
        before = tree(home)
        assert all(change.is_none for change in uninstall(agent))
        assert tree(home) == before


MATCHED = {
    "claude-code": ("WebSearch", "mcp__brave-search__brave_web_search", "mcp__exa__webSearch"),
    "gemini": ("google_web_search", "mcp_brave-search_brave_web_search"),
    "codex": ("mcp__exa__web_search_exa", "web.run", "web__run"),
}
NOT_MATCHED = {
    "claude-code": ("Read", "Bash", "WebFetch", "ToolSearch", "mcp__gemsearch__search",
                    "mcp__plugin_gemsearch_gemsearch__search", "mcp__db__query"),
    "gemini": ("read_file", "grep_search", "web_fetch", "mcp_gemsearch_search", "mcp_db_query"),
    "codex": ("Bash", "apply_patch", "mcp__db__query", "run"),
}  # fmt: skip


class TestWhatIsWritten:
    def hook(self, home, name, event):
        value = json.loads((home / name).read_text())
        (group,) = value["hooks"][event]
        return group["matcher"], group["hooks"][0]

    def test_for_claude_code_by_words_and_in_seconds(self, home):
        install("claude-code", mode="warn", db="/a b/c.db")
        for event in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
            _, handler = self.hook(home, ".claude/settings.json", event)
            assert [handler["command"], *handler["args"]] == [
                *(sys.executable, "-P", "-m", "gemsearch.agents.hook", "claude-code"),
                *("--db", "/a b/c.db", "--mode", "warn"),
            ]
            assert handler["timeout"] == 10

    def test_for_gemini_as_a_shell_would_split_it_and_in_milliseconds(self, home):
        install("gemini", db='/it\'s a/"b" $c.db', source_mode="deny", fail_closed=True)
        for event in ("BeforeTool", "AfterTool"):
            _, handler = self.hook(home, ".gemini/settings.json", event)
            assert handler["timeout"] == 10_000
            script = f"set -- {handler['command']}; printf '%s\\n' \"$@\""
            said = subprocess.run(
                ["/bin/sh", "-c", script], capture_output=True, text=True, check=True
            )
            assert said.stdout.splitlines()[-5:] == [
                *("--db", '/it\'s a/"b" $c.db', "--source-mode", "deny", "--fail-closed")
            ]

    def test_for_codex_in_seconds_and_nothing_that_its_file_does_not_take(self, home):
        install("codex", mediate=False)
        assert list(json.loads((home / ".codex/hooks.json").read_text())) == ["hooks"]
        _, handler = self.hook(home, ".codex/hooks.json", "PreToolUse")
        assert (handler["timeout"], set(handler)) == (10, {"type", "command", "timeout"})
        assert not (home / ".codex/config.toml").exists()

    def test_codex_is_mediated_when_asked_and_kept_up_to_date_afterwards(self, home):
        install("codex", mediate=True)
        install("codex", mediate=False, db="/other.db")
        assert "/other.db" in (home / ".codex/config.toml").read_text()

    @pytest.mark.parametrize("agent", ["copilot", "cursor"])
    def test_an_agent_without_a_gate_gets_our_server(self, home, agent):
        install(agent)
        (path,) = [path for path in home.rglob("*.json") if path.is_file()]
        server = json.loads(path.read_text())["mcpServers"]["gemsearch"]
        words = [server["command"], *server["args"]]
        assert words == [sys.executable, "-P", "-m", "gemsearch", "mcp"]

    @pytest.mark.parametrize("agent", MATCHED)
    def test_python_starts_for_what_may_be_a_web_search_alone(self, home, agent):
        install(agent, mediate=False, tools=("look.it-up",))
        (text,) = [path.read_text() for path in home.rglob("*.json") if path.is_file()]
        (groups, *_) = json.loads(text)["hooks"].values()
        matches = re.compile(groups[0]["matcher"]).search
        assert all(map(matches, (*MATCHED[agent], "look.it-up")))
        assert not any(map(matches, (*NOT_MATCHED[agent], "lookXit-up")))

    def test_where_the_agents_own_variables_say(self, home, tmp_path, monkeypatch):
        elsewhere = tmp_path / "elsewhere"
        for name, folder in {
            "CLAUDE_CONFIG_DIR": "claude", "CODEX_HOME": "codex", "GEMINI_CLI_HOME": "gemini",
            "XDG_CONFIG_HOME": "xdg", "PI_CODING_AGENT_DIR": "pi", "COPILOT_HOME": "copilot",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, str(elsewhere / folder))
        for agent in ("claude-code", "codex", "gemini", "opencode", "pi", "copilot"):
            install(agent, mediate=False)
        files = [path.relative_to(elsewhere) for path in elsewhere.rglob("*") if path.is_file()]
        assert sorted(map(str, files)) == [
            "claude/settings.json", "codex/hooks.json", "copilot/mcp-config.json",
            "gemini/.gemini/settings.json", "pi/extensions/gemsearch.ts",
            "xdg/opencode/plugins/gemsearch.ts",
        ]  # fmt: skip
        assert tree(home) == {}


class TestBackups:
    def test_the_file_as_it_was_lies_beside_it_with_its_mode(self, home):
        write(home, EXISTING["claude-code"])
        (change,) = install("claude-code")
        (backup,) = change.backups
        assert os.path.dirname(backup) == str(home / ".claude")
        with open(backup) as file:
            assert file.read() == CLAUDE
        assert stat.S_IMODE(os.stat(backup).st_mode) == 0o640

    def test_none_is_ever_written_over(self, home):
        write(home, EXISTING["claude-code"])
        write(home, {".claude/settings.json.before-gemsearch": "a person's own"})
        (change,) = install("claude-code")
        assert change.backups == (str(home / ".claude/settings.json.before-gemsearch-2"),)
        uninstall("claude-code")
        kept = home / ".claude/settings.json.before-gemsearch"
        assert kept.read_text() == "a person's own"

    def test_one_stays_if_the_file_is_another_now(self, home):
        write(home, EXISTING["claude-code"])
        (change,) = install("claude-code")
        path = home / ".claude/settings.json"
        path.write_text(path.read_text().replace('"Bash(ls:*)"', '"Bash(cat:*)"'))
        (undone,) = uninstall("claude-code")
        assert undone.backups == change.backups
        assert path.read_text() == CLAUDE.replace("ls", "cat")

    def test_a_shim_that_was_changed_by_hand_is_kept_aside(self, home):
        install("pi")
        path = home / ".pi/agent/extensions/gemsearch.ts"
        path.write_text(path.read_text() + "// mine\n")
        (change,) = uninstall("pi")
        assert not path.exists()
        (backup,) = change.backups
        assert backup == f"{path}.before-gemsearch"
        with open(backup) as file:
            assert file.read().endswith("// mine\n")


class TestBadHomes:
    def refuses(self, agent, text):
        with pytest.raises(BadConfiguration) as caught:
            install(agent)
        assert text in caught.value.message
        return caught.value

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b'{"hooks": {', "isn't valid JSON"),
            (b"[]", "no JSON object"),
            (b'{"hooks": 1}', "`hooks` is no JSON object"),
            (b"\xff\xfe{}", "isn't UTF-8"),
            (b'{"a": "' + b"x" * 5_000_000 + b'"}', "more than 4,000,000 bytes"),
            (b"[" * 100_000, "nested more than"),
        ],
    )
    def test_a_file_that_can_not_be_added_to_is_left_as_it_is(self, home, content, said):
        path = home / ".claude/settings.json"
        path.parent.mkdir()
        path.write_bytes(content)
        before = tree(home)
        assert str(path) in self.refuses("claude-code", said).message
        assert tree(home) == before
        assert receipts.every() == []

    def test_a_folder_in_the_files_place(self, home):
        (home / ".claude/settings.json").mkdir(parents=True)
        self.refuses("claude-code", "it is no file")

    def test_a_pipe_in_the_files_place_is_not_waited_for(self, home):
        (home / ".claude").mkdir()
        os.mkfifo(home / ".claude/settings.json")
        self.refuses("claude-code", "it is no file")

    def test_a_file_in_the_folders_place(self, home):
        (home / ".claude").write_text("")
        self.refuses("claude-code", ".claude")
        assert receipts.every() == []

    def test_a_file_of_that_name_that_is_not_ours(self, home):
        write(home, {".pi/agent/extensions/gemsearch.ts": "export default () => {}\n"})
        before = tree(home)
        self.refuses("pi", "isn't of `gemsearch install`")
        uninstall("pi")
        assert tree(home) == before

    def test_a_symbolic_link_stays_one(self, home):
        write(home, {"dotfiles/settings.json": CLAUDE})
        (home / ".claude").mkdir()
        (home / ".claude/settings.json").symlink_to(home / "dotfiles/settings.json")
        install("claude-code")
        assert (home / ".claude/settings.json").is_symlink()
        assert "gemsearch" in (home / "dotfiles/settings.json").read_text()
        uninstall("claude-code")
        assert (home / ".claude/settings.json").is_symlink()
        assert (home / "dotfiles/settings.json").read_text() == CLAUDE

    @pytest.mark.usefixtures("home")
    def test_no_home_at_all(self, monkeypatch):
        monkeypatch.setenv("HOME", "/")
        with pytest.raises(BadConfiguration, match="no home directory"):
            parts("claude-code")

    def test_a_failure_half_way_takes_back_what_was_done(self, home, monkeypatch):
        write(home, EXISTING["claude-code"])
        before = tree(home)

        def full(*_args, **_more):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        self.refuses("claude-code", "No space left")
        assert tree(home) == before

    @pytest.mark.skipif(sys.platform != "linux", reason="nobody may write there on Linux")
    @pytest.mark.usefixtures("home")
    def test_a_folder_that_can_not_be_written_to(self, monkeypatch):
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/proc")
        self.refuses("claude-code", "/proc/settings.json can't be written")
        assert receipts.every() == []

    def test_a_receipt_that_is_nonsense_is_as_good_as_none(self, home):
        install("claude-code")
        (place,) = (home.parent / "gemsearch" / "installed").iterdir()
        place.write_text('{"agent": 1')
        uninstall("claude-code")
        assert json.loads((home / ".claude/settings.json").read_text()) == {}


class TestCommands:
    def test_many_at_once_make_one_entry_and_lose_nothing(self, gemsearch, tmp_path):
        write(tmp_path, EXISTING["claude-code"] | EXISTING["codex"])
        agents = ["claude-code", "codex", "gemini"] * 3
        started = [gemsearch.start("install", agent) for agent in agents]
        said = [process.communicate(timeout=60) for process in started]
        assert [process.returncode for process in started] == [0] * 9, said
        value = json.loads((tmp_path / ".claude/settings.json").read_text())
        assert [len(groups) for groups in value["hooks"].values()] == [2, 1, 1]
        for agent in ("claude-code", "codex", "gemini"):
            assert gemsearch("uninstall", agent).code == 0
        assert (tmp_path / ".claude/settings.json").read_text() == CLAUDE

    def test_a_dry_run_shows_the_difference_and_no_secret(self, gemsearch, tmp_path):
        key = "sk-ant-api03-Zk3JqLmN8vXyT2bRw9QpFhGd5sUeCa7oIx1Kj4Wn6Mf"
        text = json.dumps({"env": {"KEY": key}}, indent=2)
        write(tmp_path, {".claude/settings.json": text})
        ran = gemsearch("install", "claude-code", "--dry-run")
        assert ran.code == 0
        assert '+              "claude-code"' in ran.out
        assert "(hidden: it looks like" in ran.out
        assert key not in ran.out
        assert not list(tmp_path.glob(".claude/*gemsearch*"))

    def test_it_says_where_it_wrote_and_what_to_do_now(self, gemsearch, tmp_path):
        write(tmp_path, EXISTING["codex"])
        ran = gemsearch("install", "codex")
        assert f"written  {tmp_path}/.codex/hooks.json" in ran.out
        assert f"{tmp_path}/.codex/hooks.json.before-gemsearch" in ran.out
        assert "/hooks" in ran.out
        assert "can't be hooked" in ran.out
        assert "it stands there already" in gemsearch("install", "codex").out

    def test_it_says_when_an_agent_would_ask_twice(self, gemsearch, tmp_path, monkeypatch):
        (tmp_path / "work").mkdir()
        monkeypatch.chdir(tmp_path / "work")
        assert "twice" not in gemsearch("install", "gemini").out
        ran = gemsearch("install", "gemini", "--project")
        assert f"It is in {tmp_path}/.gemini/settings.json too" in ran.out

    def test_it_says_of_what_it_can_not_gate(self, gemsearch):
        assert "can't be gated" in gemsearch("install", "cursor").out

    def test_tools_that_the_ledger_names_are_asked_about(self, gemsearch, tmp_path):
        gemsearch("record", "a topic", "--url", "https://example.org/")
        gemsearch("config", "set", "hook.tools", "mcp__db__look")
        gemsearch("install", "claude-code")
        assert "mcp__db__look" in (tmp_path / ".claude/settings.json").read_text()

    @pytest.mark.parametrize(
        "arguments",
        [
            ["install", "vim"],
            ["install", "gemini", "--mediate"],
            ["install", "cursor", "--mode", "deny"],
            ["install", "gemini", "--mode", "maybe"],
        ],
    )
    def test_a_wrong_call_is_1_and_writes_nothing(self, gemsearch, tmp_path, arguments):
        assert gemsearch(*arguments).code == 1
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]

    def test_what_is_installed_works_from_a_folder_that_shadows_our_modules(
        self, gemsearch, tmp_path
    ):
        gemsearch("record", "rye sourdough hydration", "--url", "https://rye.example/")
        gemsearch("install", "gemini")
        value = json.loads((tmp_path / ".gemini/settings.json").read_text())
        command = value["hooks"]["BeforeTool"][0]["hooks"][0]["command"]
        (tmp_path / "json.py").write_text("raise SystemExit('shadowed')")
        payload = {
            "hook_event_name": "BeforeTool", "session_id": "s", "cwd": "/",
            "tool_name": "google_web_search", "tool_input": {"query": "rye sourdough hydration"},
        }  # fmt: skip
        done = subprocess.run(
            ["/bin/sh", "-c", command], input=json.dumps(payload), cwd=tmp_path,
            env=gemsearch.env, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert json.loads(done.stdout)["decision"] == "deny"
        assert shlex.split(command)[0] == sys.executable


def test_no_character_of_a_path_can_end_the_line_it_stands_on():
    words = ['/a "quoted" \\ path/with\n line \u2028 ends/python', "-P", "pi"]
    text = shim.text("pi", words)
    assert shim.found(text) == [words]
    assert text.isascii()


def test_a_shim_knows_itself_and_whether_it_was_changed():
    text = shim.text("omp", ["python", "omp"])
    assert shim.is_ours(text)
    assert shim.is_unchanged(text)
    assert not shim.is_unchanged(text.replace("2500", "9000"))
    assert not shim.is_ours("export default () => {}\n")
