"""The usual run sends a part of the corpus where each input is slow; the soak run sends all."""

from __future__ import annotations

import pytest


def parts(step):
    return pytest.mark.parametrize(
        "step",
        [pytest.param(step, id="part"), pytest.param(1, id="all", marks=pytest.mark.soak)],
    )
