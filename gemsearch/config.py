"""The user's own files: config.toml, keys.json, and where the ledger is when nobody says so.

A flag wins over the environment, the environment over config.toml. Nothing here is imported before
it is needed: on the way to a refusal only `default_ledger_path` is called.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from gemsearch.core.text import hidden_count
from gemsearch.errors import BadConfiguration, NotFound, WrongCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gemsearch.providers.base import Settings

NO_HOME = "Set GEMSEARCH_DB, or pass --db FILE."
_LONGEST_FILE = 1_000_000  # a device may have no end
SECRET_NAMES = {"key", "api_key", "apikey", "token", "secret", "password"}


class Config(NamedTuple):
    """config.toml as it was read; an absent file is an empty one."""

    path: str
    values: Mapping[str, object]

    def get(self, dotted: str) -> object | None:
        found: object = self.values
        for part in dotted.split("."):
            if not isinstance(found, dict) or part not in found:
                return None
            found = found[part]
        return found

    def table(self, dotted: str) -> Mapping[str, object]:
        found = self.get(dotted)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise BadConfiguration(
                f"`{dotted}` must be a table in {self.path}",
                hint=f"Write [{dotted}] on a line of its own and the options below it.",
            )
        return found


# Where things are


def default_ledger_path() -> str:
    """GEMSEARCH_DB, else gems.db in the platform's user data directory."""
    named = os.environ.get("GEMSEARCH_DB", "")
    if named:
        return os.path.expanduser(named)
    return os.path.join(_user_dir("XDG_DATA_HOME", "~/.local/share", "user_data_dir"), "gems.db")


def config_path() -> str:
    """GEMSEARCH_CONFIG, else config.toml in the platform's user configuration directory."""
    named = os.environ.get("GEMSEARCH_CONFIG", "")
    if named:
        return os.path.expanduser(named)
    return os.path.join(_user_dir("XDG_CONFIG_HOME", "~/.config", "user_config_dir"), "config.toml")


def keys_path() -> str:
    return os.path.join(os.path.dirname(config_path()), "keys.json")


def _user_dir(variable: str, fallback: str, platformdirs_name: str) -> str:
    if sys.platform.startswith("linux"):  # start-up: what platformdirs answers here, 20 ms sooner
        base = os.environ.get(variable, "").strip()
        found = os.path.join(
            base if os.path.isabs(base) else os.path.expanduser(fallback), "gemsearch"
        )
    else:
        import platformdirs

        found = str(getattr(platformdirs, platformdirs_name)("gemsearch", appauthor=False))
    # An empty HOME would make it a folder of the root directory.
    if not os.path.isabs(found) or found.startswith(("/.local", "/.config")):
        raise BadConfiguration(f"no home directory was found for {fallback}", hint=NO_HOME)
    return found


# config.toml


def load(path: str | None = None) -> Config:
    import tomllib  # start-up

    where = path or config_path()
    text = _read(where, "Correct the file, or move it away to start afresh.")
    try:
        return Config(where, tomllib.loads(text))
    except RecursionError:
        raise BadConfiguration(
            f"{where} is nested too deeply",
            hint="Correct the file, or move it away to start afresh.",
        ) from None
    except tomllib.TOMLDecodeError as fault:
        said = str(fault).replace(
            "at end of document", f"at line {text.count(chr(10)) + 1}, its end"
        )
        raise BadConfiguration(
            f"{where} isn't valid TOML: {said}",
            hint="Correct that line, or move the file away to start afresh.",
        ) from None


def get_value(dotted: str, path: str | None = None) -> object:
    config = load(path)
    found = config.get(dotted)
    if found is None:
        raise NotFound(
            f"`{dotted}` is not set in {config.path}",
            hint=f"Set it: `gemsearch config set {dotted} VALUE`.",
        )
    return found


def set_value(dotted: str, text: str, path: str | None = None) -> object:
    """Set a dotted key from a word typed in a shell: TOML where it reads as TOML, else a string."""
    _refuse_secret(dotted)
    value = _typed(text)

    def change(document: dict[str, object]) -> None:
        parts = dotted.split(".")
        table = document
        for part in parts[:-1]:
            table = _step_into(table, part, dotted)
        table[parts[-1]] = value

    _edit(dotted, path or config_path(), change)
    return value


def unset(dotted: str, path: str | None = None) -> None:
    where = path or config_path()
    get_value(dotted, where)

    def change(document: dict[str, object]) -> None:
        parts = dotted.split(".")
        table = document
        for part in parts[:-1]:
            table = _step_into(table, part, dotted)
        table.pop(parts[-1], None)

    _edit(dotted, where, change)


def _refuse_secret(dotted: str) -> None:
    if dotted.rsplit(".", 1)[-1].lower() in SECRET_NAMES:
        raise WrongCall(
            f"`{dotted}` looks like a key: config.toml is no place for one",
            hint="Use `gemsearch keys set NAME`; it asks for the key and stores it apart.",
        )


def _typed(text: str) -> object:
    import tomllib  # start-up

    try:
        found = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return found["value"] if len(found) == 1 else text


def _step_into(table: dict[str, object], part: str, dotted: str) -> dict[str, object]:
    import tomlkit  # start-up

    if part not in table:
        table[part] = tomlkit.table()
    inner = table[part]
    if not isinstance(inner, dict):
        raise WrongCall(
            f"`{dotted}` can't be set: `{part}` has a value of its own",
            hint=f"Remove it first: `gemsearch config unset {part}`.",
        )
    return inner


