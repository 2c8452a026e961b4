"""What hooks decide beyond one topic: calls of several topics, settings, many at once."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemsearch.agents import log, texts
from gemsearch.cli.answers import duplicate_lines
from gemsearch.core.model import Match, SharedSource, Verdict
from gemsearch.core.text import hidden_count
from gemsearch.errors import WrongCall
from gemsearch.ledger import settings
from gemsearch.ledger.connection import open_for_writing, write_transaction
from tests.agents.conftest import TOPIC
from tests.agents.hooked import Call
from tests.agents.told import COVERED, denied, says, states_in, topics_in

NEW = [(f"Page {n}", f"https://example.com/new/{n}") for n in range(4)]
SECOND = "slip trailing on leather-hard clay"


def several(phase: str, *topics: str, number: str = "call-1", **more: object) -> dict:
    """A call of Codex' own tool, which may ask for several things at once."""
    call = Call("codex", "", number, tool="web.run")
    event = call.before() if phase == "before" else call.after(NEW)
    asked = {"search_query": [{"q": topic} for topic in topics], "response_length": "short"}
    return event | {"tool_input": asked} | more


def put(hook, **values: str) -> None:
    with closing(open_for_writing(hook.ledger)) as ledger, write_transaction(ledger):
        for name, value in values.items():
            settings.put(ledger, name.replace("_", ".", 1), value)


def rows(hook, sql: str) -> list[tuple]:
    with closing(sqlite3.connect(hook.ledger)) as ledger:
        return ledger.execute(sql).fetchall()


class TestACallOfSeveralTopics:
    def test_it_is_refused_when_all_are_covered(self, hook):
        hook(Call("codex", SECOND).after(NEW), "codex")
        ran = hook(several("before", TOPIC, f"{SECOND} pots", number="call-2"), "codex")
        reason = ran.json["hookSpecificOutput"]["permissionDecisionReason"]
        first, second, *_ = reason.splitlines()
        assert first.startswith("DUPLICATE - already covered: #1 raku kiln")
        assert second.startswith("DUPLICATE - already covered: #2 slip trailing")
        assert rows(hook, "SELECT topic, enforced FROM rejections") == [
            (TOPIC, 1),
            (f"{SECOND} pots", 1),
        ]

    def test_it_is_run_when_one_is_new_and_the_covered_one_makes_no_gem(self, hook):
        ran = hook(several("before", TOPIC, SECOND), "codex")
        note = ran.json["hookSpecificOutput"]["additionalContext"]
        assert note == "gemsearch: already covered: #1 raku kiln reduction firing  [2026-05-11]"
        assert hook(several("before", TOPIC, SECOND), "codex").json == ran.json
        assert says(hook(several("after", TOPIC, SECOND), "codex"), "codex", None)
        assert topics_in(hook) == [TOPIC, SECOND]
        assert states_in(hook) == ["recorded", "refused", "recorded"]
        assert rows(hook, "SELECT topic, gate, enforced FROM rejections") == [(TOPIC, "query", 0)]

    def test_its_topics_share_the_results_and_do_not_refuse_each_other(self, hook):
        topics = (SECOND, "kiln wash for cracked shelves")
        hook(several("before", *topics), "codex")
        assert says(hook(several("after", *topics), "codex"), "codex", None)
        assert topics_in(hook) == [TOPIC, *topics]
        assert rows(hook, "SELECT count(*) FROM rejections") == [(0,)]
        assert says(hook(several("after", *topics), "codex"), "codex", None)
        assert topics_in(hook) == [TOPIC, *topics]

    def test_a_topic_that_can_not_be_judged_keeps_it_from_being_refused(self, hook):
        ran = hook(several("before", TOPIC, "x" * 500), "codex")
        assert "permissionDecision" not in ran.json["hookSpecificOutput"]

    def test_a_secret_in_one_denies_all(self, hook):
        secret = "ghp_" + "Zk3" * 12
        ran = hook(several("before", SECOND, f"error with token {secret}"), "codex")
        assert ran.json["hookSpecificOutput"]["permissionDecision"] == "deny"
        assert states_in(hook) == ["recorded"]


class TestCallsWithoutANumberAtOneEnd:
    def test_an_answer_settles_the_attempt_that_had_none(self, hook):
        call = Call("opencode", SECOND)
        hook(call._replace(number="").before(), "opencode")
        hook(call.after(NEW), "opencode")
        hook(call.after(NEW), "opencode")
        assert states_in(hook) == ["recorded", "recorded"]
        assert rows(hook, "SELECT call_id FROM searches WHERE gem_id = 2") == [("call-1",)]

    def test_an_answer_without_one_settles_the_newest_attempt(self, hook):
        call = Call("opencode", SECOND)
        hook(call.before(), "opencode")
        hook(call._replace(number="").after(NEW), "opencode")
        assert states_in(hook) == ["recorded", "recorded"]

    def test_an_answer_never_settles_another_call(self, hook):
        call = Call("opencode", SECOND)
        hook(call.before(), "opencode")
        hook(call._replace(number="call-2").failed(), "opencode")
        assert states_in(hook) == ["recorded", "open"]


def test_a_number_that_recurs_for_another_topic_is_another_call(hook):
    first, second = Call("pi", SECOND, "tc1"), Call("pi", "soda firing at home", "tc1")
    for call in (first, second):
        assert says(hook(call.before(), "pi"), "pi", None)
    hook(first.after([("A page", "https://example.com/slip")]), "pi")
    hook(second.after(NEW), "pi")
    assert topics_in(hook) == [TOPIC, SECOND, "soda firing at home"]


class TestSettings:
    def test_the_ledger_says_what_hooks_do_and_the_command_overrules_it(self, hook):
        put(hook, hook_query="record")
        assert says(hook(Call("codex", TOPIC).before(), "codex"), "codex", None)
        ran = hook(Call("codex", TOPIC, "call-2").before(), "codex", "--mode", "deny")
        assert says(ran, "codex", denied("codex", COVERED))

    def test_a_warning_of_a_covered_topic_is_stored_with_its_results(self, hook):
        put(hook, hook_query="warn")
        call = Call("codex", f"{TOPIC} at home")
        first, second = hook(call.before(), "codex"), hook(call.before(), "codex")
        assert first.json == second.json
        assert "already covered: #1" in first.out
        assert says(hook(call.after(NEW), "codex"), "codex", None)
        assert topics_in(hook) == [TOPIC, call.topic]
        stored = "SELECT signal, enforced FROM rejections"
        assert rows(hook, stored) == [("subset", 0)]
        assert rows(hook, "SELECT count(*) FROM wordings") == [(0,)]

    def test_hooks_refuse_less_than_the_ledgers_own_profile(self, hook):
        topic = "raku kiln firing outdoors safely"  # half of it is new
        put(hook, hook_profile="strict")
        assert says(hook(Call("codex", topic).before(), "codex"), "codex", None)
        assert rows(hook, "SELECT value FROM settings WHERE name = 'gate.profile'") == [
            ("guarded",)
        ]

    def test_a_profile_of_another_form_gives_way_to_the_ledgers(self, hook):
        from gemsearch.ledger import signing

        with closing(open_for_writing(hook.ledger)) as ledger, write_transaction(ledger):
            settings.put(ledger, "gate.profile", "published")
            signing.sign_anew(ledger)
        hook(Call("codex", "raku").before(), "codex")  # published: a word within it is enough
        assert rows(hook, "SELECT profile, signal FROM rejections") == [("published", "subset")]

    def test_a_tool_that_a_person_named_is_a_search(self, hook):
        event = Call("codex", TOPIC, tool="mcp__atlas__look_up").before()
        assert says(hook(event, "codex"), "codex", None)
        put(hook, hook_tools="find_it, mcp__atlas__look_up")
        assert says(hook(event, "codex"), "codex", denied("codex", COVERED))

    @pytest.mark.parametrize(
        ("name", "value"), [("hook.query", "no"), ("hook.profile", "x"), ("hook.tools", " , ")]
    )
    def test_a_setting_that_means_nothing_is_refused(self, hook, name, value):
        with closing(open_for_writing(hook.ledger)) as ledger, pytest.raises(WrongCall):
            settings.put(ledger, name, value)


def test_the_command_of_the_command_line_is_the_same_hook(hook, gemsearch):
    event = json.dumps(Call("codex", TOPIC).before())
    ran = gemsearch("hook", "codex", "--db", hook.ledger, stdin=event)
    assert says(ran, "codex", denied("codex", COVERED))
    assert gemsearch("hook", "nobody", "--nonsense", stdin=event)[:2] == (0, "")


