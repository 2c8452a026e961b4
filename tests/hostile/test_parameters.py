"""Whatever is given to a command as an argument, an option or in the environment, it is told in
lines that nothing obeys, and never in a traceback."""

from __future__ import annotations

import os
import shutil

import click
import pytest

from gemsearch.cli import cli
from tests.hostile.calling import CODES, call
from tests.hostile.corpus import FORGED, SHARP, part
from tests.hostile.parts import parts

# A call of each command that does what it is for, if the words in braces are replaced.
CALLS = {
    "search": "search {topic} --provider {provider} --force --reason {reason} --timeout {timeout}"
    " --profile {profile} --agent {agent} --session {session} --project {project}"
    " --call-id {call_id} --db {db} --json",
    "check": "check {topic} --profile {profile} --agent {agent} --session {session}"
    " --project {project} --call-id {call_id} --db {db}",
    "check --batch": "check --batch {file} --profile {profile} --db {db}",
    "record": "record {topic} --url {urls} --provider {provider} --force --reason {reason}"
    " --profile {profile} --agent {agent} --session {session} --project {project}"
    " --call-id {call_id} --db {db}",
    "record --results": "record {topic} --results {file} --db {db}",
    "explain": "explain {topic} --profile {profile} --agent {agent} --session {session}"
    " --project {project} --call-id {call_id} --db {db}",
    "explain --rejection": "explain --rejection {rejection} --db {db}",
    "gems": "gems {words} --agent {agent} --project {project} --provider {provider}"
    " --since {since} --limit {limit} --db {db}",
    "rejections": "rejections {words} --gate {gate} --signal {signal} --gem {gem} --agent {agent}"
    " --since {since} --limit {limit} --db {db}",
    "publish": "publish {out} --dry-run --since {since} --project {project} --title {title}"
    " --license {license_name} --db {db}",
    "show": "show {gem} --db {db}",
    "stats": "stats --db {db}",
    "mark": "mark {rejection} --right --reason {reason} --db {db}",
    "forget": "forget {gem} --yes --db {db}",
    "forget --rejection": "forget --rejection {rejection} --yes --db {db}",
    "forget --topic": "forget --topic {topic} --yes --db {db}",
    "providers check": "providers check {name} --topic {topic}",
    "keys remove": "keys remove {provider}",
    "config list": "config list --db {db}",
    "config get": "config get {name} --db {db}",
    "config set": "config set {name} {value} --db {db}",
    "config unset": "config unset {name} --db {db}",
    "doctor": "doctor --db {db}",
    "doctor --salvage": "doctor --salvage {salvage} --db {db}",
    "merge": "merge {other} --dry-run --db {db}",
    "mine": "mine --source jsonl --path {path} --fields {fields} --agent {agent}"
    " --project {project} --since {since} --html {html} --db {db}",
    "mine --source": "mine --source {names} --db {db}",
    "mine --source sql": "mine --source sql --path {path} --query {query} --db {db}",
    "install": "install {agent} --mode {mode} --source-mode {source_mode} --db {db} --dry-run",
    "uninstall": "uninstall {agent} --dry-run",
    "import": "import {file} --db {db}",
    "import --judge": "import {file} --judge --profile {profile} --db {db}",
    "export": "export {file} --db {db}",
    "backup": "backup {file} --db {db}",
    "eval": "eval --queries {queries} --novel {novel} --leave-out {leave_out} --lists {lists}"
    " --pairs {pairs} --searches {searches} --profile {profile} --shuffles {shuffles}"
    " --seed {seed} --review {review} --verdicts {verdicts} --db {db}",
}
EXCUSED = {
    "serve": "its options go to Datasette, which this process would become",
    "keys set": "asks on a terminal: test_files.py",
    "path": "hands a path to another program: below",
    "hook": "its options are read by the hook itself: test_agents.py",
    "mcp": "would serve on standard input: test_agents.py",
}
USUAL = {
    "topic": "canary hook",
    "words": "canary",
    "urls": "https://a.example/",
    "provider": "replay",
    "name": "providers.searxng.url",
    "value": "canary",
    "profile": "guarded",
    "timeout": "5",
    "limit": "5",
    "gem": "1",
    "rejection": "1",
    "shuffles": "1",
    "seed": "1",
    "gate": "query",
    "signal": "identical",
    "since": "2026-05-11",
    "out": "edition/gems.db",
    "file": "given.jsonl",
    "queries": "repeats.tsv",
    "novel": "novel.tsv",
    "lists": "lists.jsonl",
    "pairs": "pairs.tsv",
    "searches": "searches.jsonl",
    "verdicts": "verdicts.tsv",
    "review": "review.tsv",
    "other": "other.db",
    "salvage": "saved.db",
    "names": "codex",
    "path": "given.jsonl",
    "fields": "topic=topic,urls=results",
    "query": "SELECT 1",
    "html": "report.html",
    "mode": "warn",
    "source_mode": "warn",
    "db": "gems.db",
}
VARIABLES = (
    *("GEMSEARCH_DB", "GEMSEARCH_CONFIG", "GEMSEARCH_AGENT", "GEMSEARCH_SESSION"),
    *("GEMSEARCH_PROJECT", "GEMSEARCH_PROVIDER", "GEMSEARCH_REPLAY", "GEMSEARCH_LOAD_PLUGINS"),
    *("SEARXNG_URL", "BRAVE_API_KEY", "TAVILY_API_KEY_FILE", "XDG_DATA_HOME", "HOME"),
)


