"""How often something hostile was handed over in this run, by where it went."""

from __future__ import annotations

from collections import Counter

TRIED: Counter[str] = Counter()
