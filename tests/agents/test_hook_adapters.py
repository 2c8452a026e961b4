"""Adapters take whatever JSON can hold, and give one JSON object or nothing."""

from __future__ import annotations

import json
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemsearch.agents.answering import ADAPTERS
from gemsearch.agents.deciding import searched_for
from gemsearch.agents.event import (
    AFTER,
    ALLOW,
    BEFORE,
    DENY,
    FAILED,
    NOTE,
    REPLACE,
    Decision,
    Event,
)
from tests.agents.hooked import AGENTS, Call

KEYS = (
    "hook_event_name event tool tool_name toolName tool_input toolArgs input tool_response"
    " toolResult tool_result result_json details text error session session_id sessionId"
    " conversation_id call_id tool_use_id cwd workspace_roots mcp_server mcp_context command"
).split()
EVENTS = (
    "PreToolUse PostToolUse PostToolUseFailure BeforeTool AfterTool pre post fail"
    " beforeMCPExecution afterMCPExecution"
).split()

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(["query", "name", "error"]), inner)
    ),
    max_leaves=8,
)
payloads = st.fixed_dictionaries(
    {"hook_event_name": st.sampled_from(EVENTS), "event": st.sampled_from(EVENTS)},
    optional={key: anything for key in KEYS if key not in {"hook_event_name", "event"}},
)


def adapter(name):
    return import_module(f"gemsearch.agents.adapters.{name}")


@pytest.mark.parametrize("name", sorted(set(ADAPTERS.values())))
@settings(max_examples=30)
@given(payloads)
def test_any_payload_is_an_event_or_none(name, payload):
    event = adapter(name).event_of(payload)
    if event is None:
        return
    assert event.phase in {BEFORE, AFTER, FAILED}
    texts = (event.tool, event.call_id, event.session, event.project, event.server)
    assert all(isinstance(text, str) and len(text) <= 500 for text in texts)
    kind, topics = searched_for(event)
    assert kind == "search" or not topics


@pytest.mark.parametrize("name", sorted(set(ADAPTERS.values())))
@settings(max_examples=30)
@given(
    st.sampled_from([ALLOW, DENY, NOTE, REPLACE]),
    st.text(max_size=600),
    st.none()
    | st.builds(Event, st.sampled_from([BEFORE, AFTER, FAILED]), st.text(), anything, anything),
)
def test_any_decision_is_one_object_in_ascii_or_nothing(name, kind, text, event):
    answer = adapter(name).answer_to(Decision(kind, text), event)
    assert answer.isascii()
    assert answer == "" or isinstance(json.loads(answer), dict)
    if kind == ALLOW:
        assert answer in {"", "{}"}


@pytest.mark.parametrize("agent", AGENTS)
def test_an_event_says_who_searches_for_what(agent):
    event_of = adapter(ADAPTERS[agent]).event_of
    call = Call(agent, "tidal mill restoration", "call-7", "session-7")
    events = {
        BEFORE: event_of(call.before()),
        AFTER: event_of(call.after([("A mill", "https://example.com/mill")])),
    }
    for phase, event in events.items():
        assert (event.phase, event.session, event.project) == (phase, "session-7", "/home/dev/kiln")
        assert searched_for(event) == ("search", ("tidal mill restoration",))
        assert event.call_id == ("" if agent in {"gemini", "copilot", "cursor"} else "call-7")
