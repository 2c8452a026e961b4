"""Searches within shell commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemsearch.toolcalls.names import OWN, SEARCH
from gemsearch.toolcalls.shell import ShellSearch, command_of, searched_in


@pytest.mark.parametrize(
    ("command", "topic"),
    [
        ('brave-search/search.js "violin rosin" -n 5', "violin rosin"),
        ("/home/kai/.pi/skills/brave-search/search.js violin rosin", "violin rosin"),
        ('node ~/skills/brave-search/search.js --content "violin rosin"', "violin rosin"),
        ("cd ~/skills && tavily-search/search.mjs 'violin' 2>/dev/null | head -3", "violin"),
        ("bash -lc \"brave-search/search.js 'violin rosin' -n 3\"", "violin rosin"),
        ("API_KEY=x timeout 30 python3 web_search.py 'violin rosin' > out", "violin rosin"),
        ("ddgr --json -n 4 violin rosin", "violin rosin"),
        ("googler violin", "violin"),
        ("exa search 'violin rosin'", "violin rosin"),
        ('brave-search/search.js "c# tips" # only the first', "c# tips"),
        ("brave-search/search.js -- --verbose flag", "--verbose flag"),
        ("ls; brave-search/search.js 'first one'; brave-search/search.js second", "first one"),
    ],
)  # fmt: skip
def test_a_known_search_script_is_found_in_a_command(command, topic):
    assert searched_in(command) == ShellSearch(SEARCH, topic)


@pytest.mark.parametrize(
    ("command", "topic"),
    [
        ('gemsearch search "violin rosin"', "violin rosin"),
        ("gemsearch search -p sample 'violin rosin' --json", "violin rosin"),
        ("gemsearch check violin rosin", "violin rosin"),
        ("gemsearch record 'violin rosin' < rows.json", "violin rosin"),
        ("GEMSEARCH_DB=/tmp/g.db /opt/bin/gemsearch search violin", "violin"),
        ("python -m gemsearch search violin", "violin"),
        ("uvx gemsearch search violin", "violin"),
        ("bash -c 'cd /tmp && gemsearch search \"violin rosin\" | tail -2'", "violin rosin"),
    ],
)
def test_our_own_command_is_told_apart(command, topic):
    assert searched_in(command) == ShellSearch(OWN, topic)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "ls -la",
        "echo gemsearch search violin",
        "grep -rn search src/",
        "rg 'web_search' | wc -l",
        "cat search.js",
        "node search.js violin",
        "gemsearch gems",
        "gemsearch --help",
        "brave-search/search.js",
        'for q in a b; do brave-search/search.js "$q"; done',
        "cat > notes.sh <<'EOF'\ngemsearch search violin\nEOF",
        "# gemsearch search violin",
        'brave-search/search.js "violin',
        "python google-search-console.py 'violin'",
        "file-search/search.sh violin",
    ],
)
def test_other_commands_are_no_search(command):
    assert searched_in(command) is None


def test_a_script_that_a_person_configured_is_a_search():
    assert searched_in("./find-it.sh violin rosin") is None
    for name in ("find-it.sh", "tools/find-it.sh"):
        found = searched_in("tools/find-it.sh violin rosin", frozenset({name}))
        assert found == ShellSearch(SEARCH, "violin rosin")


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({"command": "ls"}, "ls"),
        ('{"command": "ls", "workdir": "/"}', "ls"),
        ({"cmd": ["bash", "-lc", "ls -l"]}, "bash -lc 'ls -l'"),
        ({"command": 3}, ""),
        ("nothing", ""),
        (None, ""),
    ],
)
def test_a_shell_tools_command_is_found_in_its_arguments(arguments, command):
    assert command_of(arguments) == command


@given(st.text(alphabet="gemsarch \"'|;&<>()$\\\n-#=/."))
def test_no_command_is_an_error(text):
    found = searched_in(f"gemsearch search {text}")
    assert found is None or found.kind in {OWN, SEARCH}


def test_a_command_that_holds_a_document_is_not_looked_through():
    assert searched_in("gemsearch search 'x' " + "a " * 3_000_000) is None
