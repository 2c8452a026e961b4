"""Patterns that few URLs need, compiled when the first one does: start-up is paid by all."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=1024)
def pattern(text: str) -> re.Pattern[str]:
    """Return the compiled pattern of a rule or of a rare step."""
    return re.compile(text)
