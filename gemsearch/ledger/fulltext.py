"""Full-text queries from people's words: every word is quoted, so that no word is an operator."""

from __future__ import annotations

from gemsearch.core.text import clean_line


def quoted(text: str) -> str:
    """An FTS5 query that finds rows with all the words of `text`; "" when it has none."""
    words = clean_line(text.replace("\0", " ")).split()
    return " ".join('"' + word.replace('"', '""') + '"' for word in words)
