"""Plugins: the example in the documentation works, and a broken one harms nobody."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.providers.servers import reply, serving

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "providers.md").read_text("utf-8")
BOOKS = {"books": [{"page": "https://example.org/a", "title": "<b>A</b>"}, {"title": "no page"}]}

SEARCH = """
import json, logging, sys
from gemsearch.config import load
from gemsearch.providers import registry
class Pace:
    def cooling(self, provider): return None
    def claim(self, provider, interval): return 0.0
    def cool_down(self, provider, kind, seconds): pass
page = registry.choose("library", load()).search("a topic", Pace(), 20.0)
print(json.dumps([page.results, page.dropped]))
"""
DESCRIBE = """
from gemsearch.config import load
from gemsearch.providers import registry
for status in registry.describe(load()):
    print(*status)
"""


def example(name):
    """The code block that the documentation marks with this file name."""
    marked = rf"<!-- example: {re.escape(name)} -->\n```\w+\n(.*?)```"
    return re.search(marked, DOCUMENT, re.DOTALL)[1]


def install(site, package, module, code, entry_points):
    (site / f"{module}.py").write_text(code)
    metadata = site / f"{package.replace('-', '_')}-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    lines = "".join(f"{name} = {value}\n" for name, value in entry_points.items())
    (metadata / "entry_points.txt").write_text(f"[gemsearch]\n{lines}")


@pytest.fixture
def site(tmp_path):
    """A directory of installed packages that holds the documented example."""
    project = tomllib.loads(example("pyproject.toml"))["project"]
    install(
        tmp_path,
        project["name"],
        "gemsearch_library",
        example("gemsearch_library.py"),
        project["entry-points"]["gemsearch"],
    )
    return tmp_path


@pytest.fixture
def run(site, own_files):
    """Runs a program in a new interpreter that sees the installed plugins."""

    def run(code, **variables):
        path = os.pathsep.join([str(site), str(ROOT)])
        env = {**os.environ, "PYTHONPATH": path, **variables}
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False
        )

    return run


def test_the_documented_example_searches(run, own_files):
    key = "k" * 24
    with serving(reply(BOOKS)) as server:
        (own_files / "config.toml").write_text(f'[providers.library]\nurl = "{server.url}"\n')
        done = run(SEARCH, LIBRARY_API_KEY=key)
        assert done.stderr == ""
        assert json.loads(done.stdout) == [[["https://example.org/a", "A", "", ""]], 1]
        assert server.only.headers["authorization"] == f"Bearer {key}"
        assert server.only.query == {"q": "a topic", "limit": "10"}


def test_a_missing_key_says_how_to_set_it(run):
    done = run(SEARCH)
    assert "SearchFailed" in done.stderr
    assert "library needs a key" in done.stderr


def test_plugins_are_listed(run):
    assert "library needs a key plugin library" in run(DESCRIBE).stdout.splitlines()


@pytest.mark.parametrize(
    ("allowed", "loaded"),
    [("", False), ("gemsearch-library", True), ("gemsearch_library, other", True), ("x", False)],
)
def test_the_environment_decides_which_may_load(run, allowed, loaded):
    done = run(DESCRIBE, GEMSEARCH_LOAD_PLUGINS=allowed)
    assert done.returncode == 0
    assert ("plugin library" in done.stdout) is loaded
    assert ("isn't installed" in done.stderr) is ("other" in allowed or allowed == "x")


HOOK = "from gemsearch.hookspecs import hookimpl\n@hookimpl\ndef register_providers(register"


@pytest.mark.parametrize(
    "code",
    [
        "raise RuntimeError('canary')",
        "import a_package_that_nobody_has",
        "raise SystemExit(3)",
        "this is no Python",
        f"{HOOK}): raise RuntimeError('canary')",
        f"{HOOK}): register()",
        f"{HOOK}, canary): pass",
    ],
    ids=["raises", "import", "exit", "syntax", "hook raises", "wrong call", "wrong hook"],
)
def test_a_broken_plugin_is_left_out_with_a_warning(run, site, code):
    install(site, "broken", "broken_plugin", code, {"broken": "broken_plugin"})
    done = run(DESCRIBE)
    assert done.returncode == 0
    assert "plugin library" in done.stdout
    assert "plugin broken is left out" in done.stderr
    assert "canary" not in done.stderr


def test_a_name_is_given_once(run, site):
    code = f"{HOOK}):\n    register('library', print)\n    register('tavily', print)"
    install(site, "second", "second_plugin", code, {"second": "second_plugin"})
    done = run(DESCRIBE)
    assert done.stdout.count("\nlibrary ") == 1
    assert "'library' is taken" in done.stderr
    assert "'tavily' is taken" in done.stderr


def test_a_factory_that_fails_is_a_configuration_error_without_its_text(run, site):
    code = f"{HOOK}): register('odd', lambda settings: 1 / len(settings.options))"
    install(site, "odd", "odd_plugin", code, {"odd": "odd_plugin"})
    done = run(SEARCH.replace('"library"', '"odd"'))
    assert "BadConfiguration: the plugin odd can't start" in done.stderr
