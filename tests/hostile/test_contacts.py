"""Nothing that a result, a topic or an answer names is ever contacted: there is no page fetch.

A listener on this machine is named in every form in which a private address can be written.
"""

from __future__ import annotations

import json
import shutil
import socket
from contextlib import closing, contextmanager

import pytest

from gemsearch.errors import SearchFailed
from gemsearch.providers import http, searxng
from gemsearch.providers.base import Settings
from gemsearch.providers.registry import HOSTED, adapter
from gemsearch.providers.unpaced import Unpaced
from tests.datasette.visiting import Visitor
from tests.hostile.calling import call
from tests.providers.servers import Reply, serving

# 127.0.0.1 and its like, as libraries, resolvers and browsers read them.
HOSTS = (
    *("127.0.0.1", "localhost", "127.1", "0", "0.0.0.0", "2130706433", "0x7f000001", "0177.0.0.1"),
    *("127.0.0.1.", "LOCALHOST", "\u2460\u2461\u2466.0.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]"),
    *("[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[::1%25lo]"),
    *("user:canary@127.0.0.1", "a.example@127.0.0.1", "127.0.0.1\\@a.example"),
)
ELSEWHERE = (
    *("169.254.169.254", "[fe80::1]", "[fc00::1]", "[fec0::1]", "100.64.0.1", "100.100.100.200"),
    *(
        "10.0.0.1",
        "192.168.0.1",
        "172.16.0.1",
        "224.0.0.1",
        "192.88.99.1",
        "198.18.0.1",
        "240.0.0.1",
    ),
    "metadata.google.internal",
)
STATUSES = (300, 301, 302, 303, 305, 307, 308)


@contextmanager
def canary():
    """A port that must stay silent, on both families where the machine has them."""
    with closing(socket.create_server(("127.0.0.1", 0))) as first:
        port = first.getsockname()[1]
        listeners = [first]
        if socket.has_dualstack_ipv6():
            second = socket.create_server(("::1", port), family=socket.AF_INET6)
            listeners.append(second)
        for listener in listeners:
            listener.setblocking(False)
        try:
            yield port, lambda: [one for one in listeners if _was_called(one)]
        finally:
            for listener in listeners[1:]:
                listener.close()


def _was_called(listener):
    try:
        connection, _ = listener.accept()
    except BlockingIOError:
        return False
    connection.close()
    return True


def addresses(port):
    named = [f"http://{host}:{port}/canary" for host in HOSTS]
    return named + [f"http://{host}/latest/meta-data/" for host in ELSEWHERE]


def test_the_canary_hears_whoever_calls():
    with canary() as (port, calls):
        assert not calls()
        socket.create_connection(("127.0.0.1", port)).close()
        assert calls()


def test_token_enhancer_4_no_command_contacts_an_address_that_a_result_names(home):
    with canary() as (port, calls):
        rows = [{"url": url, "title": url, "snippet": url} for url in addresses(port)]
        home.joinpath("results.json").write_text(json.dumps(rows))
        for url in addresses(port):
            assert call("record", url, "--url", url).code in {0, 1, 2}
        for run in (
            ("record", "canary", "--results", "results.json", "--force"),
            ("show", "1"),
            ("gems", "--json"),
            ("explain", "canary"),
            ("check", f"http 127.0.0.1 {port}"),
            ("stats",),
            ("doctor",),
            ("publish", "edition/gems.db", "--yes", "--snippets"),
            ("export",),
            ("config", "set", "providers.searxng.url", f"http://127.0.0.1:{port}"),
            ("providers",),
        ):
            assert call(*run).code in {0, 2}, run
        assert not calls()


def test_no_page_contacts_an_address_that_a_result_names(home):
    with canary() as (port, calls):
        for number, url in enumerate(addresses(port)):
            call("record", f"canary{number}", "--url", url, "--force")
        visitor = Visitor(shutil.copy("gems.db", "served.db"))
        try:
            visitor.page("/served/-/gemsearch")
            visitor.page("/served/results")
            visitor.page("/served/urls")
            visitor.page("/served/-/gemsearch/gem/1")
        finally:
            visitor.close()
        assert not calls()


@pytest.mark.parametrize("status", STATUSES)
def test_a_redirect_to_a_private_address_is_not_followed(status):
    with canary() as (port, calls):
        for url in addresses(port):
            named = {"Location": url.encode("ascii", "backslashreplace").decode()}
            with serving(Reply(status, b"", named)) as server:
                assert failure_of(searxng.ADAPTER, server.url).kind in {"redirect", "upstream"}
                assert len(server.seen) == 1
        assert not calls()


@pytest.mark.parametrize("name", HOSTED)
def test_no_adapter_follows_a_redirect(name):
    with (
        canary() as (port, calls),
        serving(Reply(307, b"", {"Location": f"http://127.0.0.1:{port}/"})) as server,
    ):
        assert failure_of(adapter(name), server.url, key="k" * 32).kind == "redirect"
        assert not calls()


def test_no_header_of_an_answer_leads_anywhere():
    with canary() as (port, calls):
        url = f"http://127.0.0.1:{port}/"
        headers = {
            "Refresh": f"0; url={url}",
            "Link": f"<{url}>; rel=preload",
            "Alt-Svc": f'h2="127.0.0.1:{port}", h3=":{port}"; ma=9999',
            "Content-Location": url,
            "Location": url,
            "Set-Cookie": "canary=1; Domain=127.0.0.1",
            "Strict-Transport-Security": "max-age=9999",
        }
        body = b'{"query": "canary hook", "results": [{"url": "https://a.example/"}]}'
        with serving(Reply(200, body, headers)) as server:
            for _ in range(2):
                assert searched(searxng.ADAPTER, server.url).results
            assert not [seen for seen in server.seen if "cookie" in seen.headers]
        assert not calls()


def searched(adapter, url, key=None):
    provider = http.HttpProvider(adapter, Settings({"url": url}, key))
    return provider.search("canary hook", Unpaced(), 10.0)


def failure_of(adapter, url, key=None):
    with pytest.raises(SearchFailed) as caught:
        searched(adapter, url, key)
    return caught.value
