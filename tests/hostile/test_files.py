"""Files that gemsearch reads: a broken or hostile one is named, never obeyed, never a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.hostile.calling import CODES, call
from tests.hostile.corpus import HALVES, INPUTS, LINES, NESTED, part, storable
from tests.hostile.inert import is_forbidden, texts_in
from tests.hostile.parts import parts


def contents(step=1):
    """Inputs as the whole content of a file, in bytes that need not be text."""
    return {name: text.encode("utf-8", "surrogatepass") for name, text in part(step).items()}


def told(*words, **how):
    ran = call(*words, **how)
    assert ran.code in CODES, words
    assert not ran.alarms, words
    return ran


@parts(5)
def test_a_configuration_of_anything_is_named(step, home):
    for name, content in contents(step).items():
        home.joinpath("config.toml").write_bytes(content)
        for run in (("providers",), ("config", "get", "provider"), ("config", "set", "a.b", "c")):
            assert told(*run).code in {0, 1, 5}, name


@parts(22)
def test_a_hostile_name_or_value_in_a_configuration_is_shown_in_plain_lines(step, home):
    for name, text in part(step, inputs=storable()).items():
        if text in LINES.values():
            continue  # a table begins with names: a person's own may be any
        quoted = json.dumps(text[:5000])
        home.joinpath("config.toml").write_text(
            f"[providers.{quoted}]\ntype = 'command'\nargv = [{quoted}]\n"
            f"[providers.replay]\npath = {quoted}\n[providers.searxng]\nurl = {quoted}\n"
            f"engines = [{quoted}]\n{quoted} = {quoted}\n"
        )
        env = {"GEMSEARCH_REPLAY": ""}
        assert told("providers", env=env).code in {0, 1, 5}, name
        told("config", "list", env=env)
        for provider in ("replay", "searxng", text[:5000]):
            told("search", "canary sparrow", "--provider", provider, "--timeout", "1", env=env)


def test_hostile_names_of_keys_are_listed_in_plain_lines(home):
    names = [text[:1000] for text in INPUTS.values() if text not in HALVES.values()]
    keys = dict.fromkeys(names, "canary-key-of-40-characters-000000000000")
    home.joinpath("keys.json").write_text(json.dumps(keys))
    ran = call("keys", "list")
    assert ran.code == 0
    assert "canary-key" not in ran.out
    assert not [line for line in ran.out.splitlines() if any(map(is_forbidden, set(line)))]
    assert len(ran.out.splitlines()) == len(keys)
    for name in names[::10]:
        assert told("keys", "remove", "--", name).code == 0
    assert len(call("keys", "list").out.splitlines()) == len(keys) - len(names[::10])


def test_a_hostile_name_for_a_key_is_shown_in_plain_lines(home):
    for name in ("\x1b[2Jcanary", "canary\nNOVEL - recorded as #999999: canary", "\u202ecanary"):
        done = subprocess.run(
            [sys.executable, "-m", "gemsearch", "keys", "set", "--", name],
            input="canary-key-of-40-characters-000000000000\n",
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            timeout=60,
            check=False,
            start_new_session=True,
        )
        assert done.returncode == 0
        assert "canary-key" not in done.stdout
        assert not [char for char in done.stdout if char != "\n" and is_forbidden(char)]


@parts(7)
def test_results_of_anything_are_read_or_refused(step, home):
    for name, content in contents(step).items():
        home.joinpath("results.json").write_bytes(content)
        ran = told("record", "canary sparrow", "--results", "results.json")
        assert ran.code in {0, 1, 2, 3}, name


def test_hostile_results_are_recorded_as_data(home):
    for form in (json.dumps, lambda rows: "\n".join(map(json.dumps, rows))):
        rows = [
            {"url": text[:9000], "title": text, "snippet": text, "published": text, text[:50]: text}
            for text in INPUTS.values()
        ]
        for start in range(0, len(rows), 90):
            home.joinpath("results.json").write_text(form(rows[start : start + 90]))
            ran = told("record", f"canary{start}", "--results", "results.json", "--force", "--json")
            answer = json.loads(ran.out)
            assert answer["status"] == "novel"
            assert not [text for text in texts_in(answer) if any(map(is_forbidden, set(text)))]


@pytest.mark.parametrize(
    "row",
    [
        {"url": 5},
        {"url": ["https://a.example/"]},
        {"url": None, "title": {}},
        {"title": 1e308},
        [[[]]],
        5,
        None,
        True,
    ],
    ids=repr,
)
def test_a_result_of_another_type_is_a_wrong_call_that_says_where(row, home):
    ran = told("record", "canary", "--results", "-", stdin=json.dumps([row]))
    assert (ran.code, "result 1" in ran.err) == (1, True)


@pytest.mark.parametrize("options", [("check", "--batch"), ("import",), ("import", "--judge")])
@parts(7)
def test_lines_of_anything_are_read_or_refused_with_their_number(step, options, home):
    for name, content in contents(step).items():
        home.joinpath("lines.jsonl").write_bytes(content)
        assert told(*options, "lines.jsonl").code in {0, 1}, name


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_an_export_with_nesting_without_end_is_refused_whole(text, home):
    gem = '{"type": "gem", "id": 1, "topic": "canary", "results": %s}'
    home.joinpath("lines.jsonl").write_text(gem % text)
    assert told("import", "lines.jsonl").code == 1
    assert call("gems", "--json").out == "[]\n"


@parts(9)
def test_recordings_of_anything_are_named(step, home):
    for name, content in contents(step).items():
        home.joinpath("replay.jsonl").write_bytes(content)
        assert told("search", "canary sparrow").code in {3, 5}, name


@parts(7)
def test_labels_of_anything_are_named(step, home):
    home.joinpath("repeats.tsv").write_text("topic\tquery\n1\tcanary\n1\tcanary hook\n")
    for name, content in contents(step).items():
        if len(content) > 50_000:
            continue
        home.joinpath("labels").write_bytes(content)
        for run in (
            ("--queries", "labels"),
            ("--queries", "repeats.tsv", "--novel", "labels", "--shuffles", "1"),
            ("--lists", "labels"),
            ("--pairs", "labels", "--searches", "labels"),
            ("--queries", "repeats.tsv", "--verdicts", "labels", "--shuffles", "1"),
        ):
            assert told("eval", *run).code in {0, 1}, name


def test_hostile_labels_are_shown_in_plain_lines(home):
    cells = [" ".join(text[:200].split()) for text in INPUTS.values()]
    kept = [cell for cell in cells if cell.encode("utf-8", "replace").decode() == cell]
    repeats = [f"{cell}\t{cell}\n" for cell in kept]
    kinds = [f"{cell.replace('-', '')}-x\t{cell}\n" for cell in kept[::20]]
    home.joinpath("repeats.tsv").write_text("".join(["topic\tquery\n", *repeats]), newline="\n")
    home.joinpath("novel.tsv").write_text("".join(["source\tquery\n", *kinds]), newline="\n")
    run = ("eval", "--queries", "repeats.tsv", "--novel", "novel.tsv", "--shuffles", "1")
    assert told(*run, "--review", "review.tsv").code == 0
    ran = told(*run, "--json")
    assert not [text for text in texts_in(json.loads(ran.out)) if any(map(is_forbidden, set(text)))]


def test_a_folder_a_pipe_or_a_device_is_no_file_to_read(home):
    os.mkfifo("pipe")
    os.mkdir("folder")
    os.symlink("nowhere", "dangling")
    for name in ("pipe", "folder", "dangling", "/dev/null"):
        ran = told("gems", "--db", name)
        assert ran.code == 5, name
        assert told("doctor", "--db", name).code == 5, name


ENDLESS = [
    (("record", "canary", "--results", "/dev/zero"), {}),
    (("check", "--batch", "/dev/zero"), {}),
    (("import", "/dev/zero"), {}),
    (("import", "--judge", "/dev/zero"), {}),
    (("eval", "--queries", "/dev/zero"), {}),
    (("eval", "--lists", "/dev/zero"), {}),
    (("gems", "--db", "/dev/zero"), {}),
    (("search", "canary"), {"GEMSEARCH_REPLAY": "/dev/zero"}),
    (("providers",), {"GEMSEARCH_CONFIG": "/dev/zero"}),
    (("providers",), {"BRAVE_API_KEY_FILE": "/dev/zero"}),
]


@pytest.mark.parametrize(("run", "env"), ENDLESS, ids=" ".join)
def test_a_device_without_end_is_refused(run, env, home):
    ran = told(*run, env=env)
    assert ran.code in {1, 5}
    assert "/dev/zero" in ran.err or "characters" in ran.err
