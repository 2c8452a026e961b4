"""gemsearch stops agents from repeating a web search."""

from __future__ import annotations

TYPE_CHECKING = False  # start-up: `typing` costs half as much as Python itself
if TYPE_CHECKING:
    from gemsearch.core.model import Match, Result, Verdict
    from gemsearch.errors import GemsearchError
    from gemsearch.library import Ledger, open  # noqa: A004 - gemsearch.open(path), as tarfile.open

__version__ = "0.1.0"
__all__ = ["GemsearchError", "Ledger", "Match", "Result", "Verdict", "__version__", "open"]

_HOMES = {
    "GemsearchError": "gemsearch.errors",
    "Ledger": "gemsearch.library",
    "Match": "gemsearch.core.model",
    "Result": "gemsearch.core.model",
    "Verdict": "gemsearch.core.model",
    "open": "gemsearch.library",
}


def __getattr__(name: str) -> object:
    """Public names load their module on first use: importing gemsearch costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gemsearch' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
