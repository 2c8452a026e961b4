"""What the gates need besides the gems. It lives in the ledger, so that a hook reads no file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.profiles import DEFAULT, PROFILES
from gemsearch.errors import BadConfiguration, NotFound, WrongCall

if TYPE_CHECKING:
    import sqlite3

    from gemsearch.core.profiles import Profile

WORDING_DAYS = 90.0
LEASE_SECONDS = 60.0
DENY, WARN, RECORD = MODES = ("deny", "warn", "record")  # what hooks do with a match

# Settings that a person may change, and what they mean.
CHANGEABLE = {
    "gate.profile": f"rules of both gates: {', '.join(PROFILES)} (default {DEFAULT})",
    "gate.wording_days": f"days for which a learned wording refuses (default {WORDING_DAYS:g})",
    "gate.max_age": "days after which a gem refuses no longer (default: never)",
    "hook.query": "what hooks do with a covered topic: deny, warn or record (default deny)",
    "hook.source": "what hooks do with recurring sources: deny, warn or record (default warn)",
    "hook.profile": "rules of hooks (default strict); it must be of the ledger's own form",
    "hook.tools": "further tools and scripts that search the web, as agents name them: a, b",
    # Read when the ledger is opened for writing.
    "synchronous": "normal, or full: gems survive a power cut too, at some 25 times the cost",
}


class Settings(NamedTuple):
    profile: Profile = PROFILES[DEFAULT]
    wording_days: float = WORDING_DAYS
    max_age_days: float | None = None


class Hooks(NamedTuple):
    """`tools` are further search tools that a person named."""

    query: str = DENY
    source: str = WARN
    profile: str = "strict"
    tools: frozenset[str] = frozenset()


def read(connection: sqlite3.Connection) -> Settings:
    """Raises BadConfiguration where the ledger holds a value that is none."""
    stored = everything(connection)
    return Settings(
        _profile(stored, "gate.profile", DEFAULT),
        _days(stored, "gate.wording_days") or WORDING_DAYS,
        _days(stored, "gate.max_age"),
    )


def of_hooks(connection: sqlite3.Connection) -> Hooks:
    """What hooks go by.

    Their profile gives way to the ledger's own where its form of signature is another one: to sign
    every gem anew at each call would take seconds in a large ledger.
    """
    stored = everything(connection)
    own = _profile(stored, "gate.profile", DEFAULT)
    chosen = _profile(stored, "hook.profile", Hooks().profile)
    return Hooks(
        stored.get("hook.query", DENY),
        stored.get("hook.source", WARN),
        (chosen if chosen.form == own.form else own).name,
        frozenset(tools_named(stored.get("hook.tools", ""))),
    )


def tools_named(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.strip())]


def everything(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT name, value FROM settings"))


def profile_named(name: str) -> Profile:
    try:
        return PROFILES[name]
    except KeyError:
        raise WrongCall(
            f"there is no profile {name!r}", hint=f"Profiles: {', '.join(PROFILES)}."
        ) from None


def put(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Store one of the CHANGEABLE settings; the caller holds the write lock."""
    check(name, value)
    connection.execute(
        "INSERT INTO settings (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def remove(connection: sqlite3.Connection, name: str) -> None:
    """Back to the default."""
    connection.execute("DELETE FROM settings WHERE name = ?", (name,))


def check(name: str, value: str) -> None:
    """Raise WrongCall where the value is none for this setting, NotFound where there is none."""
    if name not in CHANGEABLE:
        raise NotFound(f"there is no setting {name!r}", hint=f"Settings: {', '.join(CHANGEABLE)}.")
    if name in {"gate.profile", "hook.profile"}:
        profile_named(value)
    elif name in {"hook.query", "hook.source"}:
        if value not in MODES:
            raise WrongCall(f"{name} is {', '.join(MODES[:-1])} or {MODES[-1]}, not {value!r}")
    elif name == "hook.tools":
        if not tools_named(value):
            raise WrongCall(f"{name} is a list of names, not {value!r}", hint="Such as a, b.")
    elif name == "synchronous":
        if value not in {"normal", "full"}:
            raise WrongCall(f"synchronous is normal or full, not {value!r}")
    elif not _is_days(value):
        raise WrongCall(f"{name} is a number of days above 0, not {value!r}")


def _profile(stored: dict[str, str], name: str, otherwise: str) -> Profile:
    found = PROFILES.get(stored.get(name, otherwise))
    if found is None:
        raise _unusable(name, stored[name])
    return found


def _days(stored: dict[str, str], name: str) -> float | None:
    if name not in stored:
        return None
    if not _is_days(stored[name]):
        raise _unusable(name, stored[name])
    return float(stored[name])


def _unusable(name: str, value: str) -> BadConfiguration:
    """A person set nothing of the kind: the ledger was changed by other means."""
    return BadConfiguration(
        f"the ledger's {name} has the value {value!r}", hint=f"`gemsearch config unset {name}`"
    )


def _is_days(value: str) -> bool:
    try:
        return 0 < float(value) < 1e6
    except ValueError:
        return False
