"""What a search call brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gemsearch.core.model import Result

OK, EMPTY, FAILED, DENIED, MISSING = "ok", "empty", "failed", "denied", "missing"


class Answer(NamedTuple):
    """`status` is OK, EMPTY (worked, found nothing), FAILED, DENIED (refused by a hook of ours or
    another's) or MISSING (no answer was kept). Results as `core.results.as_results` takes them.
    """

    status: str
    results: tuple[Result, ...] = ()


def answer_of(response: object, *, failed: bool = False) -> Answer:
    """The answer in a response of any documented shape, structured or text.

    `failed` is what the agent's own flag says; it is not trusted to be set. Never raises: what
    can't be read is OK without results if it is text that says something, else MISSING.
    """
    raise NotImplementedError
