"""Topics in memory, for thousands of judgements in a row: the plain scan's decisions, faster.

Each list below brings every topic on which its signal may fire; the gate itself decides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from gemsearch.core import query_gate
from gemsearch.core.model import Stored
from gemsearch.core.signature import EXACT, sign, signature
from gemsearch.core.similarity import Likeness, length_window, matches_needed
from gemsearch.core.weights import OF_ENGLISH, Weights, rarest, stems
from gemsearch.ledger.candidates import alike

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gemsearch.core.model import Match
    from gemsearch.core.profiles import Profile
    from gemsearch.core.signature import Topic


class Memory:
    """Gems under one profile, as Candidates of the query gate. Added in the order of numbers."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.size = 0
        self.last_gem = 0
        self._counts: Counter[str] = Counter()
        self._weights: Weights = OF_ENGLISH
        self._overlapped: tuple[str, list[Stored]] = "", []  # the topic last asked about
        self._by_signature: defaultdict[str, list[Stored]] = defaultdict(list)
        self._by_first_word: defaultdict[str, list[Stored]] = defaultdict(list)
        self._by_word: defaultdict[str, list[Stored]] = defaultdict(list)
        self._by_length: defaultdict[int, list[tuple[int, Stored]]] = defaultdict(list)
        self._places: defaultdict[tuple[str, int], int] = defaultdict(lambda: len(self._places))

    def add(self, gem_id: int, text: str, created: str = "", signed: str = "") -> None:
        """Take in a gem; its number is higher than those before. `signed` in the profile's form."""
        gem = Stored(gem_id, text, signed or signature(text, self.profile.form), created)
        self.size += 1
        self.last_gem = gem_id
        exact = gem.signature if self.profile.form == EXACT else signature(text, EXACT)
        self._counts.update(stems(exact))
        self._by_signature[gem.signature].append(gem)
        for word in stems(gem.signature) if self.profile.guards else gem.words:
            self._by_word[word].append(gem)
        if not self.profile.guards:
            self._by_first_word[gem.signature.partition(" ")[0]].append(gem)
            self._by_length[len(gem.signature)].append((self._bag(gem.signature), gem))

    def weights(self) -> Weights:
        """The weights of words in a ledger of these gems; candidates are sought by them."""
        self._weights = Weights(self.last_gem, self._counts)
        self._overlapped = "", []
        return self._weights

    def covering(self, text: str) -> Iterator[Match]:
        """Every gem that covers a topic, as the query gate orders them, each by one signal."""
        seen: set[int] = set()
        proposed = sign(text, self.profile.form)
        if not proposed.signature:
            return
        for match in query_gate.matches(proposed, self, self.profile, weights=self.weights()):
            if match.gem_id not in seen:
                seen.add(match.gem_id)
                yield match

    def for_signal(self, signal: str, proposed: Topic, profile: Profile) -> Iterable[Stored]:
        if signal == "identical":
            return self._by_signature.get(proposed.signature, ())
        if signal == "wording":
            return ()
        if signal == "subset":
            return self._nested(proposed) if not profile.guards else self._overlapping(proposed)
        return self._alike(proposed)

    def _overlapping(self, proposed: Topic) -> list[Stored]:
        """Gems of which enough may be common by weight; `subset` and `sequence` ask in turn."""
        asked, found = self._overlapped
        if asked != proposed.signature:
            found = self._sharing_enough(stems(proposed.signature))
            self._overlapped = proposed.signature, found
        return found

    def _sharing_enough(self, words: frozenset[str]) -> list[Stored]:
        share = self.profile.least_shared
        weight = {word: self._weights.of(word) for word in words}
        everything = sum(weight.values()) or 1
        telling = rarest(words, share, self._weights)
        found = {gem.gem_id: gem for word in telling for gem in self._by_word.get(word, ())}
        return [
            gem
            for gem in found.values()
            # What `could_share` asks, with the proposed words weighed once.
            if sum(weight[word] for word in stems(gem.signature) & words) / everything >= share
        ]

    def _nested(self, proposed: Topic) -> list[Stored]:
        holding = min((self._by_word.get(word, []) for word in proposed.words), key=len)
        within = [gem for word in proposed.words for gem in self._by_first_word.get(word, ())]
        return list({gem.gem_id: gem for gem in (*within, *holding)}.values())

    def _alike(self, proposed: Topic) -> list[Stored]:
        if self.profile.guards:
            return alike(self._overlapping(proposed), proposed, self.profile)
        threshold = self.profile.sequence
        shortest, longest = length_window(len(proposed.signature), threshold)
        mine = self._bag(proposed.signature)
        found: list[Stored] = []
        for length in range(shortest, longest + 1):
            needed = matches_needed(length + len(proposed.signature), threshold)
            found += [
                gem
                for bag, gem in self._by_length.get(length, ())
                if (bag & mine).bit_count() >= needed
            ]
        if not found:
            return found
        likeness = Likeness(proposed.signature, threshold)
        return [gem for gem in found if likeness.could_match(gem.signature)]

    def _bag(self, signed: str) -> int:
        """One bit for each character and how often it stood before: common bits are common ones."""
        seen: Counter[str] = Counter()
        bits = 0
        for character in signed:
            seen[character] += 1
            bits |= 1 << self._places[character, seen[character]]
        return bits
