"""Which tools are web searches, by the names that agents write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemsearch.toolcalls import names
from gemsearch.toolcalls.names import FETCH, OTHER, OWN, SEARCH, kind_of

SEARCHES = """
WebSearch google_web_search websearch web_search web.run search_web internet_search
brave_web_search web_search_exa web_search_advanced_exa exa_search tavily_search tavily-search
searxng_web_search firecrawl_search web_search_prime kagi_search_fetch full-web-search search
mcp__brave-search__brave_web_search mcp__tavily__tavily-search mcp__exa__web_search_exa
mcp__tavily__search mcp__plugin_exa_exa__web_search_exa mcp__claude_ai_Exa__search
mcp_exa_web_search_exa exa-web_search_exa exa__web_search_exa exa_web_search_exa
""".split()

FETCHES = """
WebFetch web_fetch webfetch read_web_page open_page fetch mcp__fetch__fetch tavily_extract
firecrawl_scrape crawling_exa web_fetch_exa mcp_web-search_fetch_page mcp__web-search__read_page
""".split()

OTHERS = """
ToolSearch tool_search search_code code_search grep Grep glob Glob grep_search Read bash
session_search search_file_content codebase_search search_files file_search google_search_console
mcp__github__search_code mcp__x__session_search mcp__tools__tool_search mcp__fs__search_files
mcp__web-search__tool_search mcp__web-search__list_engines mcp__notion__search
mcp__google-drive__search mcp__slack__search_messages mcp__exa__search_code exa_code_search
mcp__search__status mcp_search_status run mcp__db__run brave_image_search
""".split()

OURS = """
mcp__gemsearch__search mcp__gemsearch__record mcp__gemsearch__check mcp_gemsearch_record
gemsearch_search gemsearch-search gemsearch__check mcp__plugin_gemsearch_gemsearch__search
""".split()


@pytest.mark.parametrize("name", SEARCHES)
def test_a_web_search_is_known_by_its_name(name):
    assert kind_of(name) == SEARCH


@pytest.mark.parametrize("name", FETCHES)
def test_a_tool_that_reads_one_page_is_no_search(name):
    assert kind_of(name) == FETCH


@pytest.mark.parametrize("name", OTHERS)
def test_a_search_elsewhere_than_on_the_web_is_left_alone(name):
    assert kind_of(name) == OTHER


@pytest.mark.parametrize("name", OURS)
def test_our_own_tools_are_known_first_under_any_prefix(name):
    assert kind_of(name) == OWN


@pytest.mark.parametrize(
    ("tool", "server", "kind"),
    [
        ("search", "gemsearch", OWN),
        ("web_search", "mcp__gemsearch", OWN),
        ("run", "web", SEARCH),
        ("run", "sql", OTHER),
        ("web_search_exa", "mcp__exa", SEARCH),
        ("search", "exa", SEARCH),
        ("search", "filesystem", OTHER),
        ("status", "brave-search", OTHER),
    ],
)
def test_a_server_that_is_named_apart_counts_as_if_it_were_written_into_the_name(
    tool, server, kind
):
    assert kind_of(tool, server) == kind


def test_a_name_that_a_person_configured_is_a_search():
    assert kind_of("Lookup") == OTHER
    assert kind_of("Lookup", "", frozenset({"Lookup"})) == SEARCH
    assert kind_of("gemsearch_lookup", "", frozenset({"gemsearch_lookup"})) == OWN


@pytest.mark.parametrize(
    "name", ["Bash", "bash", "shell", "shell_command", "exec_command", "run_shell_command",
             "container.exec", "developer__shell", "local_shell"],
)  # fmt: skip
def test_tools_that_run_commands_are_known(name):
    assert names.is_shell(name)
    assert kind_of(name) == OTHER


@given(st.text(), st.text())
def test_any_name_has_a_kind(tool, server):
    assert kind_of(tool, server) in {SEARCH, FETCH, OWN, OTHER}


@given(st.sampled_from(SEARCHES), st.sampled_from(["mcp__gemsearch__", "gemsearch_", "gemsearch-"]))
def test_nothing_behind_our_own_prefix_is_taken_for_a_foreign_search(name, prefix):
    assert kind_of(prefix + name) == OWN
