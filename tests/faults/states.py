"""A ledger before a command, after it, and after what befell it."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from tests.faults.sound import complaints, content

if TYPE_CHECKING:
    from tests.faults.driver import Ended
    from tests.faults.sound import Content

AN_HOUR = 3600.0


class State(NamedTuple):
    """A ledger, and what is wrong with it; no content where there is no ledger."""

    content: Content
    complaints: list[str]

    @classmethod
    def of(cls, place):
        if not os.path.exists(place.ledger):
            return cls({}, [])
        in_an_hour = datetime.now(UTC) + timedelta(seconds=AN_HOUR)
        return cls(content(place.ledger), complaints(place.ledger, in_an_hour))

    def gems(self):
        return {(number, topic) for number, topic, *_ in self.content.get("gems", ())}

    def is_before_or_after(self, before, after, *, in_parts):
        if self.content in (before.content, after.content):
            return True
        tables = ("gems", "results") if in_parts or not before.content else ()
        return bool(tables) and all(
            self.content[table] == after.content[table][: len(self.content[table])]
            for table in tables
        )


def announced(ended):
    """P1: gems that standard output speaks of."""
    return {
        (int(number), topic.partition("  (via")[0])
        for number, topic in re.findall(
            r"^NOVEL - recorded as #(\d+): (.*)$", ended.out, re.MULTILINE
        )
    }


class Alone(NamedTuple):
    """What a command does to a ledger when nothing befalls it."""

    ended: Ended
    before: State
    after: State

    def assert_whole(self, scenario, place, ended, about):
        """As it was or as it would be, and sound; what was announced is there."""
        left = State.of(place)
        assert left.complaints in ([], self.before.complaints, [*scenario.told]), about
        assert left.is_before_or_after(self.before, self.after, in_parts=scenario.in_parts), about
        assert announced(ended) <= left.gems(), about
        scenario.look(place, ended)

    def assert_goes_on(self, scenario, place, driver, about):
        """An hour later the same command does what is left to do, once."""
        repeated = driver(scenario.request(place)._replace(clock=AN_HOUR))
        assert repeated.code in scenario.again, (about, repeated)
        left = State.of(place)
        assert left.complaints in ([], [*scenario.told]), about
        assert left.gems() == self.after.gems() or not scenario.once, about
        assert announced(repeated) <= left.gems(), about
