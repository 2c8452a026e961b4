"""What Codex' config.toml says of hooks: whether a person reviewed them, whether search is on.

Codex stores the hash of each hook that was reviewed, under the file, event and places where it
stands. The hash is of a normal form of the hook; it was found out by comparing with Codex 0.171.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from typing import TYPE_CHECKING, Any

from gemsearch.agents.installing import codex_toml, files, hooks, jsonc
from gemsearch.errors import GemsearchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EVENTS = {"PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use"}


def settings(path: str) -> dict[str, Any]:
    """The values of config.toml; none when there is none or it can't be read."""
    try:
        contents = files.read(path)
        return tomllib.loads(contents.text) if contents else {}
    except (GemsearchError, tomllib.TOMLDecodeError):
        return {}


def search_is_off(values: Mapping[str, Any]) -> bool:
    return values.get(codex_toml.SEARCH) == codex_toml.OFF


def unreviewed(path: str, text: str, values: Mapping[str, Any]) -> bool:
    """Whether a hook of ours in hooks.json is one that Codex skips for now."""
    return any(_trusted(values, key) != now for key, now in _hashes(path, text))


def _trusted(values: Mapping[str, Any], key: str) -> object:
    found: Any = values
    for name in ("hooks", "state", key, "trusted_hash"):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _hashes(path: str, text: str) -> Iterator[tuple[str, str]]:
    """The key and the hash of each hook of ours."""
    root: Any = jsonc.parse(text).value
    for event, label in _EVENTS.items():
        for group_no, group in enumerate(root["hooks"].get(event, [])):
            for handler_no, handler in enumerate(group.get("hooks", [])):
                if hooks.is_ours(handler):
                    key = f"{path}:{label}:{group_no}:{handler_no}"
                    yield key, _hash(label, group.get("matcher"), handler)


def _hash(label: str, matcher: object, handler: Mapping[str, Any]) -> str:
    normal = {
        "type": "command",
        "command": handler["command"],
        "timeout": handler.get("timeout", 600),
        "async": handler.get("async", False),
    }
    identity = {"event_name": label, "matcher": matcher, "hooks": [normal]}
    written = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(written.encode()).hexdigest()}"