def test_of_many_hooks_at_once_one_leads_and_none_fails(new_hook):
    topics = [f"{word} pigment extraction" for word in ("madder", "woad", "weld")]
    calls = [Call("claude-code", topics[n % 3], f"call-{n}", f"session-{n}") for n in range(12)]
    started = [
        subprocess.Popen(
            new_hook.command("claude-code"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=new_hook.env,
        )
        for _ in calls
    ]
    for hook, call in zip(started, calls, strict=True):
        hook.stdin.write(json.dumps(call.before()).encode())
        hook.stdin.flush()
    answers = [hook.communicate() for hook in started]
    assert [hook.returncode for hook in started] == [0] * len(calls)
    assert {err for _, err in answers} == {b""}
    assert new_hook.logged() == []
    assert sorted(topic for (topic,) in rows(new_hook, "SELECT topic FROM searches")) == sorted(
        topics
    )
    assert sum(b"PENDING - being searched now" in out for out, _ in answers) == len(calls) - 3
    assert sum(out == b"" for out, _ in answers) == 3


HEAVY = {
    *("click", "httpx", "sqlite_utils", "datasette", "platformdirs", "logging", "dataclasses"),
    *("pathlib", "subprocess", "argparse", "tomllib", "urllib.parse", "difflib", "inspect"),
    *("typing", "importlib.metadata", "platform", "shutil"),
    *("gemsearch.cli", "gemsearch.providers", "gemsearch.ledger.reading"),
}


@pytest.mark.parametrize("topic", [TOPIC, SECOND], ids=["refused", "lease"])
def test_a_hook_loads_nothing_heavy_before_a_search(hook, topic):
    command = hook.command("claude-code")
    done = subprocess.run(
        [command[0], "-X", "importtime", *command[1:]],
        input=json.dumps(Call("claude-code", topic).before()).encode(),
        capture_output=True,
        env=hook.env,
        check=True,
    )
    loaded = {line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines()}
    assert "gemsearch.ledger.snapshot" in loaded
    assert not {name for name in loaded for heavy in HEAVY if (name + ".").startswith(heavy + ".")}
    assert not {name for name in loaded if name.startswith("gemsearch.core.canonical")}


class TestLog:
    def test_it_is_the_users_alone_and_bounded(self, tmp_path):
        ledger = str(tmp_path / "gems.db")
        for n in range(1000):
            log.write(ledger, "codex", "before", f"{n:04} \x1b[2J" + "x" * 1000)
        files = sorted(tmp_path.iterdir())
        assert [file.name for file in files] == ["gems.db.hook.log", "gems.db.hook.log.1"]
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
        assert all(file.stat().st_size <= log.MOST_BYTES + 400 for file in files)
        last = log.entries(ledger, 3)
        assert [line.split()[3] for line in last] == ["0997", "0998", "0999"]
        assert all(line.isprintable() for line in last)

    def test_it_stands_in_the_users_folder_where_the_ledgers_is_missing(
        self, tmp_path, monkeypatch
    ):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        ledger = str(tmp_path / "missing" / "gems.db")
        log.write(ledger, "codex", "before", ValueError("a topic may stand here"))
        (line,) = log.entries(ledger)
        assert line.endswith("codex before: ValueError")
        assert os.listdir(tmp_path) == ["state"]


text = st.text(max_size=300)
match = st.builds(
    Match,
    st.sampled_from(["identical", "subset", "sequence", "wording"]),
    st.integers(1, 10**9),
    text,
    st.just("2026-05-11T09:00:00.000Z"),
    st.just(1.0),
    st.just(1.0),
    learned_from=st.integers(0, 10**6),
)
found = st.lists(st.tuples(text, st.sampled_from(["https://example.com/", ""]) | text), max_size=8)
NOW = datetime(2026, 5, 11, 9, 0, 12, tzinfo=UTC)


class TestTexts:
    @given(st.lists(st.tuples(match, st.booleans()), min_size=1, max_size=6), found)
    def test_none_is_longer_than_600_characters_or_holds_what_can_not_be_seen(self, matches, best):
        verdicts = [
            Verdict("pending" if pending else "duplicate", "t", one) for one, pending in matches
        ]
        shared = [one._replace(shared=(SharedSource("k", "u", True),) * 3) for one, _ in matches]
        for said in (
            texts.refused(verdicts, best, NOW),
            texts.replaced(matches[0][0], best),
            texts.noted(map(texts.covered, verdicts)),
            texts.noted(map(texts.recurring, shared)),
            texts.noted(map(texts.not_recorded, shared)),
        ):
            assert 0 < len(said) <= texts.LONGEST
            assert hidden_count(said) == 0

    @given(match)
    def test_a_refusal_begins_as_on_the_command_line(self, one):
        one = one._replace(topic=one.topic[:60])
        said = texts.refused([Verdict("duplicate", "t", one)], [], NOW)
        assert said.split("\n")[0] == duplicate_lines(one)[0]

    def test_a_refusal_leaves_out_what_is_no_web_address(self):
        one = Match("identical", 1, "t", "2026-05-11T09:00:00.000Z", 1.0, 1.0)
        best = [("bad", "javascript:alert(1)"), ("long", "https://e.org/" + "x" * 300), ("", "")]
        said = texts.refused([Verdict("duplicate", "t", one)], best, NOW)
        assert said.split("\n")[1:] == ["Search for another aspect."]

    def test_waiting_for_another_session_names_no_source(self):
        one = Match("identical", 0, "t", (NOW - timedelta(seconds=12)).isoformat(), 1.0, 1.0)
        said = texts.refused([Verdict("pending", "t", one)], [], NOW)
        assert said.startswith("PENDING - being searched now: t  [12 s ago]\nIts results")
