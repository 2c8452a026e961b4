"""SECURITY.md names every promise and threat, and only tests that exist."""

from __future__ import annotations

import re

import pytest

from tests.hostile.test_reports import ROOT, names_in

PAGE = ROOT.joinpath("SECURITY.md").read_text("utf-8")
ROWS = [line.split("|") for line in PAGE.splitlines() if re.match(r"\| [PT]\d", line)]


def test_every_promise_and_threat_has_its_row():
    named = [row[1].strip() for row in ROWS]
    assert named == [*(f"P{n}" for n in range(1, 11)), *(f"T{n}" for n in range(1, 21))]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1].strip())
def test_a_row_names_tests_that_exist(row):
    named = re.findall(r"`(tests/[^`]+)`", row[-2])
    assert named
    for test in named:
        file, _, name = test.partition("::")
        assert ROOT.joinpath(file).is_file(), test
        tests = names_in(file)
        assert any(one == name or one.startswith(f"{name}::") for one in tests) if name else tests


def test_every_other_file_that_is_named_is_there():
    for name in re.findall(r"`(tests/[^`:]+?/?)`", PAGE):
        assert ROOT.joinpath(name).exists(), name


def test_a_fault_is_reported_on_the_repositorys_page():
    assert "private security advisory" in PAGE
    assert not re.search(r"\S+@\S+\.\S+", PAGE), "no address of ours exists"
