"""The loop: what is written when, what blocks whom, and for how long."""

from __future__ import annotations

import json

import pytest

from gemsearch import asking, errors, novelty
from gemsearch.core.model import Caller
from gemsearch.ledger import searches, settings, writing
from gemsearch.ledger.connection import write_transaction
from tests.conftest import START, Loop

PAGES = [f"https://example.org/{n}" for n in range(6)]


def twice_found(loop, first="gitleaks pre-commit hook", second="gitleaks hook for secrets"):
    """Two wordings whose searches bring the same sources."""
    loop.finds(first, *PAGES[:4])
    loop.finds(second, *PAGES[:4])
    return loop.search(first), loop.search(second)


# Novel


def test_a_novel_topic_is_recorded_with_its_results_in_their_order(loop):
    loop.finds("chezmoi encryption", *PAGES[:3])
    verdict = loop.search("chezmoi encryption", agent="claude", session="s", project="p")
    assert (verdict.status, verdict.gem_id, verdict.provider) == ("novel", 1, "recorded")
    assert [result.url for result in verdict.results] == PAGES[:3]
    columns = "topic, signature, provider, agent, session, project, origin, day, result_count"
    assert loop.rows(f"SELECT {columns} FROM gems") == [
        (
            *("chezmoi encryption", "chezmoi encryption", "recorded", "claude", "s", "p"),
            *("search", "2026-05-11", 3),
        )
    ]
    found = loop.rows("SELECT rank, urls.url FROM results JOIN urls ON urls.id = url_id")
    assert found == list(enumerate(PAGES[:3], start=1))


def test_only_the_first_ten_distinct_sources_count_and_all_results_are_kept(loop):
    pages = [f"https://example.org/{n}" for n in range(12)]
    loop.finds("many", pages[0], pages[0] + "/", "javascript:alert(1)", *pages[1:])
    loop.search("many")
    assert loop.value("SELECT count(*) FROM results") == 14
    assert loop.value("SELECT count(url_id) FROM results") == 10
    assert loop.rows("SELECT url FROM results WHERE rank IN (2, 3)") == [
        ("https://example.org/0/",),
        ("javascript:alert(1)",),
    ]
    assert loop.value("SELECT sum(gem_count) FROM urls") == 10


def test_check_and_explain_write_nothing(loop):
    loop.search("chezmoi")
    before = loop.rows("SELECT * FROM sqlite_sequence"), loop.value("PRAGMA data_version")
    loop.check("chezmoi encryption")
    asking.explain(loop.connection, loop.proposal("chezmoi encryption"), loop.clock())
    assert loop.connection.total_changes == 0 or before[0] == loop.rows(
        "SELECT * FROM sqlite_sequence"
    )
    assert loop.value("SELECT count(*) FROM rejections") == 0
    assert loop.value("SELECT count(*) FROM searches") == 1


# Refused before the search


def test_a_covered_topic_is_refused_without_a_search_and_stored_with_its_evidence(loop):
    loop.search("gitleaks hook")
    verdict = loop.search("hook gitleaks", agent="claude")
    assert (verdict.status, verdict.match.signal, verdict.rejection_id) == (
        "duplicate",
        "identical",
        1,
    )
    assert loop.provider.asked == ["gitleaks hook"]
    columns = "topic, gate, signal, score, threshold, gem_id, profile, enforced, agent, origin"
    assert loop.rows(f"SELECT {columns} FROM rejections") == [
        ("hook gitleaks", "query", "identical", 1, 1, 1, "guarded", 1, "claude", "search")
    ]
    assert json.loads(loop.value("SELECT evidence FROM rejections"))["covered_by"] == (
        "gitleaks hook"
    )


def test_a_refusal_stands_when_it_cannot_be_stored(loop, caplog):
    loop.search("gitleaks hook")
    loop.connection.execute("PRAGMA query_only = ON")
    verdict = loop.search("hook gitleaks")
    assert (verdict.status, verdict.rejection_id) == ("duplicate", None)
    assert "the refusal was not stored" in caplog.text


def test_of_several_covering_topics_the_closest_is_named_and_the_oldest_of_equals(loop):
    published = {"profile": "published"}
    for topic in ("chezmoi templates", "chezmoi", "chezmoi encryption age"):
        loop.record(topic, on_match=asking.FORCE, **published)
        loop.record(topic, f"https://example.org/{topic}", on_match=asking.FORCE, **published)
    match = loop.check("chezmoi encryption age keys", **published).match
    assert (match.gem_id, match.topic) == (3, "chezmoi encryption age")


# Refused after the search


