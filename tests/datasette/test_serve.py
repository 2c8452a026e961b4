"""`gemsearch serve`: the right command line for the installed Datasette, on this machine only."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from gemsearch.cli import serve
from tests.datasette.visiting import ROOT


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.65.5", ["-m", "mine.yml"]),
        ("1.0a41", ["-m", "mine.yml", "-c", "mine.yml"]),
        ("1.0", ["-m", "mine.yml", "-c", "mine.yml"]),
    ],
)
def test_metadata_goes_where_the_installed_version_reads_it(monkeypatch, version, expected):
    monkeypatch.setattr("importlib.metadata.version", lambda _: version)
    arguments = serve._arguments("gems.db", 8010, metadata="mine.yml", open_browser=True)
    start = arguments.index("-m")
    assert arguments[start : start + len(expected)] == expected
    assert arguments[:6] == ["serve", "gems.db", "--host", "127.0.0.1", "--port", "8010"]
    assert arguments[-1] == "--open"
    assert "-i" not in arguments


def test_a_checkout_that_was_never_installed_brings_the_shim(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    arguments = serve._arguments("gems.db", 8001)
    folder = arguments[arguments.index("--plugins-dir") + 1]
    assert os.path.exists(os.path.join(folder, "gemsearch.py"))


def test_nothing_of_datasette_is_loaded_before_it_serves():
    code = "import sys, gemsearch.cli.serve; print('datasette' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("made", ["missing", "empty"])
def test_what_is_no_ledger_is_not_served(tmp_path, made):
    path = tmp_path / "gems.db"
    if made == "empty":
        path.touch()
    done = run("serve", "--db", str(path))
    assert done.returncode == 5
    assert str(path) in done.stderr
    assert path.exists() is (made == "empty")


def test_the_ledger_is_served_on_this_machine_until_it_is_stopped(ledger):
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "gemsearch", "serve", "--port", str(port), "--db", str(ledger)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        status, html = asked(server, port, "127.0.0.1")
        assert status == 200
        assert "What was searched, and what was refused" in html
        assert "served beyond this machine" not in html
        assert asked(server, port, "evil.example")[0] == 421
    finally:
        server.send_signal(signal.SIGINT)
        output = server.communicate(timeout=20)[0].decode()
    assert f"http://127.0.0.1:{port}" in output


def asked(server, port, host):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/gems/-/gemsearch")
    request.add_header("Host", f"{host}:{port}")
    for _ in range(100):
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, ""
        except OSError:
            assert server.poll() is None, server.stdout.read().decode()
            time.sleep(0.1)
    raise AssertionError("the server did not come up")


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "gemsearch", *arguments],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
