"""What guarded and strict refuse, what they let through, and that strict never refuses more."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from gemsearch.core import query_gate, source_gate
from gemsearch.core.model import Caller, Overlap, Source, Stored
from gemsearch.core.profiles import PROFILES, hub_limit
from gemsearch.core.signature import sign
from gemsearch.core.weights import Weights, general_share, stems
from gemsearch.ledger import words, writing
from gemsearch.ledger.candidates import Listed
from gemsearch.ledger.connection import open_nothing
from gemsearch.ledger.snapshot import Snapshot

NOW = datetime(2026, 5, 11, tzinfo=UTC)
GUARDED = ("guarded", "strict")


def signal_of(proposed, stored, name="guarded", weights=None):
    profile = PROFILES[name]
    gem = Stored(1, stored, sign(stored, profile.form).signature, "2026-05-11")
    topic = sign(proposed, profile.form)
    match = query_gate.judge(topic, Listed([gem]), profile, weights=weights or Weights())
    return match.signal if match else None


@pytest.mark.parametrize(
    ("proposed", "stored", "signal"),
    [
        ("Gitleaks Hook", "gitleaks hook", "identical"),
        ("git absorb", "git-absorb", "identical"),
        ("chezmoi", "chezmoi encryption", "subset"),
        ("chezmoi encryption", "chezmoi", "subset"),
        ("io_uring zero-copy networking internals", "named-pipe SSH multiplexing internals", None),
        ("SONiC architecture", "SONiC dataplane deep-dive", None),
        ("gitleaks hook for secrets", "gitleaks pre-commit hook", None),
        (
            "human factors progressive disclosure discoverability command palettes",
            "feature flags configuration progressive disclosure extension UI",
            None,
        ),
    ],
)
def test_the_fixed_examples_hold_under_guarded(proposed, stored, signal):
    assert signal_of(proposed, stored) == signal


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.parametrize(
    ("proposed", "stored"),
    [
        ("postgres 15 upgrade notes", "postgres 16 upgrade notes"),
        ("sqlite wal mode", "sqlite wal2 mode"),
        ("enable ipv6 forwarding", "disable ipv6 forwarding"),
        ("run hooks before a gitleaks scan", "run hooks after a gitleaks scan"),
        ("pytorch profiler cpu timings", "pytorch profiler gpu timings"),
        ("keycloak realm import", "keycloak realm export"),
        ("envoy http/2 flow control", "envoy http/3 flow control"),
        ("wireguard ipv4 endpoint routing", "wireguard ipv6 endpoint routing"),
        ("grpc client keepalive settings", "grpc server keepalive settings"),
        ("c++ coroutines tutorial", "c# coroutines tutorial"),
    ],
)
def test_topics_that_differ_in_number_version_negation_or_antonym_are_two(proposed, stored, name):
    assert signal_of(proposed, stored, name) is None
    assert signal_of(stored, proposed, name) is None


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.parametrize(
    ("proposed", "stored"),
    [
        ("notes on upgrading postgres 16", "postgres 16 upgrade notes"),
        ("how to enable ipv6 forwarding", "enabling ipv6 forwarding"),
        ("envoy http/2 flow control", "flow control of http/2 in envoy"),
        ("keycloak realm exports", "exporting a keycloak realm"),
    ],
)
def test_rewordings_with_the_same_number_and_direction_still_match(proposed, stored, name):
    assert signal_of(proposed, stored, name) in {"subset", "sequence"}


@pytest.mark.parametrize("proposed", ["chezmoi", "difference", "new you", "error"])
def test_one_word_does_not_swallow_every_topic_that_has_it(proposed):
    assert signal_of(proposed, f"{proposed} encryption with age keys") is None
    assert signal_of(f"{proposed} encryption with age keys", proposed) is None


def test_a_common_word_alone_refuses_nothing():
    assert signal_of("error", "error handling") is None


def test_two_tools_in_common_and_another_word_each_are_two_topics():
    assert signal_of("chezmoi age templates", "chezmoi age keys") is None


def test_common_words_in_common_are_not_enough():
    assert signal_of("what is the difference between", "what is the difference between two") is None


def test_the_young_and_the_usual_old_ledger_judge_alike():
    usual = {
        stem: round(5000 * general_share(stem)) for stem in stems("postgres upgrade notes vacuum")
    }
    for proposed in ("postgres upgrade notes in short", "postgres vacuum"):
        young = signal_of(proposed, "notes on postgres upgrades")
        assert young == signal_of(
            proposed, "notes on postgres upgrades", weights=Weights(5000, usual)
        )


def random_topics(count, seed):
    chance = random.Random(seed)
    vocabulary = """postgres sqlite wal wal2 checkpoint upgrade upgrades 15 16 notes the of how to
        enable disable ipv6 ipv4 forwarding gitleaks hook secrets pre commit chezmoi encryption
        error errors file files c++ c# not kubernetes operator pattern patterns""".split()
    return [" ".join(chance.choices(vocabulary, k=chance.randint(1, 6))) for _ in range(count)]


