"""An edition appears whole or not at all, and never in the place of anything else."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from gemsearch.editions import saving
from gemsearch.editions.check import EditionUnfit
from gemsearch.editions.model import Front, checked
from gemsearch.errors import WrongCall

from .conftest import FRONT


def names(edition):
    return sorted(path.name for path in Path(edition.path).parent.iterdir())


def test_three_files_and_nothing_else(ledger, publish):
    ledger.gem("chezmoi encryption")
    assert names(publish()) == ["README.md", "gems.db", "metadata.yml"]


def test_an_earlier_edition_is_replaced(ledger, publish):
    ledger.gem("chezmoi encryption")
    publish()
    ledger.gem("gitleaks hook")
    assert publish().report.published["gems"] == 2
    assert names(publish()) == ["README.md", "gems.db", "metadata.yml"]


@pytest.mark.parametrize("name", ["ledger.db", "other.db", "text.db", "folder.db", "link.db"])
def test_what_is_no_edition_is_never_replaced(ledger, tmp_path, name):
    """The ledger itself first of all."""
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t (x)")
    (tmp_path / "text.db").write_text("precious", encoding="utf-8")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "ledger.db")
    with pytest.raises(WrongCall, match="is no edition"):
        saving.find_place(str(tmp_path / name))


@pytest.mark.parametrize("name", ["README.md", "metadata.yml"])
def test_a_file_of_somebody_else_beside_it_is_never_replaced(ledger, publish, tmp_path, name):
    ledger.gem("chezmoi encryption")
    (tmp_path / "edition").mkdir()
    (tmp_path / "edition" / name).write_text("# precious\n", encoding="utf-8")
    with pytest.raises(WrongCall, match=r"does not belong to gems\.db") as caught:
        publish()
    assert "edition/gems.db" in caught.value.hint
    assert (tmp_path / "edition" / name).read_text(encoding="utf-8") == "# precious\n"


def test_two_editions_do_not_share_a_folder(ledger, publish):
    ledger.gem("chezmoi encryption")
    publish("one.db")
    with pytest.raises(WrongCall, match=r"does not belong to two\.db"):
        publish("two.db")


@pytest.mark.parametrize(
    "name", ["gems", "my gems.db", "gems;rm.db", "-i.db", "gems.txt", ".db", "gems.a.db", "gé.db"]
)
def test_a_name_that_makes_no_address_is_refused(tmp_path, name):
    with pytest.raises(WrongCall, match="can't be called"):
        saving.find_place(str(tmp_path / name))


def test_an_unfit_edition_is_deleted_and_the_earlier_one_stays(ledger, publish, monkeypatch):
    ledger.gem("chezmoi encryption")
    before = Path(publish().path).read_bytes()

    def unfit(*_, **__):
        raise EditionUnfit("unfit")

    monkeypatch.setattr(saving, "check", unfit)
    ledger.gem("gitleaks hook")
    with pytest.raises(EditionUnfit):
        publish()
    monkeypatch.undo()
    folder = Path(ledger.path).parent / "edition"
    assert (folder / "gems.db").read_bytes() == before
    assert sorted(os.listdir(folder)) == ["README.md", "gems.db", "metadata.yml"]


def test_a_place_that_can_not_be_written_is_a_wrong_call(ledger, publish, tmp_path):
    ledger.gem("chezmoi encryption")
    (tmp_path / "edition").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(WrongCall, match="can't be written"):
        publish()


def test_a_folder_with_odd_letters_is_no_obstacle(ledger, publish):
    ledger.gem("chezmoi encryption")
    assert publish("a b?c#d%20e/gems.db").report.published["gems"] == 1
    assert publish("a b?c#d%20e/gems.db").report.published["gems"] == 1


def test_metadata_says_what_the_maker_said(ledger, publish):
    ledger.gem("chezmoi encryption")
    title = 'Gems: "all" of #it \N{GEM STONE} <b>'
    edition = publish("no.db", front=FRONT._replace(title=title, license="CC0-1.0", no_sql=True))
    told = yaml.safe_load((Path(edition.path).parent / "metadata.yml").read_text("utf-8"))
    assert told["title"] == title
    assert told["license"] == "CC0-1.0"
    assert told["license_url"].startswith("https://creativecommons.org/")
    assert told["databases"]["no"]["allow_sql"] is False
    assert told["databases"]["no"]["tables"]["gems"]["columns"]["topic"]
    assert dict(edition.rows("SELECT name, value FROM edition"))["title"] == title


def test_the_readme_is_one_page_whose_commands_name_the_edition(ledger, publish):
    ledger.gem("chezmoi encryption")
    told = (Path(publish("my_gems.db").path).parent / "README.md").read_text(encoding="utf-8")
    assert len(told.splitlines()) < 100
    assert "datasette -i my_gems.db -m metadata.yml" in told
    assert "--service my-gems" in told
    assert "https://lite.datasette.io/?ref=0.65.5&url=" in told
    assert "$" not in told


def test_a_closed_edition_is_not_offered_to_datasette_lite(ledger, publish):
    ledger.gem("chezmoi encryption")
    closed = publish(front=FRONT._replace(no_download=True))
    told = (Path(closed.path).parent / "README.md").read_text(encoding="utf-8")
    assert "lite.datasette.io" not in told
    assert "allow_download off" in told


def test_a_title_or_license_with_a_finding_is_refused():
    for front in (Front("of jo@" + "mailbox.org"), Front("x", "see /home/" + "jodoe")):
        with pytest.raises(WrongCall, match="contains what looks like"):
            checked(front)
    with pytest.raises(WrongCall, match="empty"):
        checked(Front("\u200b"))
