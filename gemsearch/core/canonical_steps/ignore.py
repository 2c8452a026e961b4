"""Pages that are no source: result lists, advertisements, share buttons, image proxies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.canonical_steps.patterns import pattern

if TYPE_CHECKING:
    from gemsearch.core.canonical_tables.shapes import IgnoreRule


def reason_to_ignore(path: str, query: str, rules: tuple[IgnoreRule, ...]) -> str:
    """Return the reason of the first rule that knows this page; "" when none does."""
    for rule in rules:
        if rule.marker and rule.marker not in path:
            continue
        if pattern(rule.path).fullmatch(path) and _has_all(query, rule.params):
            return rule.reason
    return ""


def _has_all(query: str, wanted: str) -> bool:
    if not wanted:
        return True
    names = {part.partition("=")[0] for part in query.split("&")}
    return names.issuperset(wanted.split())
