"""Which provider searches, and that none is chosen silently."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gemsearch import config as configuration
from gemsearch.config import Config
from gemsearch.errors import BadConfiguration, NotFound, SearchFailed
from gemsearch.providers import registry
from gemsearch.providers.base import Page
from gemsearch.providers.fallback import Fallback
from gemsearch.providers.http import HttpProvider
from tests.providers.servers import FreePace, reply, serving

KEYS = {
    "tavily": "TAVILY_API_KEY",
    "brave": "BRAVE_API_KEY",
    "exa": "EXA_API_KEY",
    "serper": "SERPER_API_KEY",
    "you": "YDC_API_KEY",
}

DOCUMENT = (Path(__file__).parents[2] / "docs" / "providers.md").read_text("utf-8")

pytestmark = pytest.mark.usefixtures("own_files")


def config(**values):
    return Config("config.toml", values)


class TestChoice:
    def test_nothing_is_chosen_silently(self):
        with pytest.raises(SearchFailed) as caught:
            registry.choose(None, config())
        assert (caught.value.kind, caught.value.exit_code) == ("no_provider", 5)
        lines = caught.value.hint.splitlines()
        assert "  export SEARXNG_URL=http://127.0.0.1:8888" in lines
        assert "  gemsearch config set provider auto" in lines

    def test_neither_recordings_nor_samples_choose_themselves(self, monkeypatch):
        monkeypatch.setenv("GEMSEARCH_REPLAY", "recorded.jsonl")
        with pytest.raises(SearchFailed, match="no search provider"):
            registry.choose(None, config(providers={"replay": {"path": "x"}}))

    def test_the_order(self, monkeypatch):
        named = config(provider="sample")
        assert registry.chosen(None, named) == ("sample",)
        for name, variable in reversed(KEYS.items()):
            monkeypatch.setenv(variable, "k" * 20)
            assert registry.chosen(None, named) == (name,)
        monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:8888")
        assert registry.chosen(None, named) == ("searxng",)
        monkeypatch.setenv("GEMSEARCH_PROVIDER", "replay")
        assert registry.chosen(None, named) == ("replay",)
        assert registry.chosen("exa", named) == ("exa",)

    def test_a_stored_key_counts_as_one_that_is_set(self):
        configuration.set_key("serper", "k" * 20)
        assert registry.chosen(None, config()) == ("serper",)

    @pytest.mark.parametrize(
        ("named", "names"),
        [
            ("auto", ("tavily", "you")),
            (["searxng", "auto"], ("searxng", "tavily", "you")),
            (["you", "auto"], ("you", "tavily")),
            ("exa, brave", ("exa", "brave")),
        ],
    )
    def test_the_configuration_may_name_several(self, named, names):
        assert registry.chosen(None, config(provider=named)) == names

    def test_a_configured_instance_is_named(self):
        own = config(providers={"searxng": {"url": "http://127.0.0.1:1"}})
        assert registry.choose(None, own).name == "searxng"

    @pytest.mark.parametrize("named", [7, [7], {"a": 1}, "gogle", ["sample", "gogle"]])
    def test_a_wrong_configuration_names_its_file(self, named):
        with pytest.raises(BadConfiguration, match=r"config\.toml"):
            registry.choose(None, config(provider=named))

    def test_an_unknown_name_in_the_call_is_the_calls_fault(self):
        with pytest.raises(NotFound, match="gogle") as caught:
            registry.choose("gogle", config())
        assert "tavily" in caught.value.hint


class TestOpening:
    @pytest.mark.parametrize("name", [*registry.ADAPTERS, *registry.OTHERS])
    def test_every_built_in_name_opens(self, name):
        assert registry.choose(name, config()).name == name

    @pytest.mark.parametrize("name", registry.ADAPTERS)
    def test_adapters_are_driven_over_http(self, name):
        assert isinstance(registry.choose(name, config()), HttpProvider)

    @pytest.mark.parametrize(("name", "variable"), KEYS.items())
    def test_the_variables_of_a_key_are_the_adapters(self, name, variable):
        assert registry.adapter(name).env[0] == variable

    def test_only_the_keyless_services_do_without_a_key(self):
        keyless = [name for name in registry.HOSTED if not registry.adapter(name).needs_key]
        assert tuple(keyless) == registry.KEYLESS

    def test_the_environment_wins_over_the_configured_url(self, monkeypatch):
        own = config(providers={"searxng": {"url": "http://127.0.0.1:1", "language": "de"}})
        assert registry.settings_for("searxng", own).text("url") == "http://127.0.0.1:1"
        monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:2")
        settings = registry.settings_for("searxng", own)
        assert (settings.text("url"), settings.text("language")) == ("http://127.0.0.1:2", "de")

    def test_a_program_of_ones_own_has_a_name_of_its_own(self):
        row = json.dumps([{"url": "https://example.org/a"}])
        argv = [sys.executable, "-S", "-c", f"print({row!r})"]
        own = config(providers={"mine": {"type": "command", "argv": argv}})
        provider = registry.choose("mine", own)
        assert provider.name == "mine"
        assert provider.search("x", FreePace(), 20.0).results

    def test_other_types_are_refused(self):
        with pytest.raises(BadConfiguration, match=r"providers\.mine\.type"):
            registry.choose("mine", config(providers={"mine": {"type": "odd"}}))

    def test_searxng_answers_from_end_to_end(self, monkeypatch):
        shape = {"query": "x", "results": [{"url": "https://example.org/a", "title": "A"}]}
        with serving(reply(shape)) as server:
            monkeypatch.setenv("SEARXNG_URL", server.url)
            page = registry.choose(None, config()).search("x", FreePace(), 10.0)
        assert page.results[0].title == "A"


class Fake:
    def __init__(self, name, answer):
        self.name = name
        self.answer = answer
        self.timeouts = []

    def search(self, topic, pace, timeout):  # noqa: ARG002 - the interface
        self.timeouts.append(timeout)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class TestFallback:
    def test_the_next_one_is_asked_after_a_failure_and_named(self):
        first, second = Fake("a", SearchFailed("network", "a: down")), Fake("b", Page([]))
        fallback = Fallback([first, second])
        assert fallback.search("x", FreePace(), 20.0).served_by == "b"
        assert (fallback.name, fallback.served_by) == ("a,b", "b")
        assert first.timeouts[0] <= 10
        assert 10 < second.timeouts[0] <= 20

    def test_an_empty_page_is_an_answer(self):
        second = Fake("b", Page([]))
        assert Fallback([Fake("a", Page([])), second]).search("x", FreePace(), 9).served_by == "a"
        assert second.timeouts == []

    @pytest.mark.parametrize("kind", sorted(SearchFailed.KINDS))
    def test_only_a_fault_of_the_topic_stops_it(self, kind):
        second = Fake("b", Page([]))
        fallback = Fallback([Fake("a", SearchFailed(kind, "no")), second])
        if kind in {"query_too_long", "bad_query"}:
            with pytest.raises(SearchFailed):
                fallback.search("x", FreePace(), 9.0)
            assert second.timeouts == []
            return
        assert fallback.search("x", FreePace(), 9.0).served_by == "b"

    def test_when_all_fail_the_one_that_may_work_later_decides(self):
        fallback = Fallback(
            [
                Fake("a", SearchFailed("auth", "a: no key")),
                Fake(
                    "b", SearchFailed("rate_limited", "b: slow", retry_after=9.0, billed="unknown")
                ),
                Fake("c", SearchFailed("quota", "c: empty", retry_after=3600.0)),
            ]
        )
        with pytest.raises(SearchFailed) as caught:
            fallback.search("x", FreePace(), 9.0)
        assert (caught.value.kind, caught.value.retry_after) == ("rate_limited", 9.0)
        assert caught.value.message == "a: no key; b: slow; c: empty"
        assert caught.value.billed == "unknown"

    def test_when_a_person_must_act_on_all_the_first_decides(self):
        both = [Fake(name, SearchFailed("auth", f"{name}: no key")) for name in "ab"]
        with pytest.raises(SearchFailed) as caught:
            Fallback(both).search("x", FreePace(), 9.0)
        assert caught.value.exit_code == 5


class TestDescription:
    def test_every_provider_has_a_line(self):
        found = {status.name: status for status in registry.describe(config())}
        assert {*registry.ADAPTERS, *registry.OTHERS} <= set(found)
        assert found["searxng"].status == "needs a URL"
        assert found["brave"].status == "needs a key"
        assert "BRAVE_SEARCH_API_KEY" in found["brave"].note
        assert found["tavily"].status == "keyless"
        assert all("never run live" in found[name].note for name in registry.HOSTED)

    def test_what_is_configured_is_ready(self, monkeypatch):
        key = "k" * 30
        monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:1")
        monkeypatch.setenv("BRAVE_API_KEY", key)
        own = config(providers={"mine": {"type": "command", "argv": ["x"]}})
        found = {status.name: status for status in registry.describe(own)}
        assert [found[name].status for name in ("searxng", "brave", "mine")] == ["ready"] * 3
        assert key not in repr(found)


class TestDocumentation:
    """docs/providers.md says what the code does."""

    rows = {  # noqa: RUF012 - read once
        line.split("|")[1].strip(): line for line in DOCUMENT.splitlines() if line.startswith("| `")
    }

    @pytest.mark.parametrize("name", registry.ADAPTERS)
    def test_the_table_holds_the_facts_of_every_adapter(self, name):
        facts = registry.adapter(name)
        row = self.rows[f"`{name}`"]
        assert all(f"`{variable}`" in row for variable in facts.env)
        assert (f"{facts.max_chars} characters" in row) is bool(facts.max_chars)
        assert (f"{facts.max_words} words" in row) is bool(facts.max_words)
        assert (f"| {facts.min_interval:g} s |" in row) is bool(facts.min_interval)
        assert ("| may be |" in row) is facts.failure_billed
        assert ("never run live" in row) is (name in registry.HOSTED)

    @pytest.mark.parametrize("name", registry.OTHERS)
    def test_the_table_holds_the_others(self, name):
        assert f"`{name}`" in self.rows

    @pytest.mark.parametrize(("kind", "code"), SearchFailed.KINDS.items())
    def test_every_kind_of_failure_has_its_row_and_exit_code(self, kind, code):
        assert f" | `{kind}` | {code} | no | " in DOCUMENT


def test_neither_the_registry_nor_an_adapter_loads_httpx():
    code = (
        "import sys\nfrom gemsearch.config import Config\n"
        "from gemsearch.providers import registry\n"
        "registry.describe(Config('c', {})); registry.chosen('exa', Config('c', {}))\n"
        "print('httpx' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
