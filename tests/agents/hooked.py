"""Events as each agent sends them to its hook, with invented contents; the hook as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import NamedTuple

AGENTS = ("claude-code", "codex", "gemini", "opencode", "pi", "omp", "copilot", "cursor")
NUMBERED = frozenset({"claude-code", "codex", "opencode", "pi", "omp"})  # their calls have numbers
TOOLS = {
    "claude-code": "WebSearch",
    "codex": "mcp__exa__web_search_exa",
    "gemini": "google_web_search",
    "opencode": "websearch",
    "pi": "bash",
    "omp": "web_search",
    "copilot": "exa-web_search_exa",
    "cursor": "web_search_exa",
}
FOLDER = "/home/dev/kiln"
MODULE = [sys.executable, "-P", "-m", "gemsearch.agents.hook"]

Page = tuple[str, str]  # title and address


class Call(NamedTuple):
    """One search call of an agent."""

    agent: str
    topic: str
    number: str = "call-1"
    session: str = "session-1"
    tool: str = ""

    def before(self) -> dict:
        if self.agent in {"claude-code", "codex"}:
            return self._like_claude("PreToolUse")
        if self.agent == "gemini":
            return self._like_gemini("BeforeTool")
        if self.agent == "copilot":
            return self._like_copilot()
        if self.agent == "cursor":
            return self._like_cursor("beforeMCPExecution")
        return self._of_shim("pre")

    def after(self, pages: list[Page]) -> dict:
        text = "\n\n".join(f"Title: {title}\nURL: {url}" for title, url in pages)
        rows = [{"title": title, "url": url} for title, url in pages]
        if self.agent == "claude-code" and not self.tool:
            found = [{"tool_use_id": "srvtoolu_9", "content": rows}, "In short, it depends."]
            response = {
                "query": self.topic,
                "results": found if pages else ["No links found."],
                "durationSeconds": 2.5,
                "searchCount": 1,
            }
            return self._like_claude("PostToolUse", tool_response=response)
        if self.agent in {"claude-code", "codex"}:
            content = [{"type": "text", "text": text or "No results found."}]
            return self._like_claude("PostToolUse", tool_response={"content": content})
        if self.agent == "gemini":
            listed = "\n".join(f"[{n}] {t} ({u})" for n, (t, u) in enumerate(pages, 1))
            said = f'Web search results for "{self.topic}":\n\nIt depends.\n\nSources:\n{listed}'
            nothing = f'No search results or information found for query: "{self.topic}"'
            response = {"llmContent": said if pages else nothing, "returnDisplay": "returned"}
            return self._like_gemini("AfterTool", tool_response=response)
        if self.agent == "copilot":
            result = {"resultType": "success", "textResultForLlm": text or "No results found."}
            return self._like_copilot(toolResult=result)
        if self.agent == "cursor":
            content = {"content": [{"type": "text", "text": text or "No results found."}]}
            return self._like_cursor(
                "afterMCPExecution", result_json=json.dumps(content), duration=900
            )
        if self.agent == "omp":
            details = {"response": {"provider": "exa", "sources": rows}}
            return self._of_shim("post", details=details, text=text)
        return self._of_shim("post", text=text or "No results found.")

    def failed(self) -> dict:
        """The search went wrong, as the agent says it: by an event of its own or in the answer."""
        error = "Error: upstream timed out"
        if self.agent == "claude-code":
            return self._like_claude("PostToolUseFailure", error="overloaded", is_interrupt=False)
        if self.agent == "codex":
            content = [{"type": "text", "text": error}]
            return self._like_claude(
                "PostToolUse", tool_response={"content": content, "isError": True}
            )
        if self.agent == "gemini":
            said = f'Error: Error during web search for query "{self.topic}": timeout'
            response = {"llmContent": said, "returnDisplay": "", "error": {"message": said}}
            return self._like_gemini("AfterTool", tool_response=response)
        if self.agent == "copilot":
            return self._like_copilot(error="timeout")
        if self.agent == "cursor":
            content = {"content": [{"type": "text", "text": error}], "isError": True}
            return self._like_cursor(
                "afterMCPExecution", result_json=json.dumps(content), duration=1
            )
        if self.agent == "omp":
            details = {"response": {"provider": "none", "sources": []}, "error": "no provider"}
            return self._of_shim("post", details=details, text="Error: no provider")
        return self._of_shim("fail", error=error)

    def _tool(self) -> str:
        return self.tool or TOOLS[self.agent]

    def _like_claude(self, event: str, **more: object) -> dict:
        told = {
            "session_id": self.session,
            "transcript_path": None,
            "cwd": FOLDER,
            "hook_event_name": event,
            "permission_mode": "default",
            "tool_name": self._tool(),
            "tool_input": {"query": self.topic},
            "tool_use_id": self.number,
        }
        codex = {"turn_id": "turn-1", "model": "model-x"} if self.agent == "codex" else {}
        return told | codex | more

    def _like_gemini(self, event: str, **more: object) -> dict:
        told = {
            "session_id": self.session,
            "transcript_path": f"{FOLDER}/chat.jsonl",
            "cwd": FOLDER,
            "hook_event_name": event,
            "timestamp": "2026-11-01T12:00:02.000Z",
            "tool_name": self._tool(),
            "tool_input": {"query": self.topic},
        }
        return told | more

    def _like_copilot(self, **more: object) -> dict:
        told = {
            "sessionId": self.session,
            "timestamp": 1793541600000,
            "cwd": FOLDER,
            "toolName": self._tool(),
            "toolArgs": json.dumps({"query": self.topic}),
        }
        return told | more

    def _like_cursor(self, event: str, **more: object) -> dict:
        told = {
            "conversation_id": self.session,
            "generation_id": "generation-1",
            "hook_event_name": event,
            "workspace_roots": [FOLDER],
            "tool_name": self._tool(),
            "tool_input": json.dumps({"query": self.topic}),
        }
        before = {"command": "npx exa-mcp-server"} if event.startswith("before") else {}
        return told | before | more

    def _of_shim(self, event: str, **more: object) -> dict:
        command = f'brave-search/search.js "{self.topic}" -n 5'
        told = {
            "agent": self.agent,
            "event": event,
            "tool": self._tool(),
            "session": self.session,
            "call_id": self.number,
            "cwd": FOLDER,
            "input": {"command": command} if self.agent == "pi" else {"query": self.topic},
        }
        return told | more


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return json.loads(self.out)


class Hook:
    """Runs the hook as an agent does, with an environment of its own."""

    def __init__(self, home) -> None:
        self.ledger = str(home / "gems.db")
        self.log = f"{self.ledger}.hook.log"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }

    def command(self, agent: str, *options: str) -> list[str]:
        return [*MODULE, agent, "--db", self.ledger, *options]

    def __call__(self, event: dict | bytes, agent: str, *options: str, **env: str) -> Ran:
        given = event if isinstance(event, bytes) else json.dumps(event).encode()
        done = subprocess.run(
            self.command(agent, *options),
            input=given,
            capture_output=True,
            env=self.env | env,
            timeout=30,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def logged(self) -> list[str]:
        try:
            with open(self.log, encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []
