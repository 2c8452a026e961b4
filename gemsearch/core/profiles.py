"""The three named sets of rules. Every threshold of the gates stands here and nowhere else."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from gemsearch.core.signature import EXACT, PUBLISHED

# Distinct sources of each list. Recall and refusals hang on this number more than on any rule.
SOURCES_COMPARED = 10


class Profile(NamedTuple):
    name: str
    form: str  # the form of signature it compares
    sequence: float  # ratio from which two signatures are the same wording
    subset: bool  # may one topic's words lie within another's
    guards: bool  # differences in number, version, negation, antonym; the one-word rule
    hubs: bool  # sources of very many gems do not count
    shared: int = 3  # sources that refuse whatever the size of the lists
    shared_at_least: int = 2  # fewer never refuse
    share: float = 0.35  # of the smaller list, from shared_at_least on


# The published method, frozen.
_PUBLISHED = Profile("published", PUBLISHED, sequence=0.82, subset=True, guards=False, hubs=False)

# The default: the same signals, never across a difference that makes two topics of two wordings.
_GUARDED = Profile("guarded", EXACT, sequence=0.82, subset=True, guards=True, hubs=True)

# For hooks: only what is all but equal.
_STRICT = Profile("strict", EXACT, sequence=0.90, subset=False, guards=True, hubs=True)

PROFILES = {profile.name: profile for profile in (_PUBLISHED, _GUARDED, _STRICT)}
DEFAULT = "guarded"
WIDEST = _PUBLISHED


def hub_limit(gems: int) -> int:
    """Gems that must count a source before it is a hub, in a ledger of so many gems.

    Never below 5: a young ledger has no hubs. It grows with the square root, so that in a large
    ledger a source needs many gems, but a vanishing share of them.
    """
    return max(5, round(2 / 3 * sqrt(gems)))
