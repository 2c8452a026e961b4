"""The topics of a search call."""

from __future__ import annotations


def topics_of(arguments: object) -> tuple[str, ...]:
    """Every topic that a call's arguments propose, in order, each once; raw text, not cleaned.

    Arguments may be a mapping or JSON text of one: query, q, queries[], search_query[].q. A search
    limited to sites is another search: ` site:HOST` and ` -site:HOST` are added to its topic.
    Anything else gives none.
    """
    raise NotImplementedError
