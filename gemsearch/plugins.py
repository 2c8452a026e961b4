"""Providers from other packages: entry points of the group `gemsearch`.

GEMSEARCH_LOAD_PLUGINS, if set, names the only packages that may load; empty means none.
A plugin that fails is reported on the log and left out: it must not stop a search.
"""

from __future__ import annotations

import logging
import os
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple

import pluggy

from gemsearch import hookspecs
from gemsearch.providers.registry import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gemsearch.providers.base import Provider, Settings

GROUP = "gemsearch"
log = logging.getLogger(__name__)


class Registered(NamedTuple):
    """A provider that a plugin offers; `plugin` is the entry point's name."""

    factory: Callable[[Settings], Provider]
    env: Sequence[str]
    needs_key: bool
    plugin: str


@cache
def providers() -> Mapping[str, Registered]:
    """All providers of all plugins, by name; plugins are loaded once in a process."""
    found: dict[str, Registered] = {}
    plugged = pluggy.PluginManager(GROUP)
    plugged.add_hookspecs(hookspecs)
    for entry in _entry_points():
        try:
            plugged.register(entry.load(), name=entry.name)
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - whatever a plugin does
            _warn(entry.name, fault)
    for name, plugin in plugged.list_name_plugin():
        others = [other for other in plugged.get_plugins() if other is not plugin]
        hook = plugged.subset_hook_caller("register_providers", others)
        try:
            hook(register=_registrar(name, found))
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - whatever a plugin does
            _warn(name, fault)
    return found


def _registrar(plugin: str, found: dict[str, Registered]) -> Callable[..., None]:
    def register(
        name: str,
        factory: Callable[[Settings], Provider],
        env: Sequence[str] = (),
        needs_key: bool = False,
    ) -> None:
        if name in found or name in BUILT_IN:
            log.warning("plugin %s: the provider name %r is taken", plugin, name)
            return
        found[name] = Registered(factory, tuple(env), needs_key, plugin)

    return register


def _entry_points() -> Iterator[metadata.EntryPoint]:
    listed = os.environ.get("GEMSEARCH_LOAD_PLUGINS")
    if listed is None:
        yield from metadata.entry_points(group=GROUP)
        return
    for package in filter(None, (name.strip() for name in listed.split(","))):
        try:
            entries = metadata.distribution(package).entry_points
        except metadata.PackageNotFoundError:
            log.warning("GEMSEARCH_LOAD_PLUGINS names %r, which isn't installed", package)
            continue
        yield from entries.select(group=GROUP)


def _warn(name: str, fault: BaseException) -> None:
    log.warning("plugin %s is left out: %s", name, type(fault).__name__)
    log.debug("plugin %s", name, exc_info=fault)
