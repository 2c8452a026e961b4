"""Stands in for `typing` while a hook starts.

What the gates take from it is NamedTuple, and names that only a type checker reads. `typing`, and
what it does for each field of each class, are a fifth of a hook's whole time, twice in each search
of an agent (bench/startup.py). Anything else that is asked of the stand-in comes from `typing`
itself, which then takes its place again.
"""

from __future__ import annotations

import sys
from operator import itemgetter
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Whatever = Any  # a class of fields or a tuple of one, which no type describes


def stand_in() -> None:
    """Take the place of `typing`, unless that is loaded already.

    Not from Python 3.14 on, where classes keep their annotations in another way.
    """
    if sys.version_info < (3, 14) and "typing" not in sys.modules:
        sys.modules["typing"] = _Typing("typing")


class _Typing(ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.TYPE_CHECKING = False
        self.NamedTuple = _NamedTuple
        self.Protocol = object
        # In annotations, which nobody reads.
        self.Any = self.NoReturn = self.Self = None

    def __getattr__(self, name: str) -> Whatever:
        if name.startswith("__"):  # the import system asks whether it is a package
            raise AttributeError(name)
        if sys.modules.get("typing") is self:
            del sys.modules["typing"]
        import typing

        return getattr(typing, name)


class _Made(type):
    """Makes a tuple of a class with fields, as `typing.NamedTuple` does."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Whatever:
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields = tuple(body["__annotations__"])
        common = {
            "__slots__": (),
            "__new__": _new,
            "__repr__": _repr,
            "__getnewargs__": tuple,
            "__match_args__": fields,
            "_fields": fields,
            "_field_defaults": {field: body[field] for field in fields if field in body},
            "_make": classmethod(tuple.__new__),
            "_replace": _replace,
            "_asdict": _asdict,
        }
        places = {field: property(itemgetter(place)) for place, field in enumerate(fields)}
        return type(name, (tuple,), common | body | places)


class _NamedTuple(metaclass=_Made):
    pass


def _new(cls: Whatever, *given: object, **named: object) -> Whatever:
    if named or len(given) != len(cls._fields):
        rest = cls._fields[len(given) :]
        values = cls._field_defaults | named
        if len(given) > len(cls._fields) or named.keys() - set(rest) or set(rest) - values.keys():
            raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._fields)}")
        given = (*given, *(values[field] for field in rest))
    return tuple.__new__(cls, given)


def _replace(self: Whatever, **named: object) -> Whatever:
    if named.keys() - set(self._fields):
        raise ValueError(f"{type(self).__name__} has the fields {', '.join(self._fields)}")
    return tuple.__new__(type(self), (_asdict(self) | named).values())


def _asdict(self: Whatever) -> dict[str, object]:
    return dict(zip(self._fields, self, strict=True))


def _repr(self: Whatever) -> str:
    shown = ", ".join(f"{field}={value!r}" for field, value in _asdict(self).items())
    return f"{type(self).__name__}({shown})"
