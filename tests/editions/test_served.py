"""What an edition's maker closed is closed: by the README's command, by the plugin, or both.

The suite runs on whichever Datasette is installed; what differs between 0.65 and 1.0 is said here.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest

from gemsearch.editions.permissions import closes

from .conftest import FRONT

OLD = version("datasette").startswith("0.")
CLOSED = FRONT._replace(no_sql=True, no_download=True)
PLUGIN = "from gemsearch.editions.permissions import *\n"
SECONDS = 60
PATHS = [os.path.abspath(path) for path in sys.path]


@contextmanager
def served(folder, arguments):
    """A bare Datasette on a free port, and a function that fetches from it."""
    command = [sys.executable, "-m", "datasette", "serve", *arguments, "--port", "0"]
    # Without the plugins that are installed: only those that a test names.
    env = os.environ | {"PYTHONPATH": os.pathsep.join(PATHS), "DATASETTE_LOAD_PLUGINS": ""}
    with subprocess.Popen(
        command, cwd=folder, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as datasette:
        try:
            yield fetcher(address_of(datasette))
        finally:
            datasette.terminate()
            datasette.wait(SECONDS)


def address_of(datasette):
    told, end = b"", time.monotonic() + SECONDS
    while time.monotonic() < end and datasette.poll() is None:
        if select.select([datasette.stderr], [], [], 0.2)[0]:
            told += datasette.stderr.read1()
            if found := re.search(rb"running on (http://127\.0\.0\.1:\d+)", told):
                return found[1].decode()
    raise AssertionError(told.decode())


def fetcher(address):
    def get(path):
        try:
            with urllib.request.urlopen(address + path, timeout=SECONDS) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    return get


@pytest.fixture
def folder(ledger, publish):
    """Two editions in folders of their own; the private gem is in neither."""
    gem = ledger.gem("chezmoi encryption", "https://one.example.org/a")
    ledger.gem("nightjar plan", "https://one.example.org/a", visibility="private")
    ledger.rejection("encryption chezmoi", gem, "https://one.example.org/a")
    publish("open/gems.db")
    closed = Path(publish("closed/gems.db", front=CLOSED).path).parent
    (closed / "plugins").mkdir()
    (closed / "plugins" / "gates.py").write_text(PLUGIN, encoding="utf-8")
    return closed.parent


def readme_command(folder):
    """The first command of the README, as a person would type it."""
    text = (folder / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    (line,) = re.findall(r"^datasette (-i .+)$", text, re.MULTILINE)
    return shlex.split(line)


SQL = [
    "/gems.json?sql=select+1&_shape=array",
    "/gems/-/query.json?sql=select+1&_shape=array",
    "/gems/gems.json?_where=1&_shape=array",
]


def sql_answers(get):
    """Statuses of what runs SQL on this version; the first redirects to the second on 1.0."""
    return {get(path)[0] for path in (SQL[0], SQL[2], *(() if OLD else SQL[1:2]))}


def rows(get, path):
    status, body = get(path)
    assert status == 200, path
    return json.loads(body)


def check_that_pages_work(get):
    (gem,) = rows(get, "/gems/gems.json?_shape=array")
    assert gem["topic"] == "chezmoi encryption"
    (found,) = rows(get, "/gems/results.json?_shape=array&_search=title&_labels=on")
    assert found["gem_id"] == {"value": 1, "label": "chezmoi encryption"}
    assert found["url_id"] == {"value": 1, "label": "https://one.example.org/a"}
    assert get("/gems/rejections/1")[0] == 200
    assert b"nightjar" not in get("/gems/urls/1")[1] + get("/gems/gems.csv")[1] + get("/gems")[1]


def test_an_open_edition_gives_sql_csv_and_the_file(folder):
    with served(folder / "open", readme_command(folder / "open")) as get:
        assert sql_answers(get) == {200}
        assert get("/gems.db")[1] == (folder / "open" / "gems.db").read_bytes()
        check_that_pages_work(get)


def test_the_readmes_command_closes_sql_and_download_on_every_datasette(folder):
    with served(folder / "closed", readme_command(folder / "closed")) as get:
        assert sql_answers(get) == {403}
        assert get("/gems.db")[0] == 403
        check_that_pages_work(get)


def test_metadata_alone_closes_what_it_can(folder):
    """Datasette 1.0 ignores `allow_sql` of a metadata file: there only a setting or the plugin
    closes SQL, which the README says."""
    with served(folder / "closed", ["gems.db", "-m", "metadata.yml"]) as get:
        assert sql_answers(get) == ({403} if OLD else {200})
        assert get("/gems.db")[0] == 403


def test_the_plugin_closes_them_without_any_setting_and_nothing_of_others(folder):
    """Even where a file may be downloaded by default, and with no metadata."""
    (folder / "closed" / "other.db").write_bytes((folder / "open" / "gems.db").read_bytes())
    names = ["-i", "gems.db", "-i", "other.db", "--plugins-dir", "plugins"]
    with served(folder / "closed", names) as get:
        assert sql_answers(get) == {403}
        assert get("/gems.db")[0] == 403
        assert get("/gems/gems")[0] == get("/gems")[0] == 200
        assert rows(get, "/other.json?sql=select+1&_shape=array") == [{"1": 1}]
        assert get("/other.db")[0] == 200


@pytest.mark.parametrize(
    ("damage", "closed"),
    [
        ("SELECT 1", True),
        ("UPDATE edition SET value = '0'", False),
        ("DROP TABLE edition", True),
        ("DELETE FROM edition", True),
        ("PRAGMA application_id = 0", False),
    ],
)
def test_an_edition_whose_flags_are_gone_is_closed_and_another_database_is_not(
    folder, damage, closed
):
    with closing(sqlite3.connect(folder / "closed" / "gems.db")) as connection:
        connection.execute(damage)
        assert closes(connection, "no_sql") is closed
