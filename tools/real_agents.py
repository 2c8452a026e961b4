"""Runs a real agent, with gemsearch installed in it for real, against a model that is a script.

    python tools/real_agents.py claude-code --program ~/agents/node_modules/.bin/claude

The program is started in a home of its own, after `gemsearch install AGENT`. Its model is
`scripted_model.py`. What reached the model and what the ledger holds afterwards is printed. Not
part of the tests: no account is needed, but the programs are large and change every week.

Searches by MCP go to this same file, run as an MCP server (`--serve-search`).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripted_model import COVERED, SITES, Model, serve

ROOT = Path(__file__).resolve().parent.parent
PROMPT = "Search the web for three topics, then stop."
LISTING = "\n\n".join(f"Title: {title}\nURL: {url}\nText: about it" for title, url in SITES)


def serve_search() -> None:
    """An MCP server with one search tool, as search services offer it."""
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("exa")

    @server.tool()
    def web_search_exa(query: str) -> str:  # noqa: ARG001 - it always finds the same
        return LISTING

    server.run()


SEARCH_SERVER = [sys.executable, str(Path(__file__).resolve()), "--serve-search"]


class Run:
    """One agent's way of being started without an account: files, variables, arguments."""

    def __init__(self, home: Path, work: Path, url: str) -> None:
        self.home, self.work, self.url = home, work, url

    def write(self, name: str, value: object) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")

    def claude_code(self) -> tuple[list[str], dict[str, str]]:
        self.write(".claude/settings.json", {"permissions": {"allow": ["WebSearch"]}})
        variables = {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": "dummy",
                     "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                     "ENABLE_TOOL_SEARCH": "false"}  # fmt: skip
        return ["-p", PROMPT, "--allowedTools", "WebSearch", "--debug"], variables

    def gemini(self) -> tuple[list[str], dict[str, str]]:
        self.write(
            ".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        )
        self.write(".gemini/trustedFolders.json", {str(self.work): "TRUST_FOLDER"})
        variables = {"GOOGLE_GEMINI_BASE_URL": self.url, "GEMINI_API_KEY": "dummy"}
        return ["--yolo", "-m", "gemini-2.5-flash", "-p", PROMPT], variables

    def codex(self) -> tuple[list[str], dict[str, str]]:
        command, *words = SEARCH_SERVER
        self.write(
            ".codex/config.toml",
            'model = "gpt-5"\nmodel_provider = "script"\n\n[model_providers.script]\n'
            f'name = "script"\nbase_url = "{self.url}/v1"\nwire_api = "responses"\n\n'
            f"[mcp_servers.exa]\ncommand = {json.dumps(command)}\nargs = {json.dumps(words)}\n"
            'default_tools_approval_mode = "approve"\n\n'
            f'[projects."{self.work}"]\ntrust_level = "trusted"\n',
        )
        arguments = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT]
        return arguments, {}

    def opencode(self) -> tuple[list[str], dict[str, str]]:
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "script",
                    "options": {"baseURL": f"{self.url}/v1", "apiKey": "dummy"},
                    "models": {"m": {"name": "m", "tool_call": True}}}  # fmt: skip
        server = {"type": "local", "command": SEARCH_SERVER}
        self.write(
            ".config/opencode/opencode.json",
            {"provider": {"script": provider}, "mcp": {"exa": server}, "autoupdate": False},
        )
        return ["run", "--model", "script/m", PROMPT], {"OPENCODE_DISABLE_MODELS_FETCH": "1"}

    def pi(self, folder: str = ".pi") -> tuple[list[str], dict[str, str]]:
        script = self.work / "brave-search" / "search.js"
        script.parent.mkdir()
        script.write_text(f"#!/bin/sh\ncat <<'E'\n{LISTING}\nE\n")
        script.chmod(0o755)
        model = {"id": "m", "name": "m", "contextWindow": 100000, "maxTokens": 1000}
        provider = {"baseUrl": f"{self.url}/v1", "api": "openai-completions", "apiKey": "dummy",
                    "models": [model]}  # fmt: skip
        self.write(f"{folder}/agent/models.json", {"providers": {"script": provider}})
        return ["--provider", "script", "--model", "m", "-p", PROMPT], {}

    def copilot(self) -> tuple[list[str], dict[str, str]]:
        variables = {"COPILOT_PROVIDER_BASE_URL": f"{self.url}/v1", "COPILOT_MODEL": "m",
                     "COPILOT_OFFLINE": "true", "COPILOT_ALLOW_ALL": "true"}  # fmt: skip
        return ["-p", PROMPT, "--allow-all-tools"], variables

    def omp(self) -> tuple[list[str], dict[str, str]]:
        arguments, _ = self.pi(".omp")
        return arguments, {"SEARXNG_ENDPOINT": self.url}


