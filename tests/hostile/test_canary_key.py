"""A secret goes in where secrets go, and no output, file, ledger or log has it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import click
import pytest

import gemsearch
from gemsearch.errors import SecretInTopic
from gemsearch.providers.registry import HOSTED, adapter
from tests.hostile.calling import call
from tests.hostile.test_parameters import commands
from tests.providers.servers import echo, reply, serving
from tests.test_secrets import SAMPLES

CANARY = "canary" + "Kq7wZx2Lm9Vb4Tn8Rd5Yh3Jf6Gc1Ps0A"
NEEDLES = (CANARY, CANARY.lower(), CANARY.encode().hex())
SECRETS = {kind: build[0](1) for kind, build in SAMPLES.items()}


def everything_in(folder):
    """The bytes of every file below a folder, the key's own file left out."""
    found = b""
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and path.name != "keys.json":
            found += path.read_bytes()
    return found


def assert_silent(ran, needles=NEEDLES):
    for needle in needles:
        assert needle not in ran.out + ran.err


RUNS = [
    ("providers",),
    ("config", "list"),
    ("keys", "list"),
    ("doctor",),
    ("doctor", "--json"),
    ("gems", "--json"),
    ("rejections", "--csv"),
    ("stats",),
    ("show", "1"),
    ("explain", "canary hook"),
    ("check", "canary hook", "--json"),
    ("record", "canary hook", "--url", "https://a.example/"),
    ("export",),
    ("backup", "copy.db"),
    ("publish", "edition/gems.db", "--yes", "--snippets"),
    ("eval",),
    ("path",),
]


@pytest.mark.parametrize(
    ("name", "place"), [*zip(HOSTED, ("keys.json", "variable", "file") * 2, strict=False)]
)
def test_a_providers_key_is_in_its_request_and_nowhere_else(name, place, home, monkeypatch):
    variable = adapter(name).env[0]
    if place == "keys.json":
        home.joinpath("keys.json").write_text(json.dumps({name: CANARY}))
    elif place == "variable":
        monkeypatch.setenv(variable, CANARY)
    else:
        Path(home, "a-key").write_text(CANARY)
        monkeypatch.setenv(f"{variable}_FILE", "a-key")
    replies = (echo(401), echo(429), echo(500), echo(200), reply({"error": CANARY}, 400))
    with serving(*replies) as server:
        home.joinpath("config.toml").write_text(f'[providers.{name}]\nurl = "{server.url}"\n')
        for number in range(len(replies)):
            ran = call("search", f"canary{number} sparrow", "--provider", name, "--json")
            assert_silent(ran)
        assert CANARY in server.seen[0].everything
    for run in RUNS:
        assert_silent(call(*run))
    if place == "file":
        os.unlink("a-key")
    assert CANARY.encode() not in everything_in(home)


def test_what_a_person_wrote_into_the_configuration_is_not_shown(home):
    home.joinpath("config.toml").write_text(
        f'[providers.searxng]\nurl = "http://me:{CANARY}@127.0.0.1:9/"\ntoken = "{CANARY}"\n'
        f'[providers.mine]\ntype = "command"\nargv = ["no-such-program", "--api-key={CANARY}"]\n'
        f'env = ["A_KEY"]\n[providers.old]\napi_key = "{CANARY}"\n'
    )
    for run in (
        ("config", "list"),
        ("config", "get", "providers.searxng.url"),
        ("config", "get", "providers.searxng.token"),
        ("config", "get", "providers.old.api_key"),
        ("providers",),
        ("search", "canary hook", "--provider", "searxng", "--timeout", "1"),
        ("search", "canary hook", "--provider", "mine", "--json"),
        ("providers", "check", "searxng"),
        ("doctor",),
    ):
        ran = call(*run)
        assert_silent(ran)
        assert not ran.alarms


def test_a_configuration_that_can_not_be_read_is_not_shown(home):
    for text in (f'key = "{CANARY}', f"{CANARY} = = 1", f'[a]\n"{CANARY}" 5', f'a = "\\{CANARY}"'):
        home.joinpath("config.toml").write_text(text)
        assert_silent(call("providers"))
        home.joinpath("keys.json").write_text(text)
        home.joinpath("config.toml").unlink()
        assert_silent(call("providers"))


def test_no_command_takes_a_key_as_an_argument():
    """Arguments are seen by every user of a machine, and shells keep them."""
    for name, command in commands():
        options = {option for parameter in command.params for option in parameter.opts}
        assert not {word for word in options if "key" in word or "token" in word}, name
        arguments = [one.name for one in command.params if isinstance(one, click.Argument)]
        assert not [one for one in arguments if "key" in one or "secret" in one], name


# T5: secrets in topics


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_topic_with_a_secret_is_not_sent_not_stored_and_not_repeated(secret, home):
    needles = [piece for piece in secret.split() if len(piece) > 15] or [secret]
    lines = json.dumps({"topic": secret, "results": ["https://a.example/"]}) + "\n"
    home.joinpath("lines.jsonl").write_text(lines)
    with serving(reply({"results": []})) as server:
        env = {"GEMSEARCH_PROVIDER": "searxng", "SEARXNG_URL": server.url}
        for topic in (f"why does {secret} fail", secret, f"\u200b{secret}\u202e"):
            for command in ("search", "check", "explain", "record"):
                more = ("--url", "https://a.example/") if command == "record" else ()
                ran = call(command, "--json", *more, "--", topic, env=env)
                assert ran.code == 1, topic
                assert_silent(ran, needles)
        for command in (("check", "--batch"), ("import", "--judge")):
            ran = call(*command, "lines.jsonl")
            assert ran.code == 0
            assert_silent(ran, needles)
        assert server.seen == []
    os.unlink("lines.jsonl")
    stored = everything_in(home).lower()
    assert not [needle for needle in needles if needle.lower().encode() in stored]


def test_a_secret_behind_the_longest_topic_is_not_repeated_either(home):
    secret = SECRETS["a GitHub token"]
    for command in ("search", "check", "explain"):
        for topic in (f"{'word ' * 200}{secret}", f"{'w ' * 40}{secret}"):
            assert_silent(call(command, "--json", "--", topic), [secret])


def test_the_library_refuses_a_secret_without_repeating_it(home):
    secret = SECRETS["a GitHub token"]
    with gemsearch.open(home / "gems.db") as ledger:
        for ask in (
            ledger.check,
            ledger.explain,
            lambda topic: ledger.record(topic, ["https://a/"]),
        ):
            with pytest.raises(SecretInTopic) as caught:
                ask(f"why {secret}")
            assert secret not in f"{caught.value} {caught.value.hint} {caught.value!r}"


def test_a_password_in_a_results_address_is_not_kept(home):
    call("record", "canary hook", "--url", f"https://me:{CANARY}@a.example/x")
    with closing(sqlite3.connect(home / "gems.db")) as connection:
        kept = "".join(map(str, connection.execute("SELECT * FROM urls, results").fetchall()))
    assert "a.example/x" in kept
    assert CANARY not in kept
    assert CANARY.encode() not in everything_in(home)
