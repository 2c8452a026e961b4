"""Where agents' logs are looked for."""

from __future__ import annotations

import pytest

from gemsearch.errors import WrongCall
from gemsearch.history.finding import GENERIC, READERS, default_sources, found
from gemsearch.history.model import Source
from tests.history.logs import copied_home


def test_every_agents_default_place_is_found(tmp_path):
    home = copied_home(tmp_path)
    assert found({}, str(home)) == [
        Source(reader, str(home / place))
        for reader, place in [
            ("claude-code", ".claude/projects"),
            ("codex", ".codex/sessions"),
            ("codex", ".codex/archived_sessions"),
            ("gemini", ".gemini/tmp"),
            ("opencode", ".local/share/opencode"),
            ("pi", ".pi/agent/sessions"),
            ("omp", ".omp/agent/sessions"),
            ("copilot", ".copilot/session-state"),
            ("copilot", ".copilot/history-session-state"),
            ("llm", ".config/io.datasette.llm/logs.db"),
            ("goose", ".local/share/goose/sessions/sessions.db"),
            ("agentsview", ".agentsview/sessions.db"),
        ]
    ]


@pytest.mark.parametrize(
    ("variable", "reader", "below"),
    [
        ("CLAUDE_CONFIG_DIR", "claude-code", "projects"),
        ("CODEX_HOME", "codex", "sessions"),
        ("GEMINI_CLI_HOME", "gemini", ".gemini/tmp"),
        ("XDG_DATA_HOME", "opencode", "opencode"),
        ("PI_CODING_AGENT_DIR", "pi", "sessions"),
        ("COPILOT_HOME", "copilot", "session-state"),
        ("LLM_USER_PATH", "llm", "logs.db"),
        ("GOOSE_PATH_ROOT", "goose", "data/sessions/sessions.db"),
        ("AGENTSVIEW_DATA_DIR", "agentsview", "sessions.db"),
        ("AGENT_VIEWER_DATA_DIR", "agentsview", "sessions.db"),
    ],
)
def test_an_agents_own_variable_moves_its_place(tmp_path, variable, reader, below):
    (tmp_path / "moved" / below).mkdir(parents=True)
    environ = {variable: str(tmp_path / "moved")}
    assert Source(reader, str(tmp_path / "moved" / below)) in found(environ, "/home/nobody")


def test_a_variable_that_is_set_to_nothing_moves_nothing():
    assert default_sources("codex", {"CODEX_HOME": ""}, "/home/kai")[0].path == (
        "/home/kai/.codex/sessions"
    )


def test_generic_readers_have_no_place():
    assert set(GENERIC) <= set(READERS)
    for reader in GENERIC:
        assert default_sources(reader, {}, "/home/kai") == []


def test_a_reader_that_does_not_exist_is_a_wrong_call():
    with pytest.raises(WrongCall, match="no reader 'nonsense'"):
        default_sources("nonsense", {}, "/home/kai")
