"""Which provider searches. None is ever chosen silently: a topic goes only where the user said.

Each provider's module is imported when it is needed, httpx with the first one that speaks HTTP;
so call `choose` after the query gate.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, cast

from gemsearch import config as configuration
from gemsearch.errors import BadConfiguration, NotFound, SearchFailed
from gemsearch.providers.base import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gemsearch.config import Config
    from gemsearch.providers.base import Adapter, Provider

HOSTED = ("tavily", "brave", "exa", "serper", "you")  # in this order a key that is set decides
KEYLESS = ("tavily", "you")  # what `auto` may ask without a key
ADAPTERS = ("searxng", *HOSTED)
OTHERS = ("command", "ddgs", "replay", "sample")
BUILT_IN = (*ADAPTERS, *OTHERS)
NEVER_LIVE = "never run live"

NO_PROVIDER = (
    "Choose one, with one of these lines:",
    "  export SEARXNG_URL=http://127.0.0.1:8888",
    "  gemsearch config set provider auto",
    (
        "The first is a SearXNG of your own; the second sends topics to Tavily, then You.com,"
        " without a key."
    ),
)


class Status(NamedTuple):
    """One row of `gemsearch providers`."""

    name: str
    status: str
    note: str


def configured(requested: str | None) -> Provider:
    """The provider for this search, by the user's own configuration."""
    return choose(requested, configuration.load())


def choose(requested: str | None, config: Config) -> Provider:
    """The provider for this search; see `chosen` for the order."""
    names = chosen(requested, config)
    try:
        opened = [open_provider(name, config) for name in names]
    except NotFound as fault:
        if _explicit(requested):
            raise
        raise BadConfiguration(f"{config.path}: {fault.message}", hint=fault.hint) from None
    if len(opened) == 1:
        return opened[0]
    from gemsearch.providers.fallback import Fallback

    return Fallback(opened)


def chosen(requested: str | None, config: Config) -> Sequence[str]:
    """Names, in the order of asking: the flag or GEMSEARCH_PROVIDER, SEARXNG_URL, a key, config."""
    explicit = _explicit(requested)
    if explicit:
        return _expanded(explicit.split(","))
    for names in (_by_searxng_url, _by_key, _by_config):
        found = names(config)
        if found:
            return found
    raise SearchFailed("no_provider", "no search provider is chosen", hint=NO_PROVIDER)


def _explicit(requested: str | None) -> str:
    return requested or os.environ.get("GEMSEARCH_PROVIDER", "")


def _by_searxng_url(_: Config) -> Sequence[str]:
    return ("searxng",) if os.environ.get("SEARXNG_URL") else ()


def _by_key(_: Config) -> Sequence[str]:
    for name in HOSTED:
        if configuration.find_key(name, adapter(name).env):
            return (name,)
    return ()


def _by_config(config: Config) -> Sequence[str]:
    named = config.get("provider")
    if named is None:
        return ("searxng",) if config.get("providers.searxng.url") else ()
    if isinstance(named, str):
        return _expanded(named.split(","))
    if isinstance(named, list) and all(isinstance(name, str) for name in named):
        return _expanded(named)
    raise BadConfiguration(
        f"{config.path}: `provider` must be a name or a list of names",
        hint='Write it as in provider = ["searxng", "tavily"].',
    )


def _expanded(names: Sequence[str]) -> Sequence[str]:
    found: list[str] = []
    for name in names:
        found += KEYLESS if name.strip() == "auto" else [name.strip()]
    return tuple(dict.fromkeys(name for name in found if name))


def open_provider(name: str, config: Config) -> Provider:
    """The provider of this name, whether it could search now or not."""
    if name in ADAPTERS:
        return _over_http(name, config)
    if name in OTHERS:
        return _other(name, name, config)
    kind = config.table(f"providers.{name}").get("type")
    if kind in {"command", "replay"}:
        return _other(str(kind), name, config)
    if kind is not None:
        raise BadConfiguration(
            f"{config.path}: `providers.{name}.type` must be command or replay",
            hint=f"Correct [providers.{name}].",
        )
    return _from_plugin(name, config)


def adapter(name: str) -> Adapter:
    return cast("Adapter", import_module(f"gemsearch.providers.{name}").ADAPTER)


