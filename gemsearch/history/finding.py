"""Where agents keep their logs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.errors import WrongCall
from gemsearch.history.model import Source
from gemsearch.history.readers import READERS as _READERS

if TYPE_CHECKING:
    from collections.abc import Mapping

READERS = tuple(_READERS)  # what `gemsearch mine --source NAME` takes
GENERIC = ("jsonl", "sql")  # these need a path and are told how to read it


class _Place(NamedTuple):
    variable: str  # of the environment, names the base folder
    base: str | None  # below the home folder, if the variable isn't set; None: then no place
    below: str


_PLACES = {
    "claude-code": (
        _Place("CLAUDE_CONFIG_DIR", ".claude", "projects"),
        _Place("XDG_CONFIG_HOME", ".config", "claude/projects"),
    ),
    "codex": (
        _Place("CODEX_HOME", ".codex", "sessions"),
        _Place("CODEX_HOME", ".codex", "archived_sessions"),
    ),
    "gemini": (_Place("GEMINI_CLI_HOME", "", ".gemini/tmp"),),
    "opencode": (_Place("XDG_DATA_HOME", ".local/share", "opencode"),),
    "pi": (_Place("PI_CODING_AGENT_DIR", ".pi/agent", "sessions"),),
    "omp": (_Place("", ".omp/agent", "sessions"),),
    "copilot": (
        _Place("COPILOT_HOME", ".copilot", "session-state"),
        _Place("COPILOT_HOME", ".copilot", "history-session-state"),
    ),
    "llm": (
        _Place("LLM_USER_PATH", None, "logs.db"),
        _Place("XDG_CONFIG_HOME", ".config", "io.datasette.llm/logs.db"),
        _Place("", "Library/Application Support", "io.datasette.llm/logs.db"),
        _Place("APPDATA", None, "io.datasette.llm/logs.db"),
    ),
    "goose": (
        _Place("GOOSE_PATH_ROOT", None, "data/sessions/sessions.db"),
        _Place("XDG_DATA_HOME", ".local/share", "goose/sessions/sessions.db"),
        _Place("APPDATA", None, "Block/goose/data/sessions/sessions.db"),
    ),
    "agentsview": (
        _Place("AGENTSVIEW_DATA_DIR", None, "sessions.db"),
        _Place("AGENT_VIEWER_DATA_DIR", None, "sessions.db"),
        _Place("", ".agentsview", "sessions.db"),
    ),
}


def found(environ: Mapping[str, str], home: str) -> list[Source]:
    """The sources that exist on this machine, in the order of READERS.

    Default places below `home`, and those that the agents' own environment variables name.
    """
    places = (source for reader in READERS for source in default_sources(reader, environ, home))
    return [source for source in places if os.path.exists(source.path)]


def default_sources(reader: str, environ: Mapping[str, str], home: str) -> list[Source]:
    """Where one reader's logs would be, whether or not they exist; none for the generic readers.

    Raises WrongCall for a reader that doesn't exist.
    """
    if reader not in READERS:
        raise WrongCall(f"there is no reader {reader!r}", hint=f"Readers: {', '.join(READERS)}.")
    folders = [
        os.path.join(home, environ.get(place.variable) or place.base or "", *place.below.split("/"))
        for place in _PLACES.get(reader, ())
        if environ.get(place.variable) or place.base is not None
    ]
    return [Source(reader, folder) for folder in dict.fromkeys(map(os.path.normpath, folders))]
