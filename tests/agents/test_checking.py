"""What doctor tells of installed hooks, by trying them."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime

import pytest

from gemsearch.agents import checking, log
from gemsearch.agents.installing import carrying_out
from gemsearch.agents.installing.agents import AGENTS, Wish
from gemsearch.agents.installing.commands import Choices

NOW = datetime.now(UTC)
HOOKED = [name for name, agent in AGENTS.items() if agent.gated]


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    (folder / "work").mkdir(parents=True)
    for name in list(os.environ):
        if name.startswith(("XDG_", "CLAUDE_", "CODEX_", "GEMINI_", "PI_", "COPILOT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GEMSEARCH_CONFIG", str(tmp_path / "gemsearch" / "config.toml"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.chdir(folder / "work")
    return folder


def install(agent, project="", *, mediate=False, **choices):
    for part in AGENTS[agent].parts(Wish(str(project), Choices(**choices), mediate)):
        carrying_out.install(part, agent, str(project))


def findings(home):
    return checking.findings(str(home / "gems.db"), NOW)


def serious(home):
    return [found for found in findings(home) if found.severity == "error"]


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_nothing_installed_is_nothing_to_tell(home):
    assert findings(home) == []


@pytest.mark.parametrize("agent", HOOKED)
def test_a_hook_that_refuses_a_covered_search_is_in_order(home, agent):
    install(agent)
    assert serious(home) == []
    assert not (home / "gems.db").exists()


@pytest.mark.parametrize("mode", ["warn", "record"])
def test_a_hook_that_only_warns_is_in_order_too(home, mode):
    install("claude-code", mode=mode)
    assert findings(home) == []


def test_an_mcp_server_that_starts_is_in_order(home):
    install("cursor")
    (found,) = findings(home)
    assert (found.severity, found.about) == ("note", "agent cursor")
    assert "can't be gated" in found.message


def test_a_python_that_is_gone_is_an_error_with_the_command_that_mends_it(home):
    install("claude-code")
    edit(home / ".claude/settings.json", json.dumps(sys.executable), '"/gone/python"')
    (found,) = findings(home)
    assert (found.severity, found.command) == ("error", "gemsearch install claude-code")
    assert "/gone/python" in found.message


@pytest.mark.parametrize("agent", ["gemini", "cursor"])
def test_a_program_that_does_something_else_is_an_error(home, agent, tmp_path):
    install(agent)
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho '{}'\n")
    other.chmod(0o755)
    (path,) = [path for path in home.rglob("*.json") if path.is_file()]
    edit(path, sys.executable, str(other))
    (found,) = serious(home)
    assert str(path) in found.message


def test_a_hook_that_fails_is_told_with_its_last_line(home, tmp_path):
    install("pi")
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho 'No module named gemsearch' >&2\nexit 1\n")
    other.chmod(0o755)
    edit(home / ".pi/agent/extensions/gemsearch.ts", sys.executable, str(other))
    (found,) = serious(home)
    assert "No module named gemsearch" in found.message


def test_a_slow_hook_is_a_warning(home, monkeypatch):
    install("claude-code")
    monkeypatch.setattr(checking, "SLOW_SECONDS", 0.0)
    (found,) = findings(home)
    assert (found.severity, "took" in found.message) == ("warning", True)


def test_a_configuration_that_broke_since_is_an_error(home):
    install("claude-code")
    (home / ".claude/settings.json").write_text('{"hooks": ')
    (found,) = findings(home)
    assert (found.severity, "isn't valid JSON" in found.message) == ("error", True)


def test_a_configuration_that_is_none_of_ours_may_be_broken(home):
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"hooks": ')
    assert findings(home) == []


def test_a_damaged_shim_is_a_warning(home):
    install("omp")
    edit(home / ".omp/agent/extensions/gemsearch.ts", "const COMMAND", "const command")
    (found,) = findings(home)
    assert (found.severity, found.command) == ("warning", "gemsearch install omp")


class TestProjects:
    """Doctor must not run what a folder from elsewhere says."""

    def trap(self, folder):
        program = folder / "python"
        program.write_text(f"#!/bin/sh\ntouch '{folder}/ran'\n")
        program.chmod(0o755)
        return program

    def hooks(self, command):
        group = {"matcher": "x", "hooks": [{"type": "command", "command": command}]}
        return json.dumps({"hooks": {"PreToolUse": [group], "BeforeTool": [group]}})

    def test_a_project_that_was_installed_here_is_tried(self, home):
        project = home / "work"
        install("gemini", project)
        edit(project / ".gemini/settings.json", sys.executable, "/gone/python")
        (found,) = findings(home)
        assert "/gone/python" in found.message

    def test_also_from_another_folder(self, home, monkeypatch):
        install("gemini", home / "work")
        edit(home / "work/.gemini/settings.json", sys.executable, "/gone/python")
        monkeypatch.chdir(home)
        assert len(serious(home)) == 1

    def test_a_project_from_elsewhere_is_only_told_of(self, home):
        program = self.trap(home / "work")
        (home / "work/.gemini").mkdir()
        command = f"{program} -P -m gemsearch.agents.hook gemini"
        (home / "work/.gemini/settings.json").write_text(self.hooks(command))
        (found,) = findings(home)
        assert (found.severity, "not tried" in found.message) == ("note", True)
        assert not (home / "work/ran").exists()

    def test_a_projects_own_program_is_not_run_even_where_we_installed(self, home):
        program = self.trap(home / "work")
        install("gemini", home / "work")
        edit(home / "work/.gemini/settings.json", sys.executable, str(program))
        (found,) = findings(home)
        assert "not tried" in found.message
        assert not (home / "work/ran").exists()

    @pytest.mark.parametrize(
        "command", ["touch ran; gemsearch-hook gemini", "sh -c 'touch ran' gemsearch.agents.hook"]
    )
    def test_a_command_that_is_not_as_install_writes_it_is_not_run(self, home, command):
        (home / ".gemini").mkdir()
        (home / ".gemini/settings.json").write_text(self.hooks(command))
        (found,) = findings(home)
        assert "not tried" in found.message
        assert not (home / "work/ran").exists()


class TestCodex:
    def test_a_search_that_can_not_be_hooked_is_told_of(self, home):
        install("codex")
        told = [found.message for found in findings(home)]
        assert any("can't be hooked" in message for message in told)
        install("codex", mediate=True)
        told = [found.message for found in findings(home)]
        assert not any("can't be hooked" in message for message in told)

    def test_hooks_that_were_not_reviewed_are_a_warning(self, home):
        install("codex")
        assert [found.command for found in findings(home) if found.severity == "warning"] == [
            "type /hooks in Codex"
        ]


def test_what_hooks_wrote_down_lately_is_told(home):
    ledger = str(home / "gems.db")
    log.write(ledger, "gemini", "before", "the ledger is damaged")
    log.write(ledger, "gemini", "before", "the ledger is locked")
    (found,) = checking.findings(ledger, NOW)
    assert (found.severity, found.about) == ("warning", "hooks")
    assert "2 times" in found.message
    assert "the ledger is locked" in found.message


def test_what_hooks_wrote_down_long_ago_is_not(home):
    ledger = str(home / "gems.db")
    log.write(ledger, "gemini", "before", "the ledger is locked")
    assert checking.findings(ledger, NOW.replace(year=NOW.year + 1)) == []


def test_with_no_home_at_all_there_is_nothing_to_tell(home, monkeypatch):
    monkeypatch.setenv("HOME", "/")
    assert findings(home) == []
