"""Codex' config.toml: the built-in search goes off and our server on, and all comes back."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemsearch.agents.installing import codex_toml, codex_trust
from gemsearch.agents.installing.entries import Unfit

WORDS = ["/a b/python3", "-P", "-m", "gemsearch", "mcp", "--db", 'C:\\x "y"/größe.db']

TEXTS = {
    "nothing": "",
    "a setting": 'model = "gpt-5"\n',
    "no final line end": 'model = "gpt-5"',
    "comments": '# mine\nmodel = "x"  # the best\n\n[mcp_servers.x]\ncommand = "y" # z\n# end\n',
    "Windows' line ends": 'model = "gpt-5"\r\n\r\n[features]\r\nhooks = true\r\n',
    "only tables": '[mcp_servers.exa]\ncommand = "npx"\nargs = ["-y", "exa"]\n',
    "arrays of tables": '[[hooks.PreToolUse]]\nmatcher = "Bash"\n',
    "search is on": 'web_search = "live"\nmodel = "x"\n',
    "search is on, with a comment": 'a = 1\nweb_search="cached"   # why not\n[t]\nb = 2\n',
    "search is off already": '# done\nweb_search = "disabled"\n',
    "a table that looks like the setting": "[tools]\nweb_search = true\n",
    "text that looks like a table": 'a = """\n[mcp_servers.gemsearch]\nweb_search = 1\n"""\n',
    "other letters": 'name = "größe 名前"\n',
    "a blank first line": '\n\nmodel = "x"\n\n\n',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
class TestConfigToml:
    def test_out_again_to_the_byte(self, text):
        assert codex_toml.removed(codex_toml.added(text, WORDS), text) == text

    def test_out_again_without_knowing_what_was_before(self, text):
        left = codex_toml.removed(codex_toml.added(text, WORDS))
        assert left in {text, f"{text}\n"}
        assert tomllib.loads(left) == tomllib.loads(text)

    def test_the_search_is_off_the_server_is_on_and_nothing_else_changed(self, text):
        found = tomllib.loads(codex_toml.added(text, WORDS))
        assert found.pop("web_search") == "disabled"
        ours = found["mcp_servers"].pop("gemsearch")
        assert [ours.pop("command"), *ours.pop("args")] == WORDS
        assert ours == {"default_tools_approval_mode": "approve"}
        before = tomllib.loads(text)
        before.pop("web_search", None)
        assert found == {"mcp_servers": {}} | before

    def test_twice_is_once(self, text):
        once = codex_toml.added(text, WORDS)
        assert codex_toml.added(once, WORDS) == once

    def test_another_interpreter_takes_the_place_of_the_old_one(self, text):
        old = codex_toml.added(text, ["/old/python", *WORDS[1:]])
        assert codex_toml.added(old, WORDS, text) == codex_toml.added(text, WORDS)
        assert codex_toml.found(codex_toml.added(old, WORDS)) == [WORDS]


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers.gemsearch]\ncommand = "uvx"\n',
        'mcp_servers = {exa = {command = "npx"}}\n',
        "mcp_servers = 5\n",
        'web_search = """\nlive"""\n',
    ],
)
def test_a_form_that_can_not_be_added_to_is_left_alone(text):
    with pytest.raises(Unfit):
        codex_toml.added(text, WORDS)


def test_invalid_toml_is_neither_added_to_nor_taken_from():
    for change in (lambda text: codex_toml.added(text, WORDS), codex_toml.removed):
        with pytest.raises(tomllib.TOMLDecodeError):
            change("[x\n")


def test_what_codex_adds_afterwards_stays():
    text = codex_toml.added('model = "x"\n', WORDS)
    trusted = '\n[projects."/home/x"]\ntrust_level = "trusted"\n'
    assert codex_toml.removed(text + trusted, 'model = "x"\n') == 'model = "x"\n' + trusted


def test_a_table_that_lost_its_marks_is_found_all_the_same():
    text = codex_toml.added('model = "x"\n', WORDS)
    bare = "".join(line for line in text.splitlines(keepends=True) if line[0] != "#")
    assert tomllib.loads(codex_toml.removed(bare)) == {"model": "x"}


TOML_LINES = st.lists(
    st.sampled_from(
        [
            "",
            "# note",
            "a = 1",
            'b = "x" # y',
            "[t]",
            "[t.u]",
            "c = [1,\n 2]",
            'web_search = "live"',
        ]
    ),
    max_size=6,
)


@given(TOML_LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_toml_comes_back_to_the_byte(lines, end, ended):
    text = end.join(lines) + (end if ended else "")
    try:
        tomllib.loads(text.replace("\r\n", "\n"))
        now = codex_toml.added(text, WORDS)
    except (tomllib.TOMLDecodeError, Unfit):
        return
    assert codex_toml.removed(now, text) == text


class TestTrust:
    """Codex skips hooks that nobody reviewed; what it stores of a review is its own."""

    TEXT = (
        '{"hooks": {"PreToolUse": [{"matcher": "^(?:web[._]{0,2}run|mcp__.*[Ss]earch.*)$",'
        ' "hooks": [{"type": "command", "command":'
        ' "/opt/gemsearch/bin/python -P -m gemsearch.agents.hook codex", "timeout": 10}]}]}}'
    )
    # What Codex 0.171 said of this very hook.
    HASH = "sha256:5ff364c3ddc65842f6569d5e6b474fd304c28d264689f5e1c39d5f3c7af73e89"

    def settings(self, trusted):
        return {"hooks": {"state": {"/x/hooks.json:pre_tool_use:0:0": {"trusted_hash": trusted}}}}

    def test_a_reviewed_hook_runs(self):
        assert not codex_trust.unreviewed("/x/hooks.json", self.TEXT, self.settings(self.HASH))

    @pytest.mark.parametrize("settings", [{}, {"hooks": 5}, {"hooks": {"state": []}}])
    def test_a_hook_that_nobody_reviewed_is_skipped(self, settings):
        assert codex_trust.unreviewed("/x/hooks.json", self.TEXT, settings)

    def test_a_hook_that_changed_since_its_review_is_skipped(self):
        text = self.TEXT.replace("/opt", "/usr")
        assert codex_trust.unreviewed("/x/hooks.json", text, self.settings(self.HASH))