def test_what_strict_refuses_guarded_refuses_too():
    stored, proposed = random_topics(40, 1), random_topics(300, 2)
    counts = {}
    for text in stored:
        for word in stems(sign(text, "exact").signature):
            counts[word] = counts.get(word, 0) + 1
    weights = Weights(len(stored), counts)
    refused = {
        name: {text for text in proposed for old in stored if signal_of(text, old, name, weights)}
        for name in GUARDED
    }
    assert refused["strict"] < refused["guarded"]


def test_what_strict_refuses_by_sources_guarded_refuses_too():
    proposed = [Source(str(n), str(n), "") for n in range(10)]
    for shared in range(11):
        for size in range(max(1, shared), 11):
            overlap = Overlap(1, "t", "", frozenset(map(str, range(shared))), size)
            strict, guarded = (
                source_gate.judge(proposed, [overlap], PROFILES[name]) is not None
                for name in ("strict", "guarded")
            )
            assert guarded or not strict


@pytest.mark.parametrize("gems", [0, 1, 5, 30, 50])
def test_a_source_is_never_a_hub_before_it_is_in_five_gems(gems):
    assert hub_limit(gems) == 5


def test_the_limit_of_hubs_grows_with_the_ledger_but_never_as_fast():
    limits = [hub_limit(gems) for gems in (100, 1000, 10_000, 1_000_000)]
    assert limits == sorted(limits)
    assert limits[-1] < 1000


def ledger_of(topics):
    connection = open_nothing()
    for text in topics:
        writing.add_gem(connection, sign(text, "exact"), [], [], Caller(), NOW)
    return connection


@pytest.mark.parametrize("name", PROFILES)
def test_the_plain_scan_decides_as_a_look_at_every_gem_does(name):
    profile, topics = PROFILES[name], random_topics(300, 3)
    connection = ledger_of(topics)
    every = [
        Stored(gem, text, sign(text, profile.form).signature, "2026-05-11T00:00:00.000Z")
        for gem, text in enumerate(topics, start=1)
    ]
    snapshot = Snapshot(connection, NOW, name)
    weights = words.weights(connection, len(topics))
    for text in random_topics(150, 4):
        brute = query_gate.judge(sign(text, profile.form), Listed(every), profile, (), weights)
        found = snapshot.covering(text)
        assert (found and (found.gem_id, found.signal, found.score)) == (
            brute and (brute.gem_id, brute.signal, brute.score)
        )


def test_the_counts_of_words_follow_the_gems():
    connection = ledger_of(["sqlite wal mode", "sqlite modes"])
    assert dict(connection.execute("SELECT word, gems FROM words")) == {
        "sqlit": 2,
        "wal": 1,
        "mode": 2,
    }
    assert not words.are_wrong(connection)
    words.remove(connection, "sqlite wal mode")
    assert dict(connection.execute("SELECT word, gems FROM words")) == {"sqlit": 1, "mode": 1}
    assert words.are_wrong(connection)
    words.count_anew(connection)
    assert not words.are_wrong(connection)
