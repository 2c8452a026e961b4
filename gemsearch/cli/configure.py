from __future__ import annotations

import click

from gemsearch.cli import options, render


@click.group("config")
def command() -> None:
    """Read and change settings.

    \b
    gate.*, hook.*, synchronous   live in the ledger, so that every agent on it is judged alike
    everything else               lives in config.toml, such as provider and providers.NAME.*

    \b
    Examples
      gemsearch config list
      gemsearch config set provider searxng
      gemsearch config set gate.profile strict
      gemsearch config set providers.searxng.url http://127.0.0.1:8888
      gemsearch config unset gate.max_age
    """


@command.command("list")
@options.db
def list_settings(db: str | None) -> None:
    """Show every setting, where it lives and what it means."""
    import os

    from gemsearch import config
    from gemsearch.ledger import settings
    from gemsearch.ledger.opening import opened_for_question

    path = options.path(db)
    with opened_for_question(path) as ledger:
        stored = settings.everything(ledger)
    rows = [
        {"setting": name, "value": stored.get(name, ""), "meaning": meaning}
        for name, meaning in settings.CHANGEABLE.items()
    ]
    render.line(f"In the ledger {path}:" if os.path.exists(path) else f"No ledger yet at {path}:")
    render.table(("setting", "value", "meaning"), rows)
    known = config.load()
    render.line("")
    render.line(f"In {known.path}:")
    render.settings(known.values)


@command.command("get")
@click.argument("name")
@options.db
def get_setting(name: str, db: str | None) -> None:
    """Print the value of NAME."""
    from gemsearch import config
    from gemsearch.errors import NotFound
    from gemsearch.ledger import settings
    from gemsearch.ledger.opening import opened_for_question

    if name not in settings.CHANGEABLE:
        render.settings({name: config.get_value(name)})
        return
    with opened_for_question(options.path(db)) as ledger:
        stored = settings.everything(ledger)
    if name not in stored:
        raise NotFound(
            f"`{name}` is not set; {settings.CHANGEABLE[name]}",
            hint=f"Set it: `gemsearch config set {name} VALUE`.",
        )
    render.settings({name: stored[name]})


@command.command("set")
@click.argument("name")
@click.argument("value")
@options.db
def set_setting(name: str, value: str, db: str | None) -> None:
    """Set NAME to VALUE."""
    from gemsearch import config
    from gemsearch.ledger import settings, signing
    from gemsearch.ledger.connection import write_transaction
    from gemsearch.ledger.index import upkeep
    from gemsearch.ledger.opening import opened_for_writing

    if name not in settings.CHANGEABLE:
        render.settings({name: config.set_value(name, value)})
        return
    with opened_for_writing(options.path(db)) as ledger:
        with write_transaction(ledger):
            settings.put(ledger, name, value)
            signed = signing.sign_anew(ledger) if name == "gate.profile" else 0
        upkeep.bring_up_to_date(ledger)
    render.settings({name: value})
    if signed:
        render.note(f"{signed} topics were signed anew in the form that {value} compares.")


@command.command("unset")
@click.argument("name")
@options.db
def unset_setting(name: str, db: str | None) -> None:
    """Return NAME to its default."""
    from gemsearch import config
    from gemsearch.ledger import settings, signing
    from gemsearch.ledger.connection import write_transaction
    from gemsearch.ledger.index import upkeep
    from gemsearch.ledger.opening import opened_for_writing

    if name not in settings.CHANGEABLE:
        config.unset(name)
        return
    with opened_for_writing(options.path(db)) as ledger:
        with write_transaction(ledger):
            settings.remove(ledger, name)
            if name == "gate.profile":
                signing.sign_anew(ledger)
        upkeep.bring_up_to_date(ledger)