def _edit(dotted: str, path: str, change: Callable[[dict[str, object]], None]) -> None:
    import tomlkit  # start-up

    if not all(dotted.split(".")):
        raise WrongCall(f"{dotted!r} is no dotted key", hint="Write it as in `gate.max_age`.")
    if hidden_count(dotted):
        raise WrongCall(f"{dotted!r} holds characters that can't be seen", hint="Type it again.")
    with _Lock(path):
        load(path)  # a broken file is reported, never overwritten
        document = tomlkit.parse(_read(path, ""))
        change(document)
        _replace(path, tomlkit.dumps(document))


# Keys


def set_key(name: str, key: str) -> str:
    """Store a provider's key; the path of the file it went to."""
    sound = _sound_key(key, f"the key for {name}")
    path = keys_path()
    with _Lock(path):
        keys = _keys(path)
        keys[name] = sound
        _write_keys(path, keys)
    return path


def list_keys() -> list[str]:
    """The names under which keys are stored, never the keys."""
    return sorted(_keys(keys_path()))


def remove_key(name: str) -> None:
    path = keys_path()
    with _Lock(path):
        keys = _keys(path)
        if name not in keys:
            raise NotFound(
                f"no key is stored for {name!r} in {path}", hint="See `gemsearch keys list`."
            )
        del keys[name]
        _write_keys(path, keys)


def find_key(name: str, variables: Iterable[str]) -> str | None:
    """keys.json first, then each variable, then the file that VARIABLE_FILE names."""
    stored = _keys(keys_path()).get(name)
    if stored:
        return _sound_key(stored, f"the key for {name} in {keys_path()}")
    for variable in variables:
        if os.environ.get(variable, "").strip():
            return _sound_key(os.environ[variable], f"the key in {variable}")
        named = os.environ.get(f"{variable}_FILE", "")
        if named:
            return _key_from_file(named, f"{variable}_FILE")
    return None


def provider_settings(
    name: str, adapter_env: Sequence[str] = (), config: Config | None = None
) -> Settings:
    from gemsearch.providers.base import Settings

    known = load() if config is None else config
    return Settings(known.table(f"providers.{name}"), find_key(name, adapter_env))


def _keys(path: str) -> dict[str, str]:
    import json  # start-up

    text = _read(path, "Correct the file, or move it away and set the keys again.")
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadConfiguration(
            f"{path} isn't a JSON object of names and keys",
            hint="Move it away and set the keys again: `gemsearch keys set NAME`.",
        )
    return {name: key for name, key in found.items() if isinstance(key, str)}


def _write_keys(path: str, keys: Mapping[str, str]) -> None:
    import json  # start-up

    _replace(path, json.dumps(keys, indent=2, sort_keys=True) + "\n")


def _key_from_file(path: str, variable: str) -> str:
    text = _read(os.path.expanduser(path), f"Correct {variable}.", required=True)
    if not text.strip():
        raise BadConfiguration(
            f"{path}, named by {variable}, is empty", hint=f"Correct {variable}."
        )
    return _sound_key(text, f"the key in {path}")


def _sound_key(key: str, where: str) -> str:
    """A key goes into an HTTP header: anything else would fail there, and be shown there."""
    stripped = key.strip()
    if stripped and stripped.isascii() and stripped.isprintable():
        return stripped
    raise BadConfiguration(
        f"{where} is empty or holds characters that no key has",
        hint="Copy the key again, without line breaks.",
    )


# Files


def _read(path: str, hint: str, *, required: bool = False) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read(_LONGEST_FILE + 1)
        if len(text) <= _LONGEST_FILE:
            return text
        why: str | None = "it is too long to be one"
    except FileNotFoundError as fault:
        if not required:
            return ""
        why = fault.strerror
    except NotADirectoryError as fault:
        why = fault.strerror
    except OSError as fault:
        why = fault.strerror
    except UnicodeDecodeError:
        why = "it isn't UTF-8 text"
    raise BadConfiguration(f"{path} can't be read: {why}", hint=hint)


def _replace(path: str, text: str) -> None:
    """Write all or nothing, readable by the owner only; a symbolic link stays one."""
    import tempfile  # start-up

    target = os.path.realpath(path)
    try:
        descriptor, beside = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".gemsearch-")
        try:
            with open(descriptor, "w", encoding="utf-8") as file:  # mkstemp made it 0600
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, target)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as fault:
        raise _unwritable(path, fault) from None
    except UnicodeEncodeError:
        raise WrongCall(
            f"half a character can't be written to {path}", hint="Type it again."
        ) from None


def _unwritable(path: str, fault: OSError) -> BadConfiguration:
    return BadConfiguration(
        f"{path} can't be written: {fault.strerror}",
        hint="Make its directory writable, or set GEMSEARCH_CONFIG to another file.",
    )


class _Lock:
    """Held while a file is read, changed and replaced, or one of two changes would be lost."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.descriptor = -1

    def __enter__(self) -> None:
        import fcntl  # start-up
        from contextlib import suppress

        directory = os.path.dirname(os.path.realpath(self.path))
        try:
            os.makedirs(directory, mode=0o700, exist_ok=True)
            self.descriptor = os.open(directory, os.O_RDONLY)
        except OSError as fault:
            raise _unwritable(self.path, fault) from None
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(self.descriptor, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)  # and with it goes the lock
