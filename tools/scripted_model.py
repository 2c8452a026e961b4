"""A model that is a script, behind a server on 127.0.0.1 that speaks four vendors' protocols.

It asks for a search that the ledger covers, for a new one, and for another that finds the same
pages; then it says it is done. Searches that vendors run on their side always find SITES.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COVERED, NEW = "rye sourdough hydration calculator", "left-handed abacus repair manual"
SAME_PAGES = "counting frame upkeep for southpaws"
SITES = [
    ("Abacus care", "https://abacus.example/care"),
    ("Beads", "https://beads.example/all"),
    ("Frames", "https://frames.example/wood"),
    ("Left hands", "https://left.example/hands"),
]


class Model:
    """What the model says next, told from how many tool results it has been given."""

    def __init__(self, tool: str, key: str) -> None:
        self.tool = tool
        self.key = key
        self.seen: dict[str, str] = {}  # call id: what came back
        self.notes: set[str] = set()  # of ours, wherever in a request they stand
        self.requests: list[str] = []
        self.tools: set[str] = set()

    def next_call(self) -> tuple[str, dict[str, str]] | None:
        topics = [COVERED, NEW, SAME_PAGES]
        done = len(self.seen)
        return (f"call_{done + 1}", {self.key: topics[done]}) if done < len(topics) else None

    def got(self, call_id: str, what: object) -> None:
        text = what if isinstance(what, str) else json.dumps(what, ensure_ascii=False)
        self.seen.setdefault(call_id, text)


def anthropic(model: Model, body: dict) -> list[tuple[str, dict]]:
    tools = body.get("tools") or []
    model.tools.update(tool.get("name", "") for tool in tools)
    if any(str(tool.get("type", "")).startswith("web_search") for tool in tools):
        found = [
            {"type": "web_search_result", "title": title, "url": url, "encrypted_content": "x"}
            for title, url in SITES
        ]
        return anthropic_message(
            [
                {"type": "server_tool_use", "id": "srv_1", "name": "web_search",
                 "input": {"query": NEW}},
                {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": found},
                {"type": "text", "text": "Two pages."},
            ],
            "end_turn",
        )  # fmt: skip
    for message in body.get("messages", []):
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_result":
                model.got(block["tool_use_id"], block.get("content"))
    call = model.next_call() if any(t.get("name") == model.tool for t in tools) else None
    if call is None:
        return anthropic_message([{"type": "text", "text": "Done."}], "end_turn")
    use = {"type": "tool_use", "id": call[0], "name": model.tool, "input": call[1]}
    return anthropic_message([use], "tool_use")


def anthropic_message(blocks: list[dict], stop: str) -> list[tuple[str, dict]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "script",
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    events = [("message_start", {"type": "message_start", "message": message})]
    for index, block in enumerate(blocks):
        first, deltas = dict(block), []
        if block["type"] == "text":
            first["text"] = ""
            deltas = [{"type": "text_delta", "text": block["text"]}]
        elif "input" in block:
            first["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        start = {"type": "content_block_start", "index": index, "content_block": first}
        events.append(("content_block_start", start))
        events += [
            ("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta})
            for delta in deltas
        ]
        events.append(("content_block_stop", {"type": "content_block_stop", "index": index}))
    delta = {"stop_reason": stop, "stop_sequence": None}
    events.append(("message_delta", {"type": "message_delta", "delta": delta, "usage": usage}))
    events.append(("message_stop", {"type": "message_stop"}))
    return events


def responses(model: Model, body: dict) -> list[tuple[str, dict]]:
    model.tools.update(f"{tool.get('name', tool.get('type'))}" for tool in body.get("tools") or [])
    for entry in body.get("input", []):
        is_output = entry.get("type") in {"function_call_output", "mcp_tool_call_output"}
        if is_output and not entry["call_id"].startswith("wait_"):
            model.got(entry["call_id"], entry.get("output"))
    namespace, _, name = model.tool.rpartition("/")
    call = model.next_call()
    if call is None:
        content = [{"type": "output_text", "text": "Done."}]
        output = {"type": "message", "id": "m1", "role": "assistant", "content": content}
    elif namespace not in model.tools:  # MCP servers start meanwhile
        wait = json.dumps({"cmd": "sleep 2"})
        output = {"type": "function_call", "id": "fc_w", "call_id": f"wait_{len(model.requests)}",
                  "name": "exec_command", "arguments": wait}  # fmt: skip
    else:
        output = {"type": "function_call", "id": f"fc_{call[0]}", "call_id": call[0],
                  "name": name, "arguments": json.dumps(call[1])}  # fmt: skip
        if namespace:
            output["namespace"] = namespace
    answer = {"id": "resp_1", "object": "response", "output": [output], "usage": {
        "input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}  # fmt: skip
    return [
        ("response.created", {"type": "response.created", "response": {"id": "resp_1"}}),
        ("response.output_item.done",
         {"type": "response.output_item.done", "output_index": 0, "item": output}),
        ("response.completed", {"type": "response.completed", "response": answer}),
    ]  # fmt: skip


def chat(model: Model, body: dict) -> list[tuple[str, dict]]:
    names = {tool["function"]["name"] for tool in body.get("tools") or []}
    model.tools |= names
    for message in body.get("messages", []):
        if message.get("role") == "tool":
            model.got(message["tool_call_id"], message.get("content"))
    call = model.next_call() if model.tool in names else None
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "script"}
    if call is None:
        delta, stop = {"role": "assistant", "content": "Done."}, "stop"
    else:
        function = {"name": model.tool, "arguments": json.dumps(call[1])}
        calls = [{"index": 0, "id": call[0], "type": "function", "function": function}]
        delta, stop = {"role": "assistant", "tool_calls": calls}, "tool_calls"
    first = {"index": 0, "delta": delta, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": stop}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return [("", base | {"choices": [first]}), ("", base | {"choices": [last], "usage": usage})]


def gemini(model: Model, body: dict) -> list[tuple[str, dict]]:
    tools = body.get("tools") or []
    if any("googleSearch" in tool for tool in tools):
        chunks = [{"web": {"uri": url, "title": title}} for title, url in SITES]
        support = {"segment": {"endIndex": 9}, "groundingChunkIndices": [0, 1]}
        grounding = {"groundingChunks": chunks, "groundingSupports": [support]}
        return gemini_answer([{"text": "Two pages."}], {"groundingMetadata": grounding})
    names = {f["name"] for tool in tools for f in tool.get("functionDeclarations", [])}
    model.tools |= names
    given = [
        part["functionResponse"]
        for content in body.get("contents", [])
        for part in content.get("parts", [])
        if "functionResponse" in part
    ]
    for number, part in enumerate(given, 1):
        model.got(f"call_{number}", part.get("response"))
    call = model.next_call() if model.tool in names else None
    if call is None:
        return gemini_answer([{"text": "Done."}], {})
    return gemini_answer([{"functionCall": {"name": model.tool, "args": call[1]}}], {})


def gemini_answer(parts: list[dict], more: dict) -> list[tuple[str, dict]]:
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [("", {"candidates": [candidate | more], "usageMetadata": usage})]


PROTOCOLS = (  # how a path ends, who speaks so, and what ends its stream
    (r"/messages$", anthropic, ""),
    (r"/responses$", responses, ""),
    (r"/chat/completions$", chat, "data: [DONE]\n\n"),
    (r"[gG]enerateContent$", gemini, ""),
)


def streamed_by_path(path: str) -> bool:
    return path.endswith(("/responses", "/chat/completions")) or ":stream" in path


def answer(model: Model, path: str, body: dict) -> tuple[str, bytes]:
    """The kind of content and the content."""
    for ending, speak, end in PROTOCOLS:
        if not re.search(ending, path):
            continue
        events = speak(model, body)
        if not (body.get("stream") or streamed_by_path(path)):
            return "application/json", json.dumps(whole(events)).encode()
        text = "".join(
            (f"event: {name}\n" if name else "") + f"data: {json.dumps(value)}\n\n"
            for name, value in events
        )
        return "text/event-stream", (text + end).encode()
    if path.startswith("/search"):  # as SearXNG answers
        rows = [{"title": title, "url": url, "content": "x"} for title, url in SITES]
        found = {"query": NEW, "results": rows, "number_of_results": len(rows)}
        return "application/json", json.dumps(found).encode()
    known = {"data": [], "models": [], "object": "list", "input_tokens": 1, "totalTokens": 1}
    return "application/json", json.dumps(known).encode()


def handler_for(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            model.requests.append(f"GET {self.path}")
            self.send({})

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            model.requests.append(f"POST {self.path} {len(sent)}")
            model.notes.update(re.findall(r"gemsearch: [^\"\\<]+", sent.decode("utf-8", "replace")))
            try:
                self.send(json.loads(sent or b"{}"))
            except ValueError:
                self.send({})

        def send(self, body: dict) -> None:
            kind, content = answer(model, self.path.split("?")[0], body)
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def whole(found: list[tuple[str, dict]]) -> dict:
    """The answer to a request that asked for no stream."""
    if len(found) == 1:
        return found[0][1]
    message = dict(found[0][1]["message"])
    message["content"] = [
        value["content_block"] | {"text": "Done."}
        for name, value in found
        if name == "content_block_start" and value["content_block"]["type"] == "text"
    ]
    return message | {"stop_reason": "end_turn"}


def serve(model: Model) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(model))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
