from __future__ import annotations

import os

import pytest

OURS = ("GEMSEARCH_", "SEARXNG_", "TAVILY_", "BRAVE_", "EXA_", "SERPER_", "YDC_", "YOUCOM_")


@pytest.fixture
def own_files(tmp_path, monkeypatch):
    """A configuration directory of the test's own and none of the developer's keys."""
    for name in list(os.environ):
        if name.startswith(OURS) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    home = tmp_path / "config"
    home.mkdir()
    monkeypatch.setenv("GEMSEARCH_CONFIG", str(home / "config.toml"))
    return home
