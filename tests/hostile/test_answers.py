"""Whatever a search service answers, a search ends in time and within bounds, and says why."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.hostile.attacks import attacking, attacks
from tests.hostile.counted import TRIED
from tests.hostile.inert import alarms

NAMES = [name.replace(" ", "-") for name in attacks()]
MEGABYTES = 150  # an answer of 2 MB as JSON takes up to 90
SECONDS = 12  # more than any deadline here


@pytest.fixture(scope="module")
def asked():
    """What a process of its own met, attack by attack, and how often each was asked for."""
    with attacking() as attacker:
        lines = [
            json.dumps([name, attacker.url(name), attack.seconds])
            for name, attack in attacker.attacks.items()
        ]
        done = subprocess.run(
            [sys.executable, "-m", "tests.hostile.asking"],
            input="\n".join(lines),
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        TRIED["answers of services"] += sum(attacker.asked.values())
        met = {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}
        return met, dict(attacker.asked)


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_ends_as_what_it_is_within_its_bounds(name, asked):
    (kind, told, length, cost), times = asked[0][name], asked[1][name]
    attack = {key.replace(" ", "-"): value for key, value in attacks().items()}[name]
    assert kind in attack.outcomes
    assert 1 <= times <= 2, "two attempts at most"
    assert cost["megabytes"] < MEGABYTES
    assert cost["seconds"] < SECONDS
    assert length < 5000, "a message, not the answer"
    assert not alarms(told)
