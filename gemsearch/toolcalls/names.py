"""Tells a web search from other tools by its name.

A name is split into words. It is a web search if one of the words is `search` and another says
where: `web`, `internet`, a search engine. What a server is called counts only if the server is
about nothing else: `exa` and `brave-search` are web search servers, `google-drive` is not.
"""

from __future__ import annotations

import re
from functools import lru_cache

SEARCH, FETCH, OWN, OTHER = "search", "fetch", "own", "other"

_WEB = frozenset("web internet online www".split())
_ENGINES = frozenset(
    "baidu bing bocha brave ddg ddgs duckduckgo ecosia exa firecrawl google jina kagi linkup"
    " marginalia metaso mojeek perplexity qwant searx searxng serpapi serper startpage tavily"
    " yandex you".split()
)
_FILLERS = frozenset("ai api claude labs local mcp plugin remote search server tool tools".split())

# Words of tools that search something else than the web, and of tools that read one page.
_ELSEWHERE = frozenset(
    "ads analytics calendar chat code codebase commits console contacts content contents crawl"
    " directory docs drive email emails extract file files folder gmail glob grep history image"
    " images issue issues mail maps memories memory message messages note notes page pages photos"
    " places pull repo repos repositories repository scrape session sessions sheets slack symbol"
    " symbols thread threads ticket tickets trends users video videos".split()
)
_TOOL_FINDER = frozenset({"tool", "tools", "search"})  # finds tools by their description
_PAGES = frozenset("page pages site sites url urls webpage webpages website websites".split())
_READING = frozenset("crawl crawling extract fetch open read scrape visit".split())

_SHELLS = frozenset(
    "bash exec exec_command execute_command local_shell run_in_terminal run_shell_command"
    " run_terminal_cmd shell shell_command terminal".split()
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\dA-Z_a-z]+")
_JOINED = {
    "websearch": ("web", "search"),
    "searchweb": ("search", "web"),
    "webfetch": ("web", "fetch"),
    "toolsearch": ("tool", "search"),
    "openpage": ("open", "page"),
}


@lru_cache(maxsize=4096)
def kind_of(tool: str, server: str = "", searches: frozenset[str] = frozenset()) -> str:
    """SEARCH, FETCH, OWN (gemsearch's own tools, under any prefix) or OTHER.

    `tool` may carry its server as agents write it: mcp__server__tool, mcp_server_tool,
    server-tool, server__tool; `server` is the server where the agent names it apart.
    `searches` are further names that a person configured, as the agent writes them.
    Codex's `run` is a search only with the server `web`: the name alone says too little.
    """
    if "gemsearch" in server.lower() or "gemsearch" in tool.lower():
        return OWN
    if tool in searches:
        return SEARCH
    written, name = _split(tool)
    server_words = _words(server or written)
    words = _words(name)
    if words == ("run",) and set(server_words) <= {"web", "mcp"} and "web" in server_words:
        return SEARCH
    if _is_search(frozenset(words), server_words):
        return SEARCH
    return FETCH if _is_fetch(frozenset(words), server_words) else OTHER


def is_shell(tool: str) -> bool:
    """Whether a tool runs shell commands, in which a search may hide (`shell.searched_in`)."""
    return _split(tool)[1].lower() in _SHELLS


def is_web_search_server(name: str) -> bool:
    """Whether a server or a folder of scripts is, by its name, for searching the web alone."""
    words = frozenset(_words(name))
    return bool(words & (_WEB | _ENGINES)) and words <= _WEB | _ENGINES | _FILLERS


def _is_search(words: frozenset[str], server: tuple[str, ...]) -> bool:
    if "search" not in words or words & _ELSEWHERE:
        return False
    if words & (_WEB | _ENGINES):
        return True
    if not server:
        return words == {"search"}  # what the published query counts as well
    return is_web_search_server("_".join(server)) and words & _TOOL_FINDER == {"search"}


def _is_fetch(words: frozenset[str], server: tuple[str, ...]) -> bool:
    if not words & _READING:
        return False
    if words == {"fetch"}:
        return not server or set(server) <= _FILLERS | _WEB | {"fetch"}
    return bool(words & (_WEB | _PAGES | _ENGINES)) or is_web_search_server("_".join(server))


def _split(tool: str) -> tuple[str, str]:
    """The server that is written into a name, "" if none is, and the tool's own name."""
    if tool.startswith("mcp__"):
        server, _, name = tool[5:].rpartition("__")
        return server, name
    if tool.startswith("mcp_"):
        server, _, name = tool[4:].partition("_")
        return server, name or server
    for mark in ("__", ".", "/", ":"):
        server, found, name = tool.rpartition(mark)
        if found and name:
            return server, name
    server, found, name = tool.partition("-")
    if found and "_" in name:
        return server, name  # Copilot: exa-web_search_exa, while tavily-search is one name
    return "", tool


def _words(name: str) -> tuple[str, ...]:
    found: list[str] = []
    for word in _WORD.findall(name[:200]):
        found.extend(_JOINED.get(word.lower(), (word.lower(),)))
    return tuple(found)
