"""The three named sets of rules. Every threshold of the gates stands here and nowhere else.

The figures in the comments are from the development data, as docs/judgement.md tells: repeats
refused, and new topics refused by a ledger of 5,000 gems, on the technical stream unless web is
named. Each is about the effect of that one number, the others being as they stand here, found with
the weights of the whole stream; the exact figures of the profiles are those of `gemsearch eval`.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from gemsearch.core.signature import EXACT, PUBLISHED

# Distinct sources of each list. Recall and refusals hang on this number more than on any rule.
SOURCES_COMPARED = 10

NEVER = 2.0  # a share that no pair of topics reaches


class Profile(NamedTuple):
    name: str
    form: str  # the form of signature it compares
    sequence: float  # ratio from which two signatures are the same wording
    guards: bool  # differences in number, version, negation, antonym; words weighed
    hubs: bool  # sources of very many gems do not count
    shared: int = 3  # sources that refuse whatever the size of the lists
    shared_at_least: int = 2  # fewer never refuse
    share: float = 0.35  # of the smaller list, from shared_at_least on
    # Shares of the weight of all words of two topics that their common words must have, ...
    overlap: float = NEVER  # ... three words or more, whatever the other words are
    overlap_of_two: float = NEVER  # ... one or two words
    nested: float = NEVER  # ... when all words of one topic are in the other
    alone: float = NEVER  # ... when one topic is one word, and the other two
    alike: float = NEVER  # ... when the signatures reach `sequence`
    # Weights, 100 for each factor of e in rarity: what is common must be worth something.
    informative: int = 0  # of all common words that are not stop words
    telling: int = 0  # of the heaviest of them
    name_like: int = 0  # of a word that is a topic alone

    @property
    def least_shared(self) -> float:
        """No signal but equality fires on two topics of which less is common."""
        return min(self.least_overlap, self.alike)

    @property
    def least_overlap(self) -> float:
        """No two topics of which less is common are a `subset`."""
        return min(self.overlap, self.overlap_of_two, self.nested, self.alone)


# The published method, frozen.
_PUBLISHED = Profile("published", PUBLISHED, sequence=0.82, guards=False, hubs=False)

# The default: repeats refused as by the published method, new topics a sixth as often.
_GUARDED = Profile(
    "guarded",
    EXACT,
    sequence=0.82,  # the published ratio; with `alike` it adds about 0.9 points of repeats
    guards=True,
    hubs=True,
    overlap=0.55,  # at 0.52 1.7 points more repeats, but 0.29 instead of 0.23 % wrong
    overlap_of_two=0.65,  # at 0.55 0.3 points more repeats, but web 2.1 instead of 2.0 %
    nested=0.50,
    alone=0.50,  # the word is half of what the two say
    alike=0.50,
    informative=1200,  # without it 0.7 points more repeats, but web 3.0 instead of 1.9 %
    telling=600,  # without it 0.3 points more repeats, but 0.29 instead of 0.23 % wrong
    name_like=900,  # at 800 web 0.15 points more, at 1000 0.3 points less; repeats the same
)

# For hooks: fewer refusals, almost never wrong. What it refuses guarded refuses too.
_STRICT = Profile(
    "strict",
    EXACT,
    sequence=0.90,  # with `alike` it adds 0.4 points of repeats, 0 wrong; at 0.86 0.9 and 0.01 %
    guards=True,
    hubs=True,
    overlap=0.65,  # 27.8 %, 0.10 %; at 0.63 29.2 %, 0.14 %
    overlap_of_two=0.70,  # at 0.65 0.5 points more repeats, but web 0.84 instead of 0.66 %
    alike=0.55,
    informative=1200,
    telling=600,
    name_like=900,
)

PROFILES = {profile.name: profile for profile in (_PUBLISHED, _GUARDED, _STRICT)}
DEFAULT = "guarded"
WIDEST = _PUBLISHED


def hub_limit(gems: int) -> int:
    """Gems that must count a source before it is a hub, in a ledger of so many gems.

    Never below 5: a young ledger has no hubs. It grows with the square root, so that in a large
    ledger a source needs many gems, but a vanishing share of them. On the agents' pairs, in time
    order: 19 of 22 same questions kept at precision 0.79; without hubs 20 at 0.36; half the root
    18 at 0.82; a fixed 7 20 at 0.69.
    """
    return max(5, round(2 / 3 * sqrt(gems)))
