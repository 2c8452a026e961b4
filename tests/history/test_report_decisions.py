"""What the report says the gates would have refused is what they do refuse."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from gemsearch import asking, novelty
from gemsearch.core.model import Caller, Result
from gemsearch.core.profiles import PROFILES
from gemsearch.errors import BadTopic
from gemsearch.history.model import SearchCall
from gemsearch.history.proposals import Choice, Proposals
from gemsearch.history.replaying import refusals
from gemsearch.history.report import report_of, search_of
from gemsearch.ledger import settings, signing
from gemsearch.ledger.connection import write_transaction
from gemsearch.providers.base import Page
from gemsearch.toolcalls.answers import EMPTY, MISSING, OK, Answer

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PAGES = [f"https://example.org/{n}" for n in range(30)]
WORDS = """postgres sqlite wal wal2 upgrade upgrades notes the of how to enable disable ipv6
    gitleaks hook hooks secrets chezmoi encryption error errors files c++ c# not patterns $@
    東京""".split()


def calls(count, seed):
    """Searches over seven months, so that wordings expire; the last ones without a time."""
    chance = random.Random(seed)
    for number in range(count):
        found = [*chance.sample(PAGES, chance.randint(0, 5)), f"https://own.example/{number}"]
        status = chance.choices([OK, EMPTY, MISSING], [8, 1, 1])[0]
        results = tuple(Result(url, "A title") for url in found) if status == OK else ()
        time = NOW - timedelta(days=210) + timedelta(hours=number * 5040 / count)
        yield SearchCall(
            "claude-code",
            chance.choice(["s1", "s2", "s3", ""]),
            f"call-{number}",
            " ".join(chance.choices(WORDS, k=chance.randint(1, 5))),
            Answer(status, results),
            time if number < count - 10 else None,
        )


class Replaying:
    """A provider that brings what the log kept, and something unknown where it kept nothing."""

    name = "log"

    def __init__(self, one):
        self.one = one

    def search(self, topic, pace, timeout):  # noqa: ARG002 - the interface
        if self.one.status == EMPTY:
            return Page(())
        unknown = (Result(f"https://unknown.example/{self.one.call.call_id}"),)
        return Page(self.one.call.answer.results or unknown)


def in_a_real_ledger(loop, proposed, profile):
    with write_transaction(loop.connection):
        settings.put(loop.connection, "gate.profile", profile)
        signing.sign_anew(loop.connection)
    for place, one in enumerate(proposed):
        caller = Caller("history", session=one.call.session or None)
        proposal = asking.Proposal(one.topic, caller)
        loop.clock.now = one.when or NOW
        try:
            verdict = novelty.search(
                loop.connection, proposal, lambda one=one: Replaying(one), loop.clock
            )
        except BadTopic:
            continue
        if verdict.status == "duplicate":
            gem = "SELECT session FROM gems WHERE id = ?"
            session = loop.value(gem, verdict.match.gem_id)
            within = session is not None and session == proposal.caller.session
            yield place, verdict.match.signal, within


@pytest.mark.parametrize("profile", PROFILES)
def test_each_refusal_is_the_one_of_the_real_loop(loop, profile):
    proposed = list(Proposals(calls(260, seed=3), NOW, Choice()))
    expected = list(in_a_real_ledger(loop, proposed, profile))
    found = refusals([search_of(one) for one in proposed], PROFILES[profile], NOW)
    assert [tuple(one) for one in found.refused] == expected
    signals = {signal for _, signal, _ in expected}
    assert {"identical", "wording", "subset", "sources"} <= signals
    assert {within for _, _, within in expected} == {True, False}


def test_the_figures_of_the_report_are_these_refusals():
    report = report_of(calls(260, seed=3), NOW, Choice())
    searches = [search_of(one) for one in Proposals(calls(260, seed=3), NOW, Choice())]
    for figures in report.profiles:
        refused = refusals(searches, PROFILES[figures.profile], NOW).refused
        by_sources = [one for one in refused if one.signal == "sources"]
        assert figures.lists_withheld == len(by_sources)
        assert figures.searches_saved == len(refused) - len(by_sources)
        for within, counts in (
            (True, figures.within_session),
            (False, figures.across_sessions),
        ):
            there = [one.signal for one in refused if one.within_session == within]
            assert counts == {signal: there.count(signal) for signal in counts}
            assert sum(counts.values()) == len(there)