def test_recurring_sources_refuse_and_the_refusal_keeps_all_sources(loop):
    _, refused = twice_found(loop)
    assert (refused.status, refused.match.signal, refused.match.gem_id) == (
        "duplicate",
        "sources",
        1,
    )
    assert loop.rows("SELECT shared, smaller, gem_id FROM rejections") == [(4, 4, 1)]
    assert loop.rows("SELECT shared, counted FROM rejection_urls") == [(1, 1)] * 4
    assert loop.value("SELECT count(*) FROM gems") == 1


def test_a_refusal_by_sources_teaches_the_wording_for_90_days(loop):
    twice_found(loop)
    again = loop.search("secrets for gitleaks hook")
    assert (again.match.signal, again.match.learned_from) == ("wording", 1)
    assert loop.provider.asked == ["gitleaks pre-commit hook", "gitleaks hook for secrets"]
    loop.clock.advance(days=91)
    loop.finds("gitleaks hook for secrets", "https://example.net/new")
    assert loop.search("gitleaks hook for secrets").novel


def test_a_wording_is_refused_by_equality_only(loop):
    twice_found(loop)
    assert loop.check("gitleaks hook for secrets in monorepos").match is None


def test_nothing_is_learned_within_one_session(loop):
    loop.finds("one", *PAGES[:4])
    loop.finds("two", *PAGES[:4])
    loop.search("one", session="s1")
    assert loop.search("two", session="s1").status == "duplicate"
    assert loop.value("SELECT count(*) FROM wordings") == 0
    loop.search("two", session="s2")
    assert loop.value("SELECT count(*) FROM wordings") == 1


def test_a_warning_records_the_gem_keeps_the_rejection_and_teaches_nothing(loop):
    loop.finds("one", *PAGES[:4])
    loop.search("one")
    verdict = loop.record("two", *PAGES[:4], on_match=asking.WARN)
    assert (verdict.status, verdict.gem_id, verdict.rejection_id) == ("novel", 2, 1)
    assert verdict.match.signal == "sources"
    assert loop.rows("SELECT enforced, forced_gem_id FROM rejections") == [(0, None)]
    assert loop.value("SELECT count(*) FROM wordings") == 0


# Empty and failed


def test_an_empty_search_makes_no_gem_and_blocks_nothing(loop):
    loop.finds("nothing there")
    assert loop.search("nothing there").status == "empty"
    assert loop.value("SELECT count(*) FROM gems") == 0
    assert loop.value("SELECT state FROM searches") == "empty"
    assert loop.check("nothing there").novel


def test_a_failed_search_makes_no_gem_and_blocks_nothing(loop):
    loop.provider.pages["topic"] = errors.SearchFailed("timeout", "too slow")
    with pytest.raises(errors.SearchFailed):
        loop.search("topic")
    assert loop.value("SELECT count(*) FROM gems") == 0
    assert loop.rows("SELECT state, error, lease_until FROM searches") == [
        ("failed", "timeout", None)
    ]
    assert loop.check("topic").novel


