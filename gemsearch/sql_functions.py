"""The core's pure functions as SQL functions, for sqlite-utils and Datasette.

SELECT gem_signature(topic) FROM gems
SELECT canonical_url('https://www.example.com/a/?utm_source=x')
SELECT sequence_ratio('stored topic', 'proposed topic')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.profiles import DEFAULT, PROFILES

if TYPE_CHECKING:
    import sqlite3

_FORM = PROFILES[DEFAULT].form


def register(connection: sqlite3.Connection) -> None:
    """Add the functions to a connection. Each gives NULL for what is not text."""
    connection.create_function("gem_signature", 1, gem_signature, deterministic=True)
    connection.create_function("canonical_url", 1, canonical_url, deterministic=True)
    connection.create_function("sequence_ratio", 2, sequence_ratio, deterministic=True)


def gem_signature(topic: object) -> str | None:
    """A topic's normal form, as the default profile compares it."""
    from gemsearch.core.signature import signature

    return signature(topic, _FORM) if isinstance(topic, str) else None


def canonical_url(url: object) -> str | None:
    """The key under which a source is compared; NULL for an address that is no source."""
    from gemsearch.core.canonical import Canonical, canonicalise

    canonical = canonicalise(url) if isinstance(url, str) else None
    return canonical.key if isinstance(canonical, Canonical) else None


def sequence_ratio(stored: object, proposed: object) -> float | None:
    """Difflib's ratio of two signatures, the stored one first."""
    from gemsearch.core.similarity import ratio

    if not isinstance(stored, str) or not isinstance(proposed, str):
        return None
    return ratio(stored, proposed)
