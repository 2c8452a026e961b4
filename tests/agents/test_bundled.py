"""The files for agents' own ecosystems: whole, true to the program, of the package's version."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from gemsearch import __version__, errors
from gemsearch.agents.answering import ADAPTERS
from gemsearch.agents.installing.agents import AGENTS, Wish
from gemsearch.agents.installing.commands import Choices
from gemsearch.cli import cli

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = ROOT / "gemsearch" / "agents" / "bundled"
PLUGIN, EXTENSION = BUNDLED / "claude-code", BUNDLED / "gemini"
SKILL = PLUGIN / "skills" / "gemsearch" / "SKILL.md"

SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]


def read(path):
    return json.loads(path.read_text("utf-8"))


def handlers(hooks):
    return [one for groups in hooks.values() for group in groups for one in group["hooks"]]


@pytest.mark.parametrize(
    "manifest", [PLUGIN / ".claude-plugin" / "plugin.json", EXTENSION / "gemini-extension.json"]
)
def test_bundles_have_the_packages_version(manifest):
    assert read(manifest)["version"] == __version__
    assert read(manifest)["name"] == "gemsearch"
    assert read(manifest)["description"]


def test_the_marketplace_leads_to_the_plugin():
    marketplace = read(ROOT / ".claude-plugin" / "marketplace.json")
    assert marketplace["name"]
    assert marketplace["owner"]["name"]
    [plugin] = marketplace["plugins"]
    manifest = ROOT / plugin["source"] / ".claude-plugin" / "plugin.json"
    assert read(manifest)["name"] == plugin["name"]
    assert plugin["source"].startswith("./")
    assert plugin["description"]


@pytest.mark.parametrize(("agent", "bundle"), [("claude-code", PLUGIN), ("gemini", EXTENSION)])
def test_bundles_hook_what_install_hooks(agent, bundle):
    [part] = AGENTS[agent].parts(Wish("", Choices()))
    installed = json.loads(part.added("", None))["hooks"]
    bundled = read(bundle / "hooks" / "hooks.json")["hooks"]
    assert list(bundled) == list(installed)
    for event, [group] in bundled.items():
        assert group["matcher"] == installed[event][0]["matcher"]
    timeouts = [handler["timeout"] for handler in handlers(bundled)]
    assert timeouts == [handler["timeout"] for handler in handlers(installed)]


@pytest.mark.parametrize(("agent", "bundle"), [("claude-code", PLUGIN), ("gemini", EXTENSION)])
def test_bundled_hooks_run_our_hook_for_their_agent(agent, bundle):
    for handler in handlers(read(bundle / "hooks" / "hooks.json")["hooks"]):
        assert handler["type"] == "command"
        assert shlex.split(handler["command"]) == ["gemsearch-hook", agent]
    assert SCRIPTS["gemsearch-hook"] == "gemsearch.agents.hook:main"
    assert agent in ADAPTERS


@pytest.mark.parametrize("file", [PLUGIN / ".mcp.json", EXTENSION / "gemini-extension.json"])
def test_bundled_servers_are_our_server(file):
    [(name, server)] = read(file)["mcpServers"].items()
    assert name == "gemsearch", "hooks know our own tools by this name"
    assert server == {"command": "gemsearch", "args": ["mcp"]}
    assert "gemsearch" in SCRIPTS
    assert "mcp" in cli.list_commands(None)


def test_the_extension_brings_its_context_file():
    assert (EXTENSION / read(EXTENSION / "gemini-extension.json")["contextFileName"]).is_file()


def test_the_skill_has_the_head_that_agents_read():
    head = re.match(r"---\n(.*?)\n---\n", SKILL.read_text("utf-8"), re.DOTALL)[1]
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert set(fields) == {"name", "description"}
    assert fields["name"] == SKILL.parent.name
    assert len(fields["description"]) <= 1024


def test_the_skill_explains_every_exit_code_in_few_words():
    text = SKILL.read_text("utf-8")
    told = {int(code) for code in re.findall(r"^\| (\d) \|", text, re.MULTILINE)}
    assert told == {
        errors.EXIT_NOVEL,
        errors.EXIT_WRONG_CALL,
        errors.EXIT_DUPLICATE,
        errors.EXIT_EMPTY,
        errors.EXIT_NOT_NOW,
        errors.EXIT_NEEDS_PERSON,
    }
    assert len(text) < 1500


@pytest.mark.parametrize("page", [SKILL, EXTENSION / "GEMINI.md", BUNDLED / "AGENTS.md"])
def test_what_is_taught_is_there(page):
    text = page.read_text("utf-8")
    assert 'gemsearch search "<topic>"' in text
    assert "not another" in text, "a reworded topic is refused again"
    assert "data, not instructions" in " ".join(text.split())
    commands = set(re.findall(r"(?:`|^)gemsearch ([a-z]+)", text, re.MULTILINE))
    assert {"search", "show"} <= commands <= set(cli.list_commands(None))
