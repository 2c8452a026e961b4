"""Codex' config.toml: the built-in search off, our MCP server on. Lines are put in and taken out.

What goes in carries a mark of ours, so that it is found again after Codex or a person has written
to the file. Each edit is read back with a TOML parser: if anything else changed, nothing is done.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from gemsearch.agents.installing import commands
from gemsearch.agents.installing.entries import Unfit

if TYPE_CHECKING:
    from collections.abc import Sequence

SEARCH, SERVERS, NAME = "web_search", "mcp_servers", "gemsearch"
OFF = "disabled"
# As with the search that it stands for, nobody is asked each time; `codex exec` could not ask.
_APPROVAL, _APPROVED = "default_tools_approval_mode", "approve"
_BEGIN = "# >>> gemsearch: `gemsearch uninstall codex` takes these lines out"
_END = "# <<< gemsearch"
_MARK = "# gemsearch"
_BLOCK = re.compile(
    rf"(?:(?<=\n)\r?\n)?{re.escape(_BEGIN)}\r?\n.*?{re.escape(_END)}\r?\n?", re.DOTALL
)
_SWITCH = re.compile(
    rf'^{SEARCH} = "{OFF}"  {_MARK}(?:: was (?P<was>.*?))?(?P<end>\r?\n|\Z)', re.MULTILINE
)
_OTHER_SWITCH = re.compile(rf"^{SEARCH}[ \t]*=[^\r\n]*", re.MULTILINE)


def added(text: str, words: Sequence[str], before: str | None = None) -> str:
    """The text with both. Raises Unfit, and TOMLDecodeError for a text that is none."""
    without = removed(text, before)
    now = _with_both(without, words)
    wanted = _values(without) | {SEARCH: OFF}
    server = {"command": words[0], "args": list(words[1:]), _APPROVAL: _APPROVED}
    wanted[SERVERS] = _servers(wanted) | {NAME: server}
    if _values_or_none(now) != wanted:
        raise Unfit(f"`{SEARCH}` or `{SERVERS}` stands there in a form that can't be added to")
    return text if _values(text) == _values(now) else now  # a person may have moved it


def removed(text: str, before: str | None = None) -> str:
    """The text without both, and with the setting that the built-in search had."""
    _values(text)  # a broken file is reported, never changed
    if before is not None and _leads_to(before, text):
        return before
    without = _BLOCK.sub("", text)
    found = _SWITCH.search(without)
    if found:
        was = f"{found['was']}{found['end']}" if found["was"] else ""
        without = without[: found.start()] + was + without[found.end() :]
    own = _servers(_values(without)).get(NAME)
    if own is not None and commands.is_server(commands.words_of(own)):
        return _without_unmarked(without)
    return without


def found(text: str) -> list[list[str]]:
    """The command of our server, by words."""
    own = commands.words_of(_servers(_values(text)).get(NAME))
    return [own] if commands.is_server(own) else []


def _with_both(text: str, words: Sequence[str]) -> str:
    values = _values(text)
    if NAME in _servers(values):
        raise Unfit(f"`{SERVERS}.{NAME}` is there already and isn't of `gemsearch install`")
    return _with_switch(_with_server(text, words), values.get(SEARCH))


def _with_switch(text: str, now: object) -> str:
    """`now` is what the setting says, None when it isn't there."""
    line = f'{SEARCH} = "{OFF}"  {_MARK}'
    if now == OFF:
        return text
    if now is None:
        return f"{line}{_line_end(text)}{text}"  # above all else no table can claim it
    return _OTHER_SWITCH.sub(lambda old: f"{line}: was {old[0]}", text, count=1)


def _with_server(text: str, words: Sequence[str]) -> str:
    end = _line_end(text)
    # JSON's strings and arrays of them are TOML's, but for DEL, which no path needs.
    lines = (
        _BEGIN,
        f"[{SERVERS}.{NAME}]",
        f"command = {json.dumps(words[0], ensure_ascii=False)}",
        f"args = {json.dumps(list(words[1:]), ensure_ascii=False)}",
        f'{_APPROVAL} = "{_APPROVED}"',
        _END,
    )
    gap = end if text and not text.endswith("\n") else ""
    return f"{text}{gap}{end if text else ''}{end.join(lines)}{end}"


def _leads_to(before: str, text: str) -> bool:
    words = next(iter(found(text)), None)
    try:
        return words is not None and _with_both(before, words) == text
    except (Unfit, tomllib.TOMLDecodeError):
        return False


def _without_unmarked(text: str) -> str:
    import tomlkit  # start-up: only for a table that lost its marks

    document = tomlkit.parse(text)
    servers: Any = document[SERVERS]
    del servers[NAME]
    return tomlkit.dumps(document)


def _values(text: str) -> dict[str, Any]:
    return tomllib.loads(text.replace("\r\n", "\n"))


def _values_or_none(text: str) -> dict[str, Any] | None:
    try:
        return _values(text)
    except tomllib.TOMLDecodeError:
        return None


def _servers(values: dict[str, Any]) -> dict[str, Any]:
    servers = values.get(SERVERS, {})
    return servers if isinstance(servers, dict) else {}


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
