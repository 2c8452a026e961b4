"""Every rule of the tables keeps its own two examples, and keys read again stay the same."""

import pytest

from gemsearch.core.canonical import Canonical, Ignored, canonicalise
from gemsearch.core.canonical_steps.patterns import pattern
from gemsearch.core.canonical_tables import hosts, trackers
from gemsearch.core.canonical_tables.ignored import IGNORED
from gemsearch.core.canonical_tables.sites import SITES
from gemsearch.core.canonical_tables.wrappers import WRAPPERS

PAGE = "https://kite.example/wind?id=7"
SHAPED_EXAMPLES = {
    "site": ("news.kite.example.org", "v1"),
    "word": ("mail", "77"),
    "dotted": ("a.1", "a1"),
    "google": ("AOvVaw1x", "a1"),
}


def key(url):
    answer = canonicalise(url)
    return answer.key if isinstance(answer, Canonical) else None


def settled(url):
    """The key, after checking that it is its own key."""
    once = key(url)
    assert once is not None, url
    assert key("https://" + once) == once
    return once


@pytest.mark.parametrize("rule", SITES, ids=[rule.name for rule in SITES])
class TestSiteRules:
    def test_its_forms_of_one_document_have_one_key(self, rule):
        first, second = rule.same
        assert settled(first) == settled(second)

    def test_it_is_the_rule_that_made_the_key(self, rule):
        assert rule.name in {canonicalise(url).rule for url in rule.same}

    def test_its_counterexample_stays_apart(self, rule):
        first, second = rule.apart
        assert settled(first) != settled(second)

    def test_it_says_why_and_a_rule_for_any_host_has_a_marker(self, rule):
        assert rule.why
        assert rule.marker or "*" not in rule.hosts.split()


@pytest.mark.parametrize("rule", IGNORED, ids=[f"{r.reason} {r.example}" for r in IGNORED])
class TestIgnoreRules:
    def test_its_example_is_ignored_with_its_reason(self, rule):
        assert canonicalise(rule.example) == Ignored(rule.reason)

    def test_its_counterexample_keeps_a_key(self, rule):
        assert settled(rule.kept)


@pytest.mark.parametrize("rule", WRAPPERS, ids=[f"{r.example}" for r in WRAPPERS])
class TestWrappers:
    def test_the_document_inside_gives_the_key(self, rule):
        assert settled(rule.example) == settled(rule.target)
        assert canonicalise(rule.example).hops == 1

    def test_its_counterexample_is_not_unwrapped(self, rule):
        assert canonicalise(rule.kept).hops == 0
        assert settled(rule.kept) != settled(rule.target)


@pytest.mark.parametrize("alias", hosts.HOST_ALIASES, ids=[a.host for a in hosts.HOST_ALIASES])
class TestHostAliases:
    def test_both_hosts_give_one_key(self, alias):
        assert settled(alias.same[0]) == settled(alias.same[1])

    def test_other_pages_stay_apart(self, alias):
        assert settled(alias.apart[0]) != settled(alias.apart[1])


@pytest.mark.parametrize("suffix", hosts.LOCAL_SUFFIXES)
def test_a_local_name_is_ignored_and_the_same_word_elsewhere_is_not(suffix):
    assert canonicalise(f"http://box{suffix}/a") == Ignored("host:local name")
    assert key(f"http://box{suffix}.kite.example/a")


@pytest.mark.parametrize("parent", sorted(hosts.SHARED_PARENTS))
def test_a_mobile_label_below_a_shared_parent_is_a_site_of_its_own(parent):
    assert key(f"https://m.{parent}/a/b") != key(f"https://{parent}/a/b")


@pytest.mark.parametrize("tracker", [*trackers.TRACKERS, *trackers.SESSIONS], ids=lambda t: t.name)
class TestTrackers:
    def test_adding_it_keeps_the_key(self, tracker):
        value = SHAPED_EXAMPLES[tracker.shape][0] if tracker.shape else "Kite7"
        for name in (tracker.name, tracker.name.upper()):
            assert key(f"{PAGE}&{name}={value}") == key(f"{PAGE}&{name}=") or tracker.shape
            assert key(f"{PAGE}&{name}={value}") == key(PAGE)

    def test_a_longer_name_or_another_shape_is_kept(self, tracker):
        if tracker.shape:
            other = SHAPED_EXAMPLES[tracker.shape][1]
            assert key(f"{PAGE}&{tracker.name}={other}") != key(PAGE)
        assert key(f"{PAGE}&{tracker.name}x=1") != key(PAGE)
        assert key(f"{PAGE}&x{tracker.name}=1") != key(PAGE)


@pytest.mark.parametrize("tracker", trackers.PREFIXES, ids=lambda t: t.name)
def test_a_prefix_is_dropped_at_the_start_of_a_name_only(tracker):
    assert key(f"{PAGE}&{tracker.name}kite=1") == key(PAGE)
    assert key(f"{PAGE}&x{tracker.name}kite=1") != key(PAGE)
    assert key(f"{PAGE}&{tracker.name[:-1]}=1") != key(PAGE)


@pytest.mark.parametrize(("name", "value", "why"), trackers.VALUES)
def test_a_name_with_one_value_is_dropped_with_that_value_only(name, value, why):
    assert why
    assert key(f"{PAGE}&{name}={value}") == key(PAGE)
    assert key(f"{PAGE}&{name}=kite") != key(PAGE)


@pytest.mark.parametrize("tracker", trackers.HEX_SESSIONS, ids=lambda t: t.name)
def test_a_session_is_dropped_only_as_32_hexadecimal_digits(tracker):
    assert key(f"{PAGE}&{tracker.name}={'0a' * 16}") == key(PAGE)
    assert key(f"{PAGE}&{tracker.name}=100") != key(f"{PAGE}&{tracker.name}=101")


@pytest.mark.parametrize("network", sorted(trackers.NETWORKS))
def test_a_known_network_as_ref_is_no_identity(network):
    assert key(f"{PAGE}&ref={network}") == key(PAGE)
    assert key(f"{PAGE}&ref={network}77") != key(PAGE)


@pytest.mark.parametrize("ending", sorted(trackers.SITE_LIKE_ENDINGS))
def test_a_site_as_ref_is_no_identity_and_a_bare_word_is(ending):
    assert key(f"{PAGE}&ref=kite.{ending}") == key(PAGE)
    assert key(f"{PAGE}&ref=kite-{ending}") != key(PAGE)


def test_names_of_rules_and_hosts_of_aliases_are_unique():
    aliases = [alias.host for alias in hosts.HOST_ALIASES]
    assert len(aliases) == len(set(aliases))
    names = [t.name for t in (*trackers.TRACKERS, *trackers.PREFIXES, *trackers.SESSIONS)]
    assert len(names) == len(set(names))


def test_every_pattern_compiles():
    for rule in (*SITES, *IGNORED, *WRAPPERS):
        assert pattern(rule.path)
