"""The user's own files: read kindly, written whole, keys kept apart."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gemsearch import config
from gemsearch.errors import BadConfiguration, NotFound, WrongCall
from gemsearch.providers import registry

KEY = "not-a-key-" + "7" * 16
pytestmark = pytest.mark.usefixtures("own_files")

WRITTEN = """# my searches
provider = "tavily"  # for now

[providers.brave]
min_interval = 0.02
"""


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


@pytest.fixture
def written(own_files):
    path = own_files / "config.toml"
    path.write_text(WRITTEN)
    return path


class TestReading:
    def test_an_absent_file_is_an_empty_one(self, own_files):
        assert config.load().values == {}
        assert config.load().path == str(own_files / "config.toml")

    @pytest.mark.usefixtures("written")
    def test_dotted_keys_are_found(self):
        found = config.load()
        assert found.get("provider") == "tavily"
        assert found.get("providers.brave.min_interval") == 0.02
        assert found.get("providers.brave.min_interval.deeper") is None
        assert found.table("providers.brave") == {"min_interval": 0.02}
        assert found.table("providers.exa") == {}

    @pytest.mark.usefixtures("written")
    def test_a_value_where_a_table_belongs_is_named(self):
        with pytest.raises(BadConfiguration, match="`provider` must be a table"):
            config.load().table("provider")

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ('a = 1\nb = "open\n', "line 2"),
            ("a = 1\n\n[gate", "line 3"),
            ("a = 1\na = 2\n", "line 2"),
            ("[gate] count = 10\n", "line 1"),
        ],
    )
    def test_broken_toml_names_the_file_the_line_and_what_to_do(self, own_files, text, line):
        path = own_files / "config.toml"
        path.write_text(text)
        with pytest.raises(BadConfiguration, match=line) as caught:
            config.load()
        assert str(path) in caught.value.message
        assert caught.value.hint
        with pytest.raises(BadConfiguration):
            config.set_value("a", "1")
        assert path.read_text() == text

    def test_what_can_not_be_read_is_named(self, own_files):
        (own_files / "config.toml").write_bytes(b"\xff\xfe")
        with pytest.raises(BadConfiguration, match="UTF-8"):
            config.load()
        with pytest.raises(BadConfiguration, match="can't be read"):
            config.load(str(own_files))

    def test_a_byte_order_mark_does_no_harm(self, own_files):
        (own_files / "config.toml").write_bytes(b"\xef\xbb\xbfa = 1\n")
        assert config.load().get("a") == 1

    @pytest.mark.usefixtures("written")
    def test_a_flag_wins_over_the_environment_and_that_over_the_file(self, monkeypatch):
        found = config.load()
        assert registry.chosen(None, found) == ("tavily",)
        monkeypatch.setenv("GEMSEARCH_PROVIDER", "exa")
        assert registry.chosen(None, found) == ("exa",)
        assert registry.chosen("you", found) == ("you",)


class TestWriting:
    def test_comments_and_order_are_kept(self, written):
        config.set_value("provider", "exa")
        config.set_value("gate.max_age", "30")
        text = written.read_text()
        assert text.startswith('# my searches\nprovider = "exa"  # for now\n')
        assert config.load().get("gate.max_age") == 30
        assert config.load().get("providers.brave.min_interval") == 0.02

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("exa", "exa"),
            ("30", 30),
            ("true", True),
            ('["searxng", "you"]', ["searxng", "you"]),
            ("http://127.0.0.1:8888", "http://127.0.0.1:8888"),
            ("1\nother = 2", "1\nother = 2"),
            ("", ""),
            ("it's", "it's"),
        ],
    )
    def test_a_word_from_the_shell_gets_its_type(self, text, value):
        assert config.set_value("a.b", text) == value
        assert config.get_value("a.b") == value
        assert list(config.load().values) == ["a"]

    @pytest.mark.usefixtures("written")
    def test_a_key_can_be_unset(self):
        config.unset("providers.brave.min_interval")
        assert config.load().get("providers.brave.min_interval") is None
        with pytest.raises(NotFound):
            config.unset("providers.brave.min_interval")
        with pytest.raises(NotFound):
            config.get_value("gate")

    @pytest.mark.parametrize("dotted", ["", ".a", "a..b", "provider.x"])
    def test_a_wrong_name_is_a_wrong_call(self, written, dotted):
        with pytest.raises(WrongCall):
            config.set_value(dotted, "1")
        assert written.read_text() == WRITTEN

    @pytest.mark.parametrize("dotted", ["providers.exa.key", "api_key", "x.TOKEN"])
    def test_no_key_is_written_to_it(self, own_files, dotted):
        with pytest.raises(WrongCall, match="no place") as caught:
            config.set_value(dotted, KEY)
        assert KEY not in caught.value.message
        assert not list(own_files.iterdir())

    def test_the_files_are_the_owners_alone(self, tmp_path, monkeypatch):
        home = tmp_path / "new" / "home"
        monkeypatch.setenv("GEMSEARCH_CONFIG", str(home / "config.toml"))
        config.set_value("a", "1")
        config.set_key("exa", KEY)
        assert mode(home) == 0o700
        assert mode(home / "config.toml") == mode(home / "keys.json") == 0o600
        assert sorted(path.name for path in home.iterdir()) == ["config.toml", "keys.json"]

    def test_a_symbolic_link_stays_one(self, own_files, tmp_path):
        target = tmp_path / "dotfiles.toml"
        target.write_text(WRITTEN)
        (own_files / "config.toml").symlink_to(target)
        config.set_value("provider", "exa")
        assert (own_files / "config.toml").is_symlink()
        assert "exa" in target.read_text()

    def test_a_directory_that_can_not_be_made_is_named(self, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("GEMSEARCH_CONFIG", str(tmp_path / "file" / "config.toml"))
        with pytest.raises(BadConfiguration, match="can't be written"):
            config.set_value("a", "1")

    def test_no_change_of_two_at_once_is_lost(self):
        names = [f"provider{number}" for number in range(16)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda name: config.set_key(name, KEY), names))
        assert config.list_keys() == sorted(names)


class TestKeys:
    def test_names_are_listed_and_keys_are_not(self):
        config.set_key("exa", f"  {KEY}\n")
        assert config.list_keys() == ["exa"]
        assert config.find_key("exa", []) == KEY
        config.remove_key("exa")
        assert config.list_keys() == []
        with pytest.raises(NotFound):
            config.remove_key("exa")

    def test_the_order_is_file_then_environment_then_named_file(self, own_files, monkeypatch):
        (own_files / "secret").write_text("from-a-file\n")
        monkeypatch.setenv("EXA_API_KEY_FILE", str(own_files / "secret"))
        assert config.find_key("exa", ["EXA_API_KEY"]) == "from-a-file"
        monkeypatch.setenv("EXA_API_KEY", "from-environment")
        assert config.find_key("exa", ["EXA_API_KEY"]) == "from-environment"
        config.set_key("exa", "from-keys-json")
        assert config.find_key("exa", ["EXA_API_KEY"]) == "from-keys-json"
        assert config.provider_settings("exa", ["EXA_API_KEY"]).key == "from-keys-json"

    def test_an_empty_variable_is_no_key(self, monkeypatch):
        monkeypatch.setenv("EXA_API_KEY", " ")
        assert config.find_key("exa", ["EXA_API_KEY"]) is None
        assert config.provider_settings("exa", ["EXA_API_KEY"]) == ({}, None)

    @pytest.mark.parametrize("key", ["", "  ", f"{KEY}\n{KEY}", f"{KEY}\u20ac", f"{KEY}\0"])
    def test_what_no_header_can_carry_is_refused_unseen(self, key):
        with pytest.raises(BadConfiguration) as caught:
            config.set_key("exa", key)
        assert KEY not in f"{caught.value.message} {caught.value.hint}"

    def test_a_key_file_that_is_missing_or_empty_is_named(self, own_files, monkeypatch):
        monkeypatch.setenv("EXA_API_KEY_FILE", str(own_files / "none"))
        with pytest.raises(BadConfiguration, match="none can't be read") as caught:
            config.find_key("exa", ["EXA_API_KEY"])
        assert "EXA_API_KEY_FILE" in caught.value.hint
        (own_files / "none").write_text("\n")
        with pytest.raises(BadConfiguration, match="is empty"):
            config.find_key("exa", ["EXA_API_KEY"])

    @pytest.mark.parametrize("text", ["{", "[]", f'"{KEY}"'])
    def test_a_broken_keys_file_is_named_and_its_text_is_not(self, own_files, text):
        (own_files / "keys.json").write_text(text)
        with pytest.raises(BadConfiguration, match=r"keys\.json") as caught:
            config.list_keys()
        assert KEY not in caught.value.message
        with pytest.raises(BadConfiguration):
            config.set_key("exa", KEY)
        assert (own_files / "keys.json").read_text() == text

    def test_a_key_that_is_no_text_is_no_key(self, own_files):
        (own_files / "keys.json").write_text(json.dumps({"exa": None, "you": KEY}))
        assert config.list_keys() == ["you"]


class TestPlaces:
    def test_the_environment_names_the_ledger(self, monkeypatch):
        monkeypatch.setenv("GEMSEARCH_DB", "~/x.db")
        monkeypatch.setenv("HOME", "/home/me")
        assert config.default_ledger_path() == "/home/me/x.db"

    @pytest.mark.parametrize("base", [None, "", "/somewhere/else", "relative"])
    def test_without_it_the_platform_decides(self, monkeypatch, tmp_path, base):
        import platformdirs

        monkeypatch.delenv("GEMSEARCH_DB", raising=False)
        monkeypatch.delenv("GEMSEARCH_CONFIG", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            if base is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, base)
        expected = platformdirs.user_data_dir("gemsearch", appauthor=False)
        assert config.default_ledger_path() == os.path.join(expected, "gems.db")
        expected = platformdirs.user_config_dir("gemsearch", appauthor=False)
        assert config.config_path() == os.path.join(expected, "config.toml")
        assert config.keys_path() == os.path.join(expected, "keys.json")

    def test_without_a_home_it_says_what_to_set(self, monkeypatch):
        for name in ("GEMSEARCH_DB", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)
        with pytest.raises(BadConfiguration) as caught:
            config.default_ledger_path()
        assert "GEMSEARCH_DB" in caught.value.hint
        assert "--db" in caught.value.hint


def test_the_way_to_a_refusal_loads_nothing_slow():
    code = (
        "import sys; from gemsearch import config; config.default_ledger_path()\n"
        "print([name for name in ('tomllib', 'tomlkit', 'platformdirs', 'pathlib', 'json', 'httpx')"
        " if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