def settings_for(name: str, config: Config) -> Settings:
    """The settings of a built-in provider; SEARXNG_URL wins over the configured URL."""
    settings = configuration.provider_settings(name, adapter(name).env, config)
    url = os.environ.get("SEARXNG_URL", "") if name == "searxng" else ""
    return settings._replace(options={**settings.options, "url": url}) if url else settings


def _over_http(name: str, config: Config) -> Provider:
    from gemsearch.providers.http import HttpProvider  # start-up: httpx

    return HttpProvider(adapter(name), settings_for(name, config))


def _other(kind: str, name: str, config: Config) -> Provider:
    settings = Settings(config.table(f"providers.{name}"))
    if kind == "command":
        from gemsearch.providers.command import Command

        return Command(settings, name)
    if kind == "replay":
        from gemsearch.providers.replay import Replay

        return Replay(settings, name)
    if kind == "ddgs":
        from gemsearch.providers.ddgs import Ddgs

        return Ddgs(settings)
    from gemsearch.providers.sample import Sample

    return Sample()


def _from_plugin(name: str, config: Config) -> Provider:
    from gemsearch import plugins

    known = plugins.providers()
    if name not in known:
        raise NotFound(
            f"no provider is called {name!r}",
            hint=f"Known: {', '.join(sorted([*BUILT_IN, *known]))}.",
        )
    offered = known[name]
    settings = configuration.provider_settings(name, offered.env, config)
    if offered.needs_key and not settings.key:
        raise SearchFailed(
            "auth",
            f"{name} needs a key and none is set",
            provider=name,
            hint=f"Set it: `gemsearch keys set {name}`.",
        )
    try:
        return offered.factory(settings)
    except SearchFailed:
        raise
    except Exception as fault:  # noqa: BLE001 - whatever a plugin does; its text may hold the key
        why = type(fault).__name__
    raise BadConfiguration(
        f"the plugin {offered.plugin} can't start its provider {name}: {why}",
        hint="Report it to the plugin's author, or choose another provider.",
    )


def describe(config: Config) -> list[Status]:
    """Every provider and whether it could search now. Asks nobody."""
    return [
        *(_described(name, config) for name in ADAPTERS),
        *_described_others(config),
        *_described_plugins(config),
    ]


def _described(name: str, config: Config) -> Status:
    settings = settings_for(name, config)
    if name == "searxng":
        url = settings.text("url")
        return Status(name, "ready" if url else "needs a URL", "your own instance; no key")
    facts = adapter(name)
    asks = f"key in {' or '.join(facts.env)}"
    if settings.key:
        return Status(name, "ready", f"key set; {NEVER_LIVE}")
    if facts.needs_key:
        return Status(name, "needs a key", f"{asks}; {NEVER_LIVE}")
    return Status(name, "keyless", f"only when named; {asks}; {NEVER_LIVE}")


def _described_others(config: Config) -> list[Status]:
    replay = config.get("providers.replay.path") or os.environ.get("GEMSEARCH_REPLAY")
    found = [
        Status(
            "command",
            "ready" if config.get("providers.command.argv") else "not configured",
            "any program that prints JSON",
        ),
        Status(
            "ddgs",
            "ready" if find_spec("ddgs") else "not installed",
            f"extra `gemsearch[ddgs]`; can't tell empty from blocked; {NEVER_LIVE}",
        ),
        Status("replay", "ready" if replay else "not configured", "recorded results, offline"),
        Status("sample", "ready", "built-in sample results, offline"),
    ]
    for name, table in config.table("providers").items():
        kind = table.get("type") if isinstance(table, dict) else None
        if kind in {"command", "replay"} and name not in BUILT_IN:
            found.append(Status(name, "ready", f"{kind}, from {config.path}"))
    return found


def _described_plugins(config: Config) -> list[Status]:
    from gemsearch import plugins

    found = []
    for name, offered in sorted(plugins.providers().items()):
        key = configuration.provider_settings(name, offered.env, config).key
        status = "needs a key" if offered.needs_key and not key else "ready"
        found.append(Status(name, status, f"plugin {offered.plugin}"))
    return found
