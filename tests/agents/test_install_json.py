"""Entries go into JSON text and out again, and nothing else of the text changes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemsearch.agents.installing import entries, hooks, jsonc, servers
from gemsearch.agents.installing.entries import Unfit
from gemsearch.agents.installing.jsonc import NotJson

COMMAND = ["/usr/bin/python3", "-P", "-m", "gemsearch.agents.hook", "claude-code"]


def wanted(python=COMMAND[0], **more):
    handler = {"type": "command", "command": python, "args": COMMAND[1:], "timeout": 10} | more
    return hooks.groups(("PreToolUse", "PostToolUse"), "^WebSearch$", handler)


def added(text, entries_wanted=None, before=None):
    return entries.added(text, entries_wanted or wanted(), hooks.ours, before)


def removed(text, before=None):
    return entries.removed(text, hooks.ours, before)


SERVER = servers.entry(["/usr/bin/python3", "-P", "-m", "gemsearch", "mcp"], {"type": "stdio"})

# Texts as people and agents write them; those in STRICT have no comments.
STRICT = {
    "nothing but braces": "{}",
    "braces apart": "{\n}\n",
    "no hooks": '{\n  "model": "opus",\n  "env": {"A": "1"}\n}\n',
    "no final line end": '{\n  "model": "opus"\n}',
    "tabs": '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"Bash(ls:*)"\n\t\t]\n\t}\n}\n',
    "four spaces": '{\n    "a": {\n        "b": [1, 2]\n    }\n}\n',
    "Windows' line ends": '{\r\n  "model": "opus",\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n',
    "one line": '{"model":"opus","permissions":{"allow":[]}}',
    "one line, empty hooks": '{"hooks":{},"model":"opus"}',
    "empty hooks": '{\n  "hooks": {},\n  "model": "opus"\n}\n',
    "empty hooks, apart": '{\n  "hooks": { },\n  "model": "opus"\n}\n',
    "an empty event": '{\n  "hooks": {\n    "PreToolUse": [],\n    "Stop": []\n  }\n}\n',
    "another's hooks": (
        '{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n'
        '        "hooks": [{"type": "command", "command": "lint"}]\n      }\n    ]\n  },\n'
        '  "model": "opus"\n}\n'
    ),
    "other letters": '{\n  "größe": "ß",\n  "名前": "\\u00e9 ✓",\n  "e": "\\ud83d\\ude00"\n}\n',
    "quotes and braces in strings": '{\n  "a": "}{][\\"//",\n  "b/*": "*/"\n}\n',
    "odd white space": ' \n{ "a" :1\n , "b": [ ] }\n\n\n',
    "a line that is too short": '{\n"a": 1\n}\n',
}
COMMENTED = {
    "comments": '// mine\n{\n  // model\n  "model": "opus" // the best\n  /* end */\n}\n// after\n',
    "commas at the end": '{\n  "a": [\n    1,\n  ],\n  "b": 2,\n}\n',
    "an object that is a comment": "{\n  // nothing yet\n}\n",
    "a comment in hooks": '{\n  "hooks": {\n    // later\n  }\n}\n',
    "a line's comment before hooks": '{"a":1, // note\n"hooks":{}}',
    "hooks with comments": (
        '{\n  "hooks": {\n    "PreToolUse": [ // before\n      {"matcher": "Bash"}, // lint\n'
        "      // more to come\n    ] /* x */,\n  },\n}\n"
    ),
}
TEXTS = STRICT | COMMENTED


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
class TestHooks:
    def test_out_again_to_the_byte(self, text):
        assert removed(added(text), before=text) == text

    def test_out_again_without_knowing_what_was_before(self, text):
        left = removed(added(text))
        assert "gemsearch" not in left
        assert without_empty(jsonc.parse(left).value) == without_empty(jsonc.parse(text).value)
        assert comments(left) == comments(text)

    def test_everything_else_stays(self, text):
        now = added(text)
        assert comments(now) == comments(text)
        value = jsonc.parse(now).value
        for event in ("PreToolUse", "PostToolUse"):
            assert value["hooks"][event].pop()["hooks"][0]["command"] == COMMAND[0]
        assert without_empty(value) == without_empty(jsonc.parse(text).value)

    def test_twice_is_once(self, text):
        once = added(text)
        assert added(once) == once

    def test_another_interpreter_takes_the_place_of_the_old_one(self, text):
        now = added(added(text, wanted("/old/python")), before=text)
        assert now == added(text)

    def test_lines_end_as_they_did(self, text):
        now = added(text)
        if "\n" in text:
            assert ("\r\n" in text) == ("\r\n" in now)
            assert not re.search("[^\r]\n", now) or not re.search("\r\n", now)


@pytest.mark.parametrize("text", STRICT.values(), ids=STRICT)
def test_strict_json_stays_strict(text):
    assert json.loads(added(text)) == jsonc.parse(added(text)).value


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_server_goes_in_and_out_to_the_byte(text):
    now = entries.added(text, [SERVER], servers.ours)
    assert jsonc.parse(now).value["mcpServers"]["gemsearch"]["command"] == "/usr/bin/python3"
    assert entries.removed(now, servers.ours, text) == text


def without_empty(value):
    """Without objects and arrays that are empty: removing must not leave or take more than that."""
    if isinstance(value, dict):
        found = {key: without_empty(inner) for key, inner in value.items()}
        return {key: inner for key, inner in found.items() if inner not in ({}, [])}
    return [without_empty(inner) for inner in value] if isinstance(value, list) else value


def comments(text):
    strings = r'"(?:[^"\\]|\\.)*"'
    return re.findall(r"//[^\r\n]*|/\*.*?\*/", re.sub(strings, '""', text), re.DOTALL)


# Any JSON, written in any way.

SPACE = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n", " // note\n", "/* x */"])


@st.composite
def written(draw, value):
    if isinstance(value, dict):
        inner = [
            f"{draw(SPACE)}{json.dumps(key)}{draw(SPACE)}:{draw(SPACE)}{draw(written(one))}"
            for key, one in value.items()
        ]
        return bracketed(draw, "{}", inner)
    if isinstance(value, list):
        return bracketed(draw, "[]", [draw(SPACE) + draw(written(one)) for one in value])
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def bracketed(draw, brackets, inner):
    parts = [one + draw(SPACE) for one in inner]
    end = "," if inner and draw(st.booleans()) else ""
    return brackets[0] + ",".join(parts) + end + draw(SPACE) + brackets[1]


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
GROUPS = st.lists(st.dictionaries(st.sampled_from(["matcher", "x"]), SCALARS), max_size=2)
HOOKS = st.dictionaries(st.sampled_from(["PreToolUse", "Stop"]), GROUPS, max_size=2)
DOCUMENTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=3).flatmap(
    lambda known: st.just(known) | HOOKS.map(lambda hooks_known: known | {"hooks": hooks_known})
)


@st.composite
def documents(draw):
    value = draw(DOCUMENTS)
    value = value if isinstance(value.get("hooks", {}), dict) else {}
    return value, draw(SPACE) + draw(written(value)) + draw(SPACE)


@given(documents())
def test_any_text_comes_back_to_the_byte(document):
    value, text = document
    now = added(text)
    assert removed(now, before=text) == text
    assert added(now) == now
    left = jsonc.parse(removed(now)).value
    assert without_empty(left) == without_empty(value)


@given(st.text(alphabet='{}[],:"\\/* \n\t0aé-e.truefalsn', max_size=40))
def test_the_parser_takes_what_python_takes(text):
    try:
        expected = json.loads(text, parse_constant=lambda _: pytest.fail("no constant is spelt"))
    except ValueError:
        return
    assert jsonc.parse(text).value == expected


@given(st.text(alphabet='{}[],:"\\/* \n0a', max_size=30))
def test_the_parser_says_where_it_stops(text):
    fault = None
    try:
        jsonc.parse(text)
    except NotJson as found:
        fault = found
    if fault:
        assert 1 <= fault.line <= text.count("\n") + 1
        assert str(fault).endswith(f"line {fault.line}, column {fault.column}")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": 1', "line 1, column 8"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ("{a: 1}", "line 1, column 2"),
        ("{} x", "line 1, column 4"),
        ('{"a": 01}', "line 1, column 7"),
        ("/* {", "line 1, column 1"),
        ("[" * 100, "nested"),
    ],
)
def test_what_is_no_json_is_told_with_its_place(text, where):
    with pytest.raises(NotJson, match=where):
        added(text)


@pytest.mark.parametrize(
    "text", ["[]", '"x"', '{"hooks": []}', '{"hooks": null}', '{"hooks": {"PreToolUse": {}}}']
)
def test_a_shape_that_the_agent_does_not_document_is_left_alone(text):
    with pytest.raises(Unfit):
        added(text)


class TestWhatAPersonDidMeanwhile:
    """The file is not what `install` left: ours goes, theirs stays."""

    BEFORE = '{\n  "model": "opus"\n}\n'

    def now(self, *changes):
        text = added(self.BEFORE)
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        return text

    def test_a_setting_was_added_after_ours(self):
        text = self.now(("\n}\n", ',\n  "theme": "dark"\n}\n'))
        left = removed(text, self.BEFORE)
        assert left == '{\n  "model": "opus",\n  "theme": "dark"\n}\n'

    def test_a_hook_was_added_to_our_event(self):
        theirs = '{"matcher": "Bash", "hooks": []}'
        text = self.now(('"PreToolUse": [', f'"PreToolUse": [\n      {theirs},'))
        left = json.loads(removed(text, self.BEFORE))
        assert left == {"model": "opus", "hooks": {"PreToolUse": [json.loads(theirs)]}}

    def test_a_handler_was_added_to_our_group(self):
        theirs = '{"type": "command", "command": "tee log"}'
        text = self.now(('"hooks": [\n', f'"hooks": [\n          {theirs},\n'))
        left = json.loads(removed(text, self.BEFORE))
        (group,) = left["hooks"]["PreToolUse"]
        assert group["hooks"] == [json.loads(theirs)]
        assert "gemsearch" not in json.dumps(left)

    def test_our_entry_was_edited(self):
        text = self.now(('"timeout": 10', '"timeout": 60'), ("^WebSearch$", "WebSearch|look"))
        assert removed(text, self.BEFORE) == self.BEFORE
        assert added(text, before=self.BEFORE) == added(self.BEFORE)

    def test_our_entry_was_written_as_one_string(self):
        text = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "%s"}]}]}}'
        for command in ("gemsearch-hook claude-code", "'/a b/py' -m gemsearch.agents.hook x"):
            assert removed(text % command) == "{}"

    def test_the_agent_wrote_the_file_anew(self):
        text = json.dumps(json.loads(self.now()), indent=4, ensure_ascii=True)
        assert added(text) == text
        assert json.loads(removed(text, self.BEFORE)) == {"model": "opus"}

    def test_another_programs_hook_that_only_speaks_of_us_stays(self):
        theirs = {"type": "command", "command": "notify 'gemsearch agents hook'"}
        text = json.dumps({"hooks": {"PreToolUse": [{"hooks": [theirs]}]}})
        assert removed(text) == text


def test_a_server_that_a_person_set_up_in_another_way_is_left_alone():
    text = '{"mcpServers": {"gemsearch": {"command": "uvx", "args": ["gemsearch", "mcp"]}}}'
    with pytest.raises(Unfit, match=r"mcpServers\.gemsearch"):
        entries.added(text, [SERVER], servers.ours)
    assert entries.removed(text, servers.ours) == text
