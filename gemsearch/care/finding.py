"""What a look at the ledger or its surroundings finds: how bad it is and what mends it."""

from __future__ import annotations

from typing import NamedTuple

SEVERITIES = ERROR, WARNING, NOTE, MENDED = ("error", "warning", "note", "mended")
FIX = "gemsearch doctor --fix"
RESTORE = "gemsearch backup --restore FILE"
SALVAGE = "gemsearch doctor --salvage NEW.db"


class Finding(NamedTuple):
    severity: str  # error: a person must act; warning: it works, but; note: good to know
    about: str
    message: str
    command: str = ""
