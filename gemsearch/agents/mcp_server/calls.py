"""What each tool does. Every call opens the ledger for itself, in the thread that it runs in."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from gemsearch import __version__, asking, errors, novelty
from gemsearch.agents.mcp_server.interruptible import Interruptible
from gemsearch.agents.mcp_server.tools import LISTED, LONGEST_TEXT, MOST_LISTED, TOOLS
from gemsearch.cli import answers
from gemsearch.core.profiles import DEFAULT, PROFILES
from gemsearch.core.results import MAX_RESULTS
from gemsearch.core.signature import signature
from gemsearch.core.text import MAX_TOPIC_CHARS, clean_line
from gemsearch.ledger import opening, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gemsearch.core.model import Caller, Result, Verdict
    from gemsearch.providers.base import Provider

# A model pays for every character of an answer. Ten results have some 5,000.
MOST_SHOWN = 20
MOST_CHARACTERS = 24_000

_LISTED_FIELDS = ("id", "day", "topic", "provider", "result_count")

_WHAT_NOW = {
    errors.EXIT_WRONG_CALL: "Correct the call.",
    errors.EXIT_NOT_NOW: "Not now: try again later.",
    errors.EXIT_NEEDS_PERSON: "A person must act: say so, and do not try again before that.",
}


class Setup(NamedTuple):
    """What the person who set the server up decided. `timeout` is in seconds."""

    path: str
    provider: str | None = None
    timeout: float = novelty.SEARCH_SECONDS
    profile: str | None = None


class Call(NamedTuple):
    """A tool call; `stop` raises as soon as nobody waits for the answer any more."""

    tool: str
    arguments: Mapping[str, object]
    caller: Caller
    setup: Setup
    stop: Callable[[], None]


class Answer(NamedTuple):
    """`lines` are what the command line prints, `values` its `--json` object."""

    lines: Sequence[str]
    values: object
    failed: bool = False


def answer(call: Call) -> Answer:
    """Do what is asked for. Every error of ours is an answer too."""
    try:
        _refuse_unknown_arguments(call)
        return _TOOLS[call.tool](call)
    except errors.GemsearchError as error:
        return _failure(call, error)


def topic_key(arguments: Mapping[str, object]) -> str:
    """Equal for topics that are the same to the query gate; empty where there is no topic."""
    topic = arguments.get("topic")
    if not isinstance(topic, str) or len(topic) > MAX_TOPIC_CHARS:
        return ""
    return signature(topic, PROFILES[DEFAULT].form)


def _search(call: Call) -> Answer:
    proposal = _proposal(call)
    with opening.opened_for_search(call.setup.path) as ledger:
        verdict = novelty.search(
            ledger, proposal, lambda: _provider(call), _utc_now, call.setup.timeout
        )
        found = _judged(verdict)
        _index_new_gem(ledger, verdict)
    return found


def _check(call: Call) -> Answer:
    proposal = _proposal(call)
    with opening.opened_for_question(call.setup.path) as ledger:
        return _judged(asking.check(ledger, proposal, _utc_now()))


def _record(call: Call) -> Answer:
    proposal = _proposal(call)
    results, provider = _results(call), _text(call, "provider")
    with opening.opened_for_writing(call.setup.path) as ledger:
        verdict = novelty.record(ledger, proposal, results, _utc_now(), provider or None)
        found = _judged(verdict)
        _index_new_gem(ledger, verdict)
    return found


def _explain(call: Call) -> Answer:
    proposal = _proposal(call)
    with opening.opened_for_question(call.setup.path) as ledger:
        found = asking.explain(ledger, proposal, _utc_now())
    values = answers.cleaned(answers.explanation_json(found))
    return Answer(answers.explanation_lines(found), values)


def _recent(call: Call) -> Answer:
    gem_id = _number(call, "gem", 1, 2**63 - 1)
    limit = _number(call, "limit", 1, MOST_LISTED) or LISTED
    words = _text(call, "words")
    with opening.opened_for_question(call.setup.path) as ledger:
        if gem_id is None:
            return _listed(list(reading.gems(ledger, text=words, limit=limit)))
        gem = reading.gem(ledger, gem_id)
        results = reading.results(ledger, gem_id)
    shown = _fitting(results)
    lines = [*answers.gem_lines(gem, shown), *_what_is_left(gem_id, results, shown)]
    return Answer(lines, _listing_json([gem], shown))


_TOOLS: Mapping[str, Callable[[Call], Answer]] = {
    "search": _search,
    "check": _check,
    "record": _record,
    "explain": _explain,
    "recent": _recent,
}


# Answers


def _judged(found: Verdict) -> Answer:
    shown = found._replace(results=_fitting(found.results))
    lines = answers.verdict_lines(shown, answers.seconds_ago(found, _utc_now()))
    lines += _what_is_left(found.gem_id, found.results, shown.results)
    values = answers.verdict_json(shown, answers.EXIT_CODES[found.status])
    return Answer(lines, answers.cleaned(values))


def _listed(gems: list[reading.Gem]) -> Answer:
    lines = [
        f"#{gem.id} {clean_line(gem.topic, answers.TOPIC_CELLS)}  [{gem.day}]"
        f"  ({gem.result_count} results)"
        for gem in gems
    ]
    return Answer(lines or ["No gem is recorded that fits."], _listing_json(gems, ()))


def _listing_json(gems: list[reading.Gem], results: Sequence[Result]) -> object:
    listed = [{name: getattr(gem, name) for name in _LISTED_FIELDS} for gem in gems]
    return answers.cleaned(
        {
            "gems": listed,
            "results": [result._asdict() for result in results],
            "version": __version__,
        }
    )


def _failure(call: Call, error: errors.GemsearchError) -> Answer:
    """The reason in words, and the `--json` object; a topic that was refused is not repeated."""
    about_topic = "topic" in call.arguments
    told = about_topic and not isinstance(error, errors.WrongCall)
    topic = str(call.arguments["topic"]) if told else None
    hint = error.hint
    if isinstance(error, errors.SecretInTopic):
        hint = "Remove it. For a false alarm a person runs `gemsearch search --allow-secret`."
    lines = answers.failure_lines(error.message, hint, about_topic=about_topic)
    values = answers.cleaned(answers.failure_json(topic, error))
    return Answer([*lines, _what_now(error)], values, failed=True)


def _what_now(error: errors.GemsearchError) -> str:
    if isinstance(error, errors.SearchFailed) and error.retry_after:
        return f"Not now: try again in {error.retry_after:.0f} s at the earliest."
    return _WHAT_NOW[error.exit_code]


def _fitting(results: Sequence[Result]) -> tuple[Result, ...]:
    """The first results, as many as an answer has room for."""
    room = MOST_CHARACTERS
    for place, result in enumerate(results[:MOST_SHOWN]):
        room -= sum(map(len, result))
        if room < 0:
            return tuple(results[:place])
    return tuple(results[:MOST_SHOWN])


def _what_is_left(
    gem_id: int | None, results: Sequence[Result], shown: Sequence[Result]
) -> list[str]:
    left = len(results) - len(shown)
    return ["", f"{left} more: `gemsearch show {gem_id}` prints all."] if left else []


# Arguments


def _refuse_unknown_arguments(call: Call) -> None:
    [known] = (tool.input["properties"] for tool in TOOLS if tool.name == call.tool)
    for name in call.arguments:
        if name not in known:
            raise errors.WrongCall(
                f"{call.tool} takes no argument called {clean_line(str(name), 40)}",
                hint=f"It takes: {', '.join(known)}.",
            )


def _proposal(call: Call) -> asking.Proposal:
    topic = call.arguments.get("topic")
    if not isinstance(topic, str):
        raise errors.BadTopic("topic is missing or no text", hint="Give a short text as topic.")
    return asking.Proposal(asking.accepted(topic), call.caller, call.setup.profile)


def _results(call: Call) -> list[object]:
    results = call.arguments.get("results")
    if not isinstance(results, list) or not 1 <= len(results) <= MAX_RESULTS:
        raise errors.WrongCall(
            f"results must be a list of 1 to {MAX_RESULTS}",
            hint='One looks like {"url": "https://...", "title": "...", "snippet": "..."}.',
        )
    return results


def _text(call: Call, name: str) -> str:
    text = call.arguments.get(name)
    if text is None:
        return ""
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise errors.WrongCall(f"{name} must be text of at most {LONGEST_TEXT} characters")
    return text


def _number(call: Call, name: str, least: int, most: int) -> int | None:
    number = call.arguments.get(name)
    if number is None:
        return None
    whole = isinstance(number, int | float) and not isinstance(number, bool) and number % 1 == 0
    if not whole or not least <= number <= most:  # type: ignore[operator]  # a number, by then
        raise errors.WrongCall(f"{name} must be a whole number from {least} to {most}")
    return int(number)  # type: ignore[call-overload, no-any-return]


# Beside the answer


def _provider(call: Call) -> Provider:
    from gemsearch.providers import registry  # start-up: most calls search nothing

    return Interruptible(registry.configured(call.setup.provider), call.stop)


def _index_new_gem(ledger: sqlite3.Connection, verdict: Verdict) -> None:
    """Nothing most times; the gem is recorded, whatever becomes of its index."""
    if verdict.gem_id is None:
        return
    from gemsearch.ledger.index import upkeep  # start-up: as above

    with suppress(sqlite3.Error):
        upkeep.after_writing(ledger)


def _utc_now() -> datetime:
    return datetime.now(UTC)
