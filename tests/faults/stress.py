"""How hard the fault and load suites try: GEMSEARCH_STRESS is short (the default), middle or long.

The long form may be stopped and goes on where it was: its progress stands in the folder that
GEMSEARCH_STRESS_FOLDER names, else in the system's folder for temporary files.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

STRESS = os.environ.get("GEMSEARCH_STRESS", "short")
KILLS = {"short": 20, "middle": 200, "long": 2000}[STRESS]
PROCESSES, SECONDS = {"short": (8, 3.0), "middle": (32, 30.0), "long": (32, 600.0)}[STRESS]
SEED = os.environ.get("GEMSEARCH_SEED") or f"{Random().randrange(1 << 32):08x}"


def has_long_form(test: Any) -> Any:
    """Marks a test that is part of `make soak` too."""
    return pytest.mark.soak(test) if STRESS == "long" else test


def folder() -> Path:
    """Where the long form keeps its progress."""
    named = os.environ.get("GEMSEARCH_STRESS_FOLDER")
    chosen = Path(named or Path(tempfile.gettempdir(), f"gemsearch-stress-{os.getuid()}"))
    chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
    return chosen


def rounds(name: str, count: int) -> Iterator[tuple[int, Random]]:
    """Numbers from 1 to `count`, each with a generator of its own.

    A number that was tried before in a long form is not tried again until all were.
    """
    kept = folder() / f"{name}.json" if STRESS == "long" else None
    seed, done = _progress(kept)
    for number in range(done + 1, count + 1):
        yield number, Random(f"{seed} {name} {number}")
        if kept:
            kept.write_text(json.dumps([seed, number]))
    if kept:
        kept.unlink(missing_ok=True)


def again(number: int) -> str:
    """What a failure says, so that it can be had again."""
    return f"GEMSEARCH_STRESS={STRESS} GEMSEARCH_SEED={SEED}, round {number}"


def _progress(kept: Path | None) -> tuple[str, int]:
    if kept is None or not kept.exists():
        return SEED, 0
    seed, done = json.loads(kept.read_text())
    return seed, done