def test_an_interrupted_search_releases_its_lease(loop):
    loop.provider.pages["topic"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        loop.search("topic")
    assert loop.rows("SELECT state, lease_until FROM searches") == [("released", None)]
    assert loop.check("topic", session="other").novel


def test_a_provider_that_searched_for_something_else_or_not_everywhere_is_told(loop, caplog):
    class Partly:
        name = "partly"

        def search(self, topic, pace, timeout):
            found = loop.provider.search(topic, pace, timeout)
            return found._replace(altered_topic="gitleaks\x1b[2J hooks", partial=("bing",))

    novelty.search(loop.connection, loop.proposal("gitleaks hook"), Partly, loop.clock)
    assert caplog.messages == [
        "partly searched for: gitleaks hooks",
        "partly answered without: bing",
    ]


# Being searched


def lease(loop, topic, **caller):
    with write_transaction(loop.connection):
        signed = loop.proposal(topic).topic
        from gemsearch.core.signature import Topic, signature

        form = settings.read(loop.connection).profile.form
        return searches.start(
            loop.connection,
            Topic(signed, signature(signed, form)),
            Caller(**caller),
            loop.clock(),
            lease_seconds=60,
        )


def test_a_topic_under_a_live_lease_is_pending_for_others_in_other_words_too(loop):
    lease(loop, "gitleaks pre-commit hook", session="s1")
    for topic in ("gitleaks pre-commit hook", "pre-commit gitleaks hooks"):
        verdict = loop.search(topic, session="s2")
        assert (verdict.status, verdict.match.topic) == ("pending", "gitleaks pre-commit hook")
    assert loop.provider.asked == []
    assert loop.value("SELECT count(*) FROM rejections") == 0


def test_a_lease_never_blocks_its_own_session(loop):
    lease(loop, "gitleaks hook", session="s1")
    assert loop.search("gitleaks hook", session="s1").novel


def test_a_lease_ends_by_itself_after_60_seconds(loop):
    lease(loop, "gitleaks hook", session="s1")
    loop.clock.advance(seconds=59)
    assert loop.check("gitleaks hook").status == "pending"
    loop.clock.advance(seconds=2)
    assert loop.check("gitleaks hook").novel


def test_a_lease_taken_while_another_waited_for_the_lock_blocks_that_other(loop):
    loop.clock.advance(seconds=3)
    lease(loop, "gitleaks hook", session="s1")
    loop.clock.advance(seconds=-3)  # when the other looked at its clock, and began to wait
    assert loop.search("hook gitleaks", session="s2").status == "pending"


def test_a_lease_from_before_the_clock_went_back_blocks_nothing(loop):
    lease(loop, "gitleaks hook", session="s1")
    loop.clock.advance(days=-365)
    assert loop.check("gitleaks hook").novel


def test_an_answer_kept_before_a_crash_is_judged_without_a_second_search(loop):
    search_id = lease(loop, "gitleaks hook", session="s1")
    with write_transaction(loop.connection):
        from gemsearch.core.results import as_results

        searches.keep_answer(loop.connection, search_id, "recorded", as_results(PAGES[:2]))
    loop.clock.advance(seconds=61)
    verdict = loop.search("gitleaks hook", session="s2")
    assert (verdict.novel, [result.url for result in verdict.results]) == (True, PAGES[:2])
    assert loop.provider.asked == []
    assert loop.rows("SELECT state, answer, gem_id FROM searches") == [("recorded", None, 1)]


def test_an_answer_older_than_a_day_is_searched_for_again(loop):
    search_id = lease(loop, "gitleaks hook", session="s1")
    with write_transaction(loop.connection):
        searches.keep_answer(loop.connection, search_id, "recorded", ())
    loop.clock.advance(hours=25)
    assert loop.search("gitleaks hook").novel
    assert loop.provider.asked == ["gitleaks hook"]


def test_what_another_recorded_while_we_searched_is_judged_before_we_record(tmp_path):
    loop = Loop(str(tmp_path / "gems.db"))
    other = Loop(loop.path)

    class Slow:
        name = "slow"

        def search(self, topic, pace, timeout):
            other.clock.advance(seconds=1)
            other.record("hook gitleaks", *PAGES[:2])
            return loop.provider.search(topic, pace, timeout)

    verdict = novelty.search(loop.connection, loop.proposal("gitleaks hook"), Slow, loop.clock)
    assert (verdict.status, verdict.match.topic) == ("duplicate", "hook gitleaks")
    assert loop.value("SELECT count(*) FROM gems") == 1
    for opened in (loop, other):
        opened.connection.close()


# Overruling


def test_a_refusal_marked_wrong_refuses_no_longer_and_unlearns_its_wording(loop):
    twice_found(loop)
    with write_transaction(loop.connection):
        writing.mark(loop.connection, 1, "wrong", "another tool", loop.clock())
    assert loop.check("gitleaks hook for secrets").match is None
    assert loop.search("gitleaks hook for secrets").novel
    assert loop.rows("SELECT marked, mark_reason FROM rejections") == [("wrong", "another tool")]


def test_after_a_refusal_is_marked_wrong_the_next_closest_gem_is_judged(loop):
    loop.record("chezmoi age keys", PAGES[0])
    loop.record("chezmoi age templates", PAGES[1])
    first = loop.search("chezmoi age")
    assert (first.match.gem_id, first.match.signal) == (1, "subset")
    with write_transaction(loop.connection):
        writing.mark(loop.connection, first.rejection_id, "wrong", None, loop.clock())
    assert loop.check("chezmoi age").match.gem_id == 2


def test_a_refusal_by_a_learned_wording_marked_wrong_unlearns_it(loop):
    twice_found(loop)
    again = loop.search("gitleaks hook for secrets")
    assert again.match.signal == "wording"
    with write_transaction(loop.connection):
        writing.mark(loop.connection, again.rejection_id, "wrong", None, loop.clock())
    assert loop.check("gitleaks hook for secrets").match is None


def test_a_refusal_marked_right_takes_the_overruling_back(loop):
    loop.search("gitleaks hook")
    refused = loop.search("hook gitleaks")
    for label, status in (("wrong", "novel"), ("right", "duplicate")):
        with write_transaction(loop.connection):
            writing.mark(loop.connection, refused.rejection_id, label, None, loop.clock())
        assert loop.check("hook gitleaks").status == status


def test_a_forced_search_records_keeps_the_rejection_and_overrules_it(loop):
    loop.search("gitleaks hook")
    verdict = loop.search("hook gitleaks", on_match=asking.FORCE, reason="a year has passed")
    assert (verdict.status, verdict.gem_id, verdict.rejection_id) == ("novel", 2, 1)
    assert loop.rows("SELECT forced_gem_id, enforced FROM rejections") == [(2, 1)]
    assert loop.value("SELECT reason FROM gems WHERE id = 2") == "a year has passed"
    assert loop.rows("SELECT gem_id, signal FROM exceptions") == [(1, "identical")]
    assert loop.check("hook gitleaks").match.gem_id == 2, "its own gem covers it now"


# Age


def test_gems_older_than_max_age_block_in_neither_gate_nor_as_wordings(loop):
    twice_found(loop)
    with write_transaction(loop.connection):
        settings.put(loop.connection, "gate.max_age", "30")
    loop.clock.advance(days=31)
    assert loop.check("gitleaks pre-commit hook").novel
    assert loop.check("gitleaks hook for secrets").novel
    assert loop.search("gitleaks hook for secrets").novel, "the sources of old gems are free too"


# One call, one attempt


def test_the_same_call_is_searched_and_recorded_once(loop):
    first = loop.search("gitleaks hook", agent="a", session="s", call_id="c1")
    second = loop.search("gitleaks hook", agent="a", session="s", call_id="c1")
    assert (first.status, second.status) == ("novel", "novel")
    assert (second.gem_id, second.results) == (first.gem_id, first.results)
    assert loop.provider.asked == ["gitleaks hook"]


def test_the_same_refused_call_stores_one_rejection(loop):
    loop.search("gitleaks hook")
    call = {"agent": "a", "session": "s", "call_id": "c2"}
    first, second = (loop.search("hook gitleaks", **call) for _ in range(2))
    assert first.rejection_id == second.rejection_id == 1
    assert second.match.topic == "gitleaks hook"
    assert loop.value("SELECT count(*) FROM rejections") == 1


def test_a_call_id_of_another_session_is_another_call(loop):
    loop.search("gitleaks hook", agent="a", session="s1", call_id="c1")
    other = loop.search("hook gitleaks", agent="a", session="s2", call_id="c1")
    assert other.status == "duplicate"


def test_record_settles_the_lease_of_its_own_call(loop):
    lease(loop, "gitleaks hook", agent="a", session="s", call_id="c1", origin="hook")
    verdict = loop.record("gitleaks hook", PAGES[0], agent="a", session="s", call_id="c1")
    assert verdict.novel
    assert loop.rows("SELECT state, gem_id, lease_until FROM searches") == [("recorded", 1, None)]


# Related


def test_what_the_published_profile_would_have_refused_is_a_related_note(loop):
    loop.record("terraform", PAGES[0])
    verdict = loop.search("terraform state locking with dynamodb")
    assert verdict.novel
    assert [(match.gem_id, match.signal) for match in verdict.related] == [(1, "subset")]


def test_at_most_three_related_notes_are_given(loop):
    for number in range(5):
        loop.record(f"terraform{number} {number}", f"https://example.org/t{number}")
        loop.record(f"word{number}", f"https://example.org/w{number}")
    verdict = loop.check("word0 word1 word2 word3 word4 quickly")
    assert len(verdict.related) == 3


def test_a_gem_is_not_related_to_itself(loop):
    assert loop.search("chezmoi encryption").related == ()


# What may be proposed


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("", "empty"),
        (" \u200b\x00 ", "empty"),
        ("...", "neither a letter nor a digit"),
        ("a" * 401, "401 characters"),
        ("a " * 33, "33 words"),
        ("x" * 100_000, "100,000 characters"),
    ],
)
def test_a_topic_that_is_no_topic_is_a_wrong_call(topic, said):
    with pytest.raises(errors.BadTopic, match=said):
        asking.accepted(topic)


def test_a_secret_in_a_topic_is_refused_and_never_repeated():
    key = "AKIA" + "QW7RTYHG5XCVBNM2"
    with pytest.raises(errors.SecretInTopic) as caught:
        asking.accepted(f"why is {key} denied")
    assert key not in str(caught.value) + caught.value.hint
    assert asking.accepted(f"why is {key} denied", allow_secret=True)


@pytest.mark.parametrize(
    "topic", ["na\x00me", "lone \ud800 surrogate", "bidi \u202e text", "tab\there"]
)
def test_a_topic_with_odd_characters_is_cleaned_and_searched(loop, topic):
    verdict = loop.search(topic)
    assert verdict.novel
    stored = loop.value("SELECT topic FROM gems")
    assert stored.isprintable()
    assert stored == verdict.topic


def test_a_topic_of_stop_words_only_is_a_topic_of_its_own(loop):
    loop.search("to be or not to be")
    assert loop.search("who is who").novel


def test_times_are_utc_iso_8601(loop):
    loop.search("topic")
    assert loop.value("SELECT created FROM gems") == "2026-05-11T09:00:00.000Z"
    assert START.isoformat() == "2026-05-11T09:00:00+00:00"
