"""The ddgs extra, with a stand-in for its package."""

from __future__ import annotations

import pytest

from gemsearch.core.model import Result
from gemsearch.errors import SearchFailed
from gemsearch.providers.base import Settings
from gemsearch.providers.ddgs import Ddgs, failure
from tests.providers.servers import FreePace

PACKAGE = """
import time
print("noise on standard output")

class DDGSException(Exception): pass
class RatelimitException(DDGSException): pass
class TimeoutException(DDGSException): pass

class DDGS:
    def __init__(self, timeout): pass
    def text(self, query, backend, max_results):
        assert "auto" not in backend.split(",")
        {body}
"""


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Searches with a `ddgs` package whose `text` method has this body."""

    def search(body, timeout=20.0, topic="gitleaks hook"):
        (tmp_path / "ddgs.py").write_text(PACKAGE.format(body=body))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return Ddgs(Settings()).search(topic, FreePace(), timeout)

    return search


def test_results_come_back(ask):
    row = "{'title': query, 'href': 'https://example.org/a', 'body': '<b>S</b>'}"
    page = ask(f"return [{row}] * 2", topic="-日本語 'x'")
    assert page.results == [Result("https://example.org/a", "-日本語 'x'", "S")] * 2


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("raise DDGSException('No results found.')", "ambiguous"),
        ("return []", "ambiguous"),
        ("raise DDGSException('DNSError: unknown host')", "network"),
        ("raise OSError('\\x1b[31modd')", "bad_response"),
        ("__import__('os')._exit(9)", "upstream"),
    ],
)
def test_a_failure_is_never_an_empty_page(ask, body, kind):
    with pytest.raises(SearchFailed) as caught:
        ask(body)
    assert caught.value.kind == kind
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("DDGSException", "ConnectError: dead proxy", "network"),
        ("TimeoutException", "x", "timeout"),
        ("DDGSException", "operation timed out", "timeout"),
        ("RatelimitException", "202 Ratelimit", "rate_limited"),
        ("DDGSException", "Expecting value: line 1 column 1", "bad_response"),
        ("AttributeError", "'list' object has no attribute 'get'", "bad_response"),
        ("ParserError", "Document is empty", "bad_response"),
    ],
)
def test_every_text_that_was_seen_has_its_kind(name, text, kind):
    assert failure(name, text).kind == kind


def test_a_package_that_hangs_is_killed(ask):
    with pytest.raises(SearchFailed) as caught:
        ask("time.sleep(60)", timeout=1.0)
    assert caught.value.kind == "timeout"


def test_a_missing_package_says_how_to_install_it(tmp_path, monkeypatch):
    (tmp_path / "ddgs.py").write_text("raise ModuleNotFoundError(name='ddgs')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(SearchFailed) as caught:
        Ddgs(Settings()).search("x", FreePace(), 20.0)
    assert (caught.value.kind, caught.value.exit_code) == ("config", 5)
    assert "gemsearch[ddgs]" in caught.value.hint
