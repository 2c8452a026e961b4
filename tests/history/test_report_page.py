"""The page: one file that loads nothing, runs nothing and says less than the terminal."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import re
from datetime import UTC, datetime, timedelta

import pytest

from gemsearch.core.model import Result
from gemsearch.history.model import SearchCall
from gemsearch.history.page import rendered
from gemsearch.history.proposals import Choice
from gemsearch.history.report import report_of
from gemsearch.toolcalls.answers import OK, Answer

NOW = datetime(2026, 11, 30, tzinfo=UTC)
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)> gitleaks'
MAIL = "who is maria.lopez@firm.lan in our crm"
PAGES = [f"https://pages.example/{n}" for n in range(4)]


def page_of(*topics, pages=PAGES, project="/home/maria/secret-client/atlas"):
    """The page of a history in which each topic was searched in two sessions."""
    calls = [
        SearchCall(
            "claude-code",
            f"session-of-{number % 2}",
            f"call{number}",
            topic,
            Answer(OK, tuple(Result(url, "A title", "A snippet") for url in pages)),
            NOW - timedelta(days=40 - number),
            project,
        )
        for number, topic in enumerate(topic for topic in topics for _ in range(2))
    ]
    return rendered(report_of(calls, NOW, Choice()), NOW)


class Seen(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("topics", [("gitleaks hook", "sqlite wal"), (HOSTILE,), (MAIL,), ()])
def test_nothing_is_loaded_and_nothing_runs(topics):
    seen = Seen(page_of(*topics))
    assert seen.open == []
    names = {tag for tag, _ in seen.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "form", "a", "base"}
    for _, attributes in seen.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert not attributes.keys() & {"src", "href", "srcset", "action", "xlink:href"}


def test_only_its_own_style_sheet_is_allowed():
    text = page_of("gitleaks hook")
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = [
        attributes["content"]
        for tag, attributes in Seen(text).tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style
    assert "@import" not in style


def test_what_agents_typed_is_text():
    text = page_of(HOSTILE)
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_neither_paths_nor_sessions_nor_texts_of_results_are_on_the_page():
    text = page_of("gitleaks hook")
    assert "atlas" in text
    for private in ("maria", "secret-client", "session-of", "call0", "A snippet", "A title"):
        assert private not in text


def test_topics_and_addresses_with_a_private_datum_are_left_out_and_counted():
    others = [*PAGES[:3], "https://pages.example/?of=maria.lopez@firm.lan"]
    text = page_of(MAIL, "gitleaks hook", "sqlite wal", pages=others)
    assert "maria" not in text
    assert "pages.example/1" in text
    assert "sqlite wal" in text
    assert "are left out here: 2." in text


def test_every_chart_has_its_numbers_beside_it():
    text = page_of("gitleaks hook", "sqlite wal")
    tags = [tag for tag, _ in Seen(text).tags]
    assert tags.count("svg") >= 5
    assert "<title>2026-10-21: 1 novel, 0 refused</title>" in text
    assert '<tr><th scope="row">2026-10-21</th><td class="number">1</td>' in text


def test_a_history_without_searches_makes_a_page_too():
    assert "0 search calls" in page_of()
