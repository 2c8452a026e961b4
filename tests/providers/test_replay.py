"""Recorded results: found by topic, never by the network."""

from __future__ import annotations

import json
import socket
import time

import pytest

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import Settings
from gemsearch.providers.replay import Replay
from tests.providers.servers import FreePace

ROW = {"url": "https://example.org/a", "title": "A", "snippet": "<b>S</b>", "published": "2026"}


@pytest.fixture
def replay(tmp_path):
    def make(*lines):
        path = tmp_path / "recorded.jsonl"
        texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        path.write_text("\n".join(texts))
        return Replay(Settings({"path": str(path)}))

    return make


def failure_of(provider, topic="x", timeout=5.0):
    with pytest.raises(SearchFailed) as caught:
        provider.search(topic, FreePace(), timeout)
    return caught.value


@pytest.mark.parametrize("topic", ["Gitleaks Hook", "  gitleaks \t hook\n", "GITLEAKS HOOK"])
def test_case_and_spacing_do_not_matter(replay, topic):
    provider = replay({"topic": "gitleaks hook", "results": [ROW, {"title": "no URL"}, 7]})
    page = provider.search(topic, FreePace(), 5.0)
    assert page.results == [Result("https://example.org/a", "A", "S", "2026")]
    assert page.dropped == 1


def test_a_recorded_empty_list_is_an_empty_page(replay):
    assert replay({"topic": "x", "results": []}).search("x", FreePace(), 5.0).results == []


def test_the_last_line_of_a_topic_wins(replay):
    provider = replay({"topic": "x", "error": "network"}, "", {"topic": "X", "results": [ROW]})
    assert provider.search("x", FreePace(), 5.0).results


def test_a_topic_without_a_line_fails_without_the_network(replay, monkeypatch):
    monkeypatch.setattr(socket, "socket", None)
    failure = failure_of(replay({"topic": "other", "results": []}))
    assert (failure.kind, failure.exit_code) == ("replay_miss", 5)


@pytest.mark.parametrize("kind", sorted(SearchFailed.KINDS))
def test_every_failure_can_be_replayed(replay, kind):
    failure = failure_of(replay({"topic": "x", "error": kind, "retry_after": 30}))
    assert (failure.kind, failure.retry_after) == (kind, 30)


def test_a_delay_is_waited_for(replay):
    start = time.monotonic()
    replay({"topic": "x", "delay": 0.2, "results": []}).search("x", FreePace(), 5.0)
    assert time.monotonic() - start >= 0.2


def test_a_delay_beyond_the_deadline_is_a_timeout(replay):
    assert failure_of(replay({"topic": "x", "delay": 60}), timeout=0.1).kind == "timeout"


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", '{"topic": 3}', '{"topic": "x", "error": "odd"}', "\x00"]
)
def test_a_broken_file_is_a_configuration_failure(replay, line):
    failure = failure_of(replay({"topic": "y", "results": []}, line))
    assert failure.kind == "config"
    assert "recorded.jsonl" in failure.message


def test_no_file_is_a_configuration_failure(tmp_path, monkeypatch):
    monkeypatch.delenv("GEMSEARCH_REPLAY", raising=False)
    assert "GEMSEARCH_REPLAY" in failure_of(Replay(Settings())).hint
    assert failure_of(Replay(Settings({"path": str(tmp_path / "none")}))).kind == "config"
    assert failure_of(Replay(Settings({"path": str(tmp_path)}))).kind == "config"


def test_the_environment_can_name_the_file(tmp_path, monkeypatch):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"topic": "x", "results": [ROW]}))
    monkeypatch.setenv("GEMSEARCH_REPLAY", str(path))
    assert Replay(Settings()).search("x", FreePace(), 5.0).results
