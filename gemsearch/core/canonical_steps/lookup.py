"""Which rules a host has: by dict access, never by searching a list of patterns.

A rule names its hosts in one of these forms, separated by spaces:

    example.org       this host
    .example.org      this host and every host below it
    label.*           every host of three or more labels whose first is `label` (front ends)
    brand.<cc>        brand.com, brand.de, brand.co.uk, brand.com.br; also after other labels
    *                 any host; such a rule has a `marker` that its path must contain
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, TypeVar

from gemsearch.core.canonical_tables.ignored import IGNORED
from gemsearch.core.canonical_tables.shapes import IgnoreRule, SiteRule, Wrapper
from gemsearch.core.canonical_tables.sites import SITES
from gemsearch.core.canonical_tables.wrappers import WRAPPERS

_COUNTRY = re.compile(
    r"((?:[a-z0-9-]+\.)*(?:google|amazon|ebay|yandex))\.(?:com|[a-z]{2}|com?\.[a-z]{2})"
)

R = TypeVar("R", IgnoreRule, Wrapper, SiteRule)


class HostRules(NamedTuple):
    """The rules of one host. The more exact form of a host's name comes first."""

    ignored: tuple[IgnoreRule, ...]
    wrappers: tuple[Wrapper, ...]
    sites: tuple[SiteRule, ...]


def _index(rules: tuple[R, ...]) -> dict[str, tuple[R, ...]]:
    """Index rules by the forms of their hosts, in the order of the table."""
    found: dict[str, list[R]] = {}
    for rule in rules:
        for form in rule.hosts.split():
            found.setdefault(form, []).append(rule)
    return {form: tuple(of_form) for form, of_form in found.items()}


_IGNORED = _index(IGNORED)
_WRAPPERS = _index(WRAPPERS)
_SITES = _index(SITES)


def _rules_of(forms: list[str]) -> HostRules:
    return HostRules(
        tuple([rule for form in forms for rule in _IGNORED.get(form, ())]),
        tuple([rule for form in forms for rule in _WRAPPERS.get(form, ())]),
        tuple([rule for form in forms for rule in _SITES.get(form, ())]),
    )


ANY_HOST = _rules_of(["*"])


@lru_cache(maxsize=16384)
def rules_of(host: str) -> HostRules:
    """Find the rules of a folded host, then those for any host."""
    return _rules_of([*_forms(host), "*"])


def _forms(host: str) -> list[str]:
    """Every form by which a rule may name this host."""
    forms = [host, "." + host]
    dot = host.find(".")
    if dot != host.rfind("."):
        forms.append(host[:dot] + ".*")
    while dot != -1:
        forms.append(host[dot:])
        dot = host.find(".", dot + 1)
    country = _COUNTRY.fullmatch(host)
    if country is not None:
        forms.append(country[1] + ".<cc>")
    return forms
