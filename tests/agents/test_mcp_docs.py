"""docs/mcp.md against the server itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gemsearch.agents.mcp_server import calls
from gemsearch.agents.mcp_server.tools import TOOLS
from gemsearch.core.model import Caller

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def limits(schema):
    kind = schema["type"]
    if "maxLength" in schema:
        return f"{kind}, at most {schema['maxLength']} characters"
    if "maxItems" in schema:
        return f"{kind}, {schema['minItems']} to {schema['maxItems']}"
    if "maximum" in schema:
        return f"{kind}, {schema['minimum']} to {schema['maximum']}"
    return f"{kind}, from {schema['minimum']}"


def described(tool):
    lines = [f"### {tool.name}", "", tool.description, "", "| argument | | |", "|---|---|---|"]
    for name, schema in tool.input["properties"].items():
        required = ", required" if name in tool.input["required"] else ""
        about = schema.get("description", "")
        lines.append(f"| `{name}` | {limits(schema)}{required} | {about}".rstrip() + " |")
    return "\n".join(lines)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_page_describes_each_tool_as_the_server_does(tool):
    assert described(tool) in PAGE


@pytest.fixture
def ask(tmp_path, monkeypatch):
    monkeypatch.setenv("GEMSEARCH_CONFIG", str(tmp_path / "config.toml"))
    for name in ("GEMSEARCH_PROVIDER", "SEARXNG_URL"):
        monkeypatch.delenv(name, raising=False)

    def call(topic, provider):
        setup = calls.Setup(str(tmp_path / "gems.db"), provider)
        asked = calls.Call("search", {"topic": topic}, Caller("mcp"), setup, lambda: None)
        return calls.answer(asked)

    return call


def without_times(text):
    return re.sub(r"\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?", "TIME", text)


def test_the_refusal_on_the_page_is_a_real_one(ask):
    ask("gitleaks pre-commit hook", "sample")
    refusal = ask("hook gitleaks pre-commit", "sample")
    [shown] = blocks("json")
    assert json.loads(without_times(shown)) == json.loads(without_times(json.dumps(refusal.values)))
    assert without_times("\n".join(refusal.lines) + "\n") == without_times(blocks("text")[0])


def test_the_failure_on_the_page_is_a_real_one(ask):
    assert "\n".join(ask("gitleaks pre-commit hook", None).lines) + "\n" == blocks("text")[1]


def test_the_page_tells_the_limits_of_an_answer():
    assert f"At most {calls.MOST_SHOWN} results and {calls.MOST_CHARACTERS:,} characters" in PAGE