# The tool that the model asks for, and the argument that holds the topic.
TOOLS = {
    "claude-code": ("WebSearch", "query"),
    "gemini": ("google_web_search", "query"),
    "codex": ("mcp__exa/web_search_exa", "query"),
    "opencode": ("exa_web_search_exa", "query"),
    "pi": ("bash", "command"),
    "omp": ("web_search", "query"),
    "copilot": ("gemsearch-search", "topic"),
}


def gemsearch(home: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "gemsearch", *arguments],
        input=stdin, capture_output=True, text=True, cwd=home / "work", env=environment(home),
        check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TERM") if name in os.environ}
    return kept | {"HOME": str(home), "PYTHONPATH": str(ROOT), "CI": "1"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agent", nargs="?", choices=TOOLS)
    parser.add_argument("--program", help="the agent's program and its first words, one string")
    parser.add_argument("--tool", help="another search tool that the model asks for")
    parser.add_argument("--key", help="the argument of that tool that holds the topic")
    parser.add_argument("--install", default="", help="options of `gemsearch install`")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--keep", action="store_true", help="keep the agent's home")
    parser.add_argument("--serve-search", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve_search:
        serve_search()
        return
    home = Path(tempfile.mkdtemp(prefix="gemsearch-real-"))
    try:
        report(options, home)
    finally:
        if options.keep:
            print(f"\nkept: {home}")
        else:
            shutil.rmtree(home, ignore_errors=True)


def report(options: argparse.Namespace, home: Path) -> None:
    work = home / "work"
    work.mkdir()
    tool, key = TOOLS[options.agent]
    key = options.key or key
    model = Model(options.tool or tool, key)
    if key == "command":
        model.next_call = shell_calls(model.next_call)  # type: ignore[method-assign]
    server = serve(model)
    run = Run(home, work, f"http://127.0.0.1:{server.server_port}")
    arguments, variables = getattr(run, options.agent.replace("-", "_"))()
    listing = json.dumps([{"url": "https://example.com/rye", "title": "Rye"}])
    print(gemsearch(home, "record", COVERED, "--results", "-", stdin=listing))
    gemsearch(home, "config", "set", "provider", "sample")  # for our own MCP server
    print(gemsearch(home, "install", options.agent, *options.install.split()))
    done = subprocess.run(
        [*options.program.split(), *arguments], cwd=work, env=environment(home) | variables,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=options.seconds,
        check=False,
    )  # fmt: skip
    server.shutdown()
    print(f"== exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    print("== tools offered to the model:", *sorted(model.tools))
    print("== requests:", *model.requests, sep="\n   ")
    for call_id, text in model.seen.items():
        print(f"== what the model got for {call_id}:\n{text[:2000]}")
    print("== notes that reached the model:", *sorted(model.notes), sep="\n   ")
    print("== ledger")
    print(gemsearch(home, "gems"), gemsearch(home, "rejections"), sep="\n")


def shell_calls(next_call):
    def call():
        found = next_call()
        if found is None:
            return None
        return found[0], {"command": f'brave-search/search.js "{found[1]["command"]}"'}

    return call


if __name__ == "__main__":
    main()
