"""The stand-in for `typing` makes the same tuples, and steps aside for all else."""

from __future__ import annotations

import subprocess
import sys
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemsearch.agents import lean

BODY = '''
class Made(NamedTuple):
    """What it is."""

    first: str
    second: int = 2
    third: tuple[str, ...] = ()

    @property
    def both(self) -> str:
        return self.first * self.second
'''


def made_with(named_tuple):
    names = {"NamedTuple": named_tuple, "__name__": "made"}
    exec(compile(f"from __future__ import annotations\n{BODY}", "made", "exec"), names)
    return names["Made"]


REAL, LEAN = made_with(typing.NamedTuple), made_with(lean._NamedTuple)


def outcome(make, *given, **named):
    try:
        return make(*given, **named)
    except (TypeError, ValueError) as error:
        return type(error)


values = st.integers() | st.text(max_size=3)
names = st.dictionaries(st.sampled_from(["first", "second", "third", "fourth"]), values)


@given(st.lists(values, max_size=4), names)
def test_the_same_values_make_the_same_tuple_or_the_same_error(given, named):
    real, lean = outcome(REAL, *given, **named), outcome(LEAN, *given, **named)
    assert real == lean
    if isinstance(real, tuple):
        assert repr(real) == repr(lean)
        assert real._asdict() == lean._asdict()


@given(names)
def test_a_replaced_field_gives_the_same_tuple_or_the_same_error(named):
    assert outcome(REAL("a")._replace, **named) == outcome(LEAN("a")._replace, **named)


def test_a_class_has_the_same_parts():
    one = LEAN("ab")
    assert (one.first, one.second, one.third, one.both) == ("ab", 2, (), "abab")
    assert LEAN._make(["x", 1, ()]) == LEAN("x", 1) == REAL("x", 1)
    for part in ("_fields", "_field_defaults", "__match_args__", "__doc__", "__module__"):
        assert getattr(LEAN, part) == getattr(REAL, part)
    with pytest.raises(AttributeError):
        one.first = "c"
    with pytest.raises(AttributeError):
        one.other = "c"


SCRIPT = """
import sys
from gemsearch.agents import lean
lean.stand_in()
from gemsearch.core.model import Caller, Match
before = type(sys.modules["typing"]).__name__
match = Match("identical", 1, "t", "2026-05-11", 1.0, 1.0)
caller = Caller("hook", " a\\x1b[1m ")._replace(topic_no=2)
from typing import TypeVar, get_type_hints
import typing
print(before, match.gate, match.day, caller.agent, caller.topic_no, TypeVar.__module__,
      typing.__spec__.name, isinstance(match, tuple))
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="there it does not stand in")
def test_what_it_lacks_comes_from_typing_itself():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [
        "_Typing",
        "query",
        "2026-05-11",
        "a",
        "2",
        "typing",
        "typing",
        "True",
    ]