def commands(group=cli, before=()):
    """(words, command) of every command and of those below a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


def test_every_parameter_that_takes_a_text_is_tried_or_excused():
    given = {
        (name.split(" --")[0], place) for name, text in CALLS.items() for place in places(text)
    }
    for name, command in commands():
        if name in EXCUSED:
            continue
        for parameter in command.params:
            if not getattr(parameter, "is_flag", False):
                assert (name, parameter.name) in given, f"{name}: {parameter.name}"


def places(text):
    return [word[1:-1] for word in text.split() if word.startswith("{")]


# Click opens a file and then refuses another option.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def filled(home):
    """A ledger with a gem and a rejection, and the files that the calls name."""
    call("record", "canary hook", "--url", "https://a.example/")
    call("record", "hook canary", "--url", "https://a.example/")
    files = {
        "given.jsonl": '{"topic": "other words", "results": ["https://c.example/"]}\n',
        "repeats.tsv": "topic\tquery\n1\tcanary\n1\tcanary hook\n",
        "novel.tsv": "source\tquery\nweb-1\tsomething else\n",
        "lists.jsonl": '{"turn": 1, "conv": 1, "docs": ["a", "b"]}\n',
        "pairs.tsv": "same_question\tqueryA\tqueryB\n1\ta\tb\n",
        "searches.jsonl": '{"kind": "agent-search", "query": "a", "ts": "1", "urls": []}\n',
        "verdicts.tsv": "same\tproposed\tstored\n1\ta\tb\n",
    }
    shutil.copy("gems.db", "other.db")
    for name, content in files.items():
        home.joinpath(name).write_text(content)
    return home


def words_of(name, /, **given):
    said = USUAL | ({"agent": "codex"} if "install" in name else {}) | given
    return [
        said.get(word[1:-1], "canary") if word.startswith("{") else word
        for word in CALLS[name].split()
    ]


def told(*words, **how):
    ran = call(*words, **how)
    assert ran.code in CODES | {130}, words
    assert not ran.alarms, words
    assert "Traceback" not in ran.err
    return ran


@pytest.mark.parametrize("name", CALLS)
def test_the_usual_call_works(name, filled):
    """Or the hostile ones would say nothing."""
    assert told(*words_of(name)).code in {0, 1, 2, 3, 4, 5}


@parts(6)
@pytest.mark.parametrize("name", CALLS)
def test_a_hostile_argument_is_told_in_plain_lines(step, name, filled):
    shutil.copy("gems.db", "kept.db")
    for start, place in enumerate(dict.fromkeys(places(CALLS[name])), start=len(name)):
        for text in part(step, start, SHARP).values():
            told(*words_of(name, **{place: text}))
            shutil.copy("kept.db", "gems.db")


@pytest.mark.parametrize("number", ["9" * 30, "-" + "9" * 30, str(2**63), "0", "-1"])
def test_a_number_beyond_all_bounds_is_a_wrong_call(number, filled):
    for name in ("show", "mark", "forget", "forget --rejection", "explain --rejection"):
        place = next(place for place in places(CALLS[name]) if place in {"gem", "rejection"})
        assert told(*words_of(name, **{place: number})).code == 1, name


@parts(5)
@pytest.mark.parametrize("variable", VARIABLES)
def test_a_hostile_environment_is_told_in_plain_lines(step, variable, filled):
    for text in part(step, len(variable), SHARP).values():
        for run in (("check", "canary"), ("search", "canary sparrow"), ("providers",), ("gems",)):
            told(*run, env={variable: text})


def test_a_hostile_path_is_handed_on_as_it_is_and_written_out_on_a_terminal(filled):
    for text in SHARP.values():
        told("path", "--db", text, terminal=True)
        assert call("path", "--db", text).out == f"{os.path.abspath(text)}\n"


@pytest.mark.parametrize("words", [("search",), ("check",), ("explain",), ("record",)])
@parts(8)
def test_every_input_can_be_proposed(step, words, filled):
    for name, text in part(step, len(words[0])).items():
        more = ("--url", f"https://c.example/{len(name)}") if words == ("record",) else ()
        ran = told(*words, "--json", *more, "--", text)
        assert not [line for line in ran.out.splitlines() if line.startswith(FORGED)]
