"""Indexes for large ledgers: the plain scan's decisions, at a million gems in milliseconds.

A ledger of a few thousand gems needs none of this, and none of these tables exist in it. Gems are
indexed in segments: a segment covers a range of gem numbers, is built once from the gems and
never changed. Whatever no segment covers, the newest gems above all, is scanned plainly. So a
crash loses no candidate, deleting is dropping the segment, and everything here can be made anew.

- `segments`: which gems are indexed, and where a gem stands in its segment.
- `bags`: signatures with nearly the same characters, for `sequence`.
- `words`: signatures whose words lie within one another, for `subset`.
- `overlaps`: signatures that share enough words by weight, for guarded rules.
- `sources`: gems that share sources, for the source gate.
- `candidates`: what the gates ask, answered from these and the plain scan.
- `building`: makes the rows of one segment. `upkeep`: seals, merges, drops, verifies.
"""
