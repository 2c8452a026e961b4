"""The suites' own long form: stopped, it goes on where it was."""

from __future__ import annotations

from itertools import islice

from tests.faults import stress


def test_a_long_form_that_was_stopped_goes_on_with_the_same_seed(tmp_path, monkeypatch):
    monkeypatch.setattr(stress, "STRESS", "long")
    monkeypatch.setenv("GEMSEARCH_STRESS_FOLDER", str(tmp_path))
    whole = [(number, random.random()) for number, random in stress.rounds("kills", 5)]
    stopped = [(n, random.random()) for n, random in islice(stress.rounds("kills", 5), 3)]
    rest = [(n, random.random()) for n, random in stress.rounds("kills", 5)]
    # The third was begun and not finished: it is tried again.
    assert stopped == whole[:3]
    assert rest == whole[2:]
    assert list(tmp_path.iterdir()) == []


def test_other_forms_begin_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(stress, "STRESS", "middle")
    monkeypatch.setenv("GEMSEARCH_STRESS_FOLDER", str(tmp_path))
    for _ in range(2):
        assert [number for number, _ in islice(stress.rounds("kills", 5), 2)] == [1, 2]
