"""What a plugin may implement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pluggy import HookimplMarker, HookspecMarker

if TYPE_CHECKING:
    from collections.abc import Callable

hookspec = HookspecMarker("gemsearch")
hookimpl = HookimplMarker("gemsearch")


@hookspec
def register_providers(register: Callable[..., None]) -> None:
    """Call `register(name, factory, env=(), needs_key=False)` for each provider.

    `factory(settings)` returns a `gemsearch.providers.base.Provider`; `env` names the environment
    variables that may hold its key.
    """
