"""Differences that make two topics of two alike wordings, and differences that do not."""

from __future__ import annotations

import pytest

from gemsearch.core.contrast import contrast
from gemsearch.core.signature import EXACT, sign


def between(some, others):
    return contrast(sign(some, EXACT).words, sign(others, EXACT).words)


@pytest.mark.parametrize(
    ("some", "others", "kind"),
    [
        ("postgres 15 upgrade notes", "postgres 16 upgrade notes", "number"),
        ("sqlite wal mode", "sqlite wal2 mode", "number"),
        ("tuning http/2 servers", "tuning http/3 servers", "number"),
        ("ipv4 forwarding", "ipv6 forwarding", "number"),
        ("python 3.11 pattern matching", "python pattern matching", "number"),
        ("disk usage", "disk usage not shown", "negation"),
        ("c++ coroutines", "c# coroutines", "symbol"),
        ("enable ipv6 forwarding", "disable ipv6 forwarding", "opposites"),
        ("enabling telemetry", "disabled telemetry", "opposites"),
        ("hooks before commit", "hooks after commit", "opposites"),
        ("cpu profiling", "gpu profiling", "opposites"),
        ("import certificates", "exporting certificates", "opposites"),
        ("client certificates", "server certificates", "opposites"),
        ("lock a table", "unlock a table", "opposites"),
    ],
)
def test_a_difference_that_makes_another_topic(some, others, kind):
    assert between(some, others).startswith(f"{kind}: ")
    assert between(others, some).startswith(f"{kind}: ")


@pytest.mark.parametrize(
    ("some", "others"),
    [
        ("postgres 16 upgrade notes", "notes on the upgrade of postgres 16"),
        ("postgres v16 upgrade", "postgres 16 upgrade"),
        ("python3.12 release", "python 3.12 release"),
        ("export data", "exports of data"),
        ("client and server certificates", "server certificates for a client"),
    ],
)
def test_a_rewording_has_no_contrast(some, others):
    assert between(some, others) == between(others, some) == ""
