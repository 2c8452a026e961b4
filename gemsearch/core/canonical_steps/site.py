"""Site rules: the forms of one document on one site."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.canonical_steps.path import off_endings
from gemsearch.core.canonical_steps.patterns import pattern
from gemsearch.core.canonical_steps.text import decode, spell_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from gemsearch.core.canonical_steps.query import Param
    from gemsearch.core.canonical_tables.shapes import SiteRule

_FIELD = re.compile(r"([^{]*)\{(\w+):?(\w*)\}")
_PEP_503 = r"[-_.]+"


class Found(NamedTuple):
    """A rule that matched: `place` is host and path, "" when only parameters were dropped."""

    rule: str
    place: str
    params: list[Param]


def find_site(
    host: str, path: str, params: list[Param], rules: tuple[SiteRule, ...]
) -> Found | None:
    """Return the first rule that knows this document."""
    for rule in rules:
        if rule.marker and rule.marker not in path:
            continue
        matched = pattern(rule.path).fullmatch(path)
        if matched is None:
            continue
        if rule.params:
            taken = _take_params(rule.params, params)
            if taken is None:
                continue
        else:
            taken = {}
        place = _place(rule.key, host, path, matched, taken) if rule.key else ""
        return Found(rule.name, place, _drop(rule, params))
    return None


def _take_params(wanted: str, params: list[Param]) -> dict[str, str] | None:
    """The required parameters by name; None when one is missing or has another shape."""
    taken = {}
    for entry in wanted.split():
        name, _, shape = entry.partition("=")
        value = next((param.value for param in params if param.name == name), None)
        if value is None or pattern(shape).fullmatch(decode(value)) is None:
            return None
        taken[name] = value
    return taken


def _place(
    template: str, host: str, path: str, matched: re.Match[str], taken: dict[str, str]
) -> str:
    """Fill a template: `{part}` as it is, `{part:fold}` in its one spelling."""
    parts = {"host": host, "path": path, **taken}
    text = []
    for literal, name, fold in _fields(template):
        text.append(literal)
        if name:
            part = parts.get(name)
            if part is None:
                part = matched[name] or ""
            text.append(FOLDS[fold](part) if fold else part)
    return "".join(text)


@lru_cache(maxsize=512)
def _fields(template: str) -> tuple[tuple[str, str, str], ...]:
    """Read a template once: the text before each field, its name, its fold."""
    fields = _FIELD.findall(template)
    end = template.rfind("}") + 1
    return (*fields, (template[end:], "", ""))


def _drop(rule: SiteRule, params: list[Param]) -> list[Param]:
    """What is left of the query: neither taken by the key nor dropped by the rule."""
    if rule.drop == "*" or not params:
        return []
    dropped = set(rule.drop.split())
    if rule.key:  # the key has taken them
        dropped.update([entry.partition("=")[0] for entry in rule.params.split()])
    return [p for p in params if p.name not in dropped and f"{p.name}={p.value}" not in dropped]


def _doi(text: str) -> str:
    """DOIs are case-insensitive (DOI Handbook, 3.4); `%2F` in one is its slash."""
    return spell_path(decode(text).lower())


def _title(text: str) -> str:
    """MediaWiki titles: `_` is a space, the first letter is upper case."""
    title = decode(text).replace(" ", "_").strip("_")
    first = title[:1].upper()
    return spell_path((first if len(first) == 1 else title[:1]) + title[1:])


def _exact_title(text: str) -> str:
    """Titles of wikis where the case of the first letter counts."""
    return spell_path(decode(text).replace(" ", "_").strip("_"))


def _number(text: str) -> str:
    return text.lstrip("0") or "0"


FOLDS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "doi": _doi,
    "title": _title,
    "exact_title": _exact_title,
    "number": _number,
    "decoded": lambda name: spell_path(decode(name)),
    "page": off_endings,
    "storefront": lambda host: host.removeprefix("smile."),
    "repo": lambda name: name.lower().removesuffix(".git"),
    "pad5": lambda digits: digits.zfill(5),
    "slash": lambda slash: "/" if slash else "",
    "pep503": lambda name: pattern(_PEP_503).sub("-", name).lower(),
    "crate": lambda name: name.lower().replace("_", "-"),
}
