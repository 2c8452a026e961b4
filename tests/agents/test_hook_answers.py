"""What each agent is told, to the letter, for each event and outcome."""

from __future__ import annotations

import json

import pytest

from tests.agents.conftest import PAGES, TOPIC
from tests.agents.hooked import AGENTS, Call
from tests.agents.told import (
    COVERED,
    RECURRING,
    REPLACED,
    REWORDED,
    UNCHECKED,
    claude_after,
    denied,
    noted_after,
    noted_before,
    replaced,
    says,
    topics_in,
)

NEW = [(f"Page {n}", f"https://example.com/new/{n}") for n in range(3)]


@pytest.mark.parametrize("agent", AGENTS)
class TestBeforeASearch:
    def test_a_new_topic_may_be_searched(self, hook, agent):
        assert says(hook(Call(agent, "wood ash glaze recipes").before(), agent), agent, None)

    def test_a_covered_topic_is_refused_with_what_was_found(self, hook, agent):
        ran = hook(Call(agent, "firing reduction RAKU kiln").before(), agent)
        assert says(ran, agent, denied(agent, COVERED))

    def test_a_covered_topic_is_only_noted_when_hooks_warn(self, hook, agent):
        ran = hook(Call(agent, TOPIC).before(), agent, "--mode", "warn")
        note = "gemsearch: already covered: #1 raku kiln reduction firing  [2026-05-11]"
        assert says(ran, agent, noted_before(agent, note))

    def test_nothing_is_said_when_hooks_record(self, hook, agent):
        assert says(hook(Call(agent, TOPIC).before(), agent, "--mode=record"), agent, None)

    def test_an_error_of_ours_lets_the_search_go_on(self, new_hook, agent):
        with open(new_hook.ledger, "wb") as file:
            file.write(b"not a database, but long enough to be taken for one" * 30)
        assert says(new_hook(Call(agent, TOPIC).before(), agent), agent, None)

    def test_an_error_of_ours_denies_it_if_so_chosen(self, new_hook, agent):
        with open(new_hook.ledger, "wb") as file:
            file.write(b"not a database, but long enough to be taken for one" * 30)
        ran = new_hook(Call(agent, TOPIC).before(), agent, "--fail-closed")
        assert says(ran, agent, denied(agent, UNCHECKED))


@pytest.mark.parametrize("agent", AGENTS)
class TestAfterASearch:
    def test_new_results_are_shown_and_recorded(self, hook, agent):
        ran = hook(Call(agent, "wood ash glaze recipes").after(NEW), agent)
        assert says(ran, agent, None)
        assert topics_in(hook) == [TOPIC, "wood ash glaze recipes"]

    def test_recurring_sources_are_noted(self, hook, agent):
        ran = hook(Call(agent, REWORDED).after(PAGES), agent)
        assert says(ran, agent, noted_after(agent, RECURRING))
        assert topics_in(hook) == [TOPIC, REWORDED]

    def test_recurring_results_are_replaced_when_the_source_gate_denies(self, hook, agent):
        ran = hook(Call(agent, REWORDED).after(PAGES), agent, "--source-mode", "deny")
        assert says(ran, agent, replaced(agent, REPLACED))
        assert topics_in(hook) == [TOPIC]

    def test_a_failed_search_is_neither_recorded_nor_commented_on(self, hook, agent):
        assert says(hook(Call(agent, REWORDED).failed(), agent), agent, None)
        assert topics_in(hook) == [TOPIC]

    def test_an_error_of_ours_leaves_the_results_as_they_are(self, new_hook, agent):
        with open(new_hook.ledger, "wb"):
            pass
        ran = new_hook(Call(agent, TOPIC).after(NEW), agent, "--fail-closed")
        assert says(ran, agent, None)
        assert "LedgerEmpty" in new_hook.logged()[0]


LISTED = "\n\n".join(f"Title: {title}\nURL: {url}" for title, url in PAGES)
BLOCK = {"type": "text", "text": REPLACED}


@pytest.mark.parametrize(
    ("response", "shape"),
    [
        ({"content": [{"type": "text", "text": LISTED}]}, {"content": [BLOCK]}),
        ([{"type": "text", "text": LISTED}], [BLOCK]),
        (LISTED, REPLACED),
    ],
    ids=["content", "list", "text"],
)
def test_a_replaced_answer_of_an_mcp_tool_has_the_shape_of_its_own(hook, response, shape):
    event = Call("claude-code", REWORDED, tool="mcp__exa__web_search_exa").after(PAGES)
    ran = hook(event | {"tool_response": response}, "claude-code", "--source-mode", "deny")
    assert ran.json == claude_after(updatedToolOutput=shape)


def test_copilot_may_name_its_fields_as_vs_code_does(hook):
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": "session-1",
        "timestamp": "2026-11-01T14:00:00Z",
        "cwd": "/home/dev/kiln",
        "tool_name": "WebSearch",
        "tool_input": {"query": TOPIC},
    }
    assert says(hook(event, "copilot"), "copilot", denied("copilot", COVERED))


def test_an_answer_is_one_object_in_ascii(hook):
    ran = hook(Call("codex", TOPIC).before(), "codex")
    assert ran.out.isascii()
    assert json.dumps(json.loads(ran.out)) == ran.out
