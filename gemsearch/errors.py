"""Every error that gemsearch raises on purpose: one tree, each with an exit code.

::

    GemsearchError              5   a person must act
    ├── WrongCall               1   the call itself must change
    │   ├── BadTopic            1   empty, too long, not text
    │   ├── SecretInTopic       1   nothing was sent, nothing was stored
    │   └── NotFound            1   no such gem, rejection, provider, setting
    ├── SearchFailed            1, 4 or 5, by its kind
    ├── LedgerError             5   the ledger can't be used until a person acts
    │   ├── LedgerMissing       5
    │   ├── LedgerEmpty         5
    │   ├── NotALedger          5
    │   ├── LedgerDamaged       5
    │   ├── LedgerNewer         5
    │   ├── LedgerReadOnly      5
    │   └── LedgerFull          5
    ├── LedgerBusy              4   another process is writing: the same call may work later
    └── BadConfiguration        5

A message says what went wrong and where; `hint` says what to do now. A hint of several lines is
given as a tuple of them: what it repeats of a name or an argument can then make no line of its own.
"""

from __future__ import annotations

from gemsearch.core.text import clean_file_name, clean_layout

Hint = str | tuple[str, ...]

NOT_COVERED = "Not covered: the same topic may be searched again."

EXIT_NOVEL = 0
EXIT_WRONG_CALL = 1
EXIT_DUPLICATE = 2
EXIT_EMPTY = 3
EXIT_NOT_NOW = 4
EXIT_NEEDS_PERSON = 5
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class GemsearchError(Exception):
    exit_code = EXIT_NEEDS_PERSON

    def __init__(self, message: str, *, hint: Hint = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = "\n".join(map(clean_layout, (hint,) if isinstance(hint, str) else hint))


class WrongCall(GemsearchError):
    exit_code = EXIT_WRONG_CALL


class BadTopic(WrongCall):
    pass


class SecretInTopic(WrongCall):
    """`kind` names what was found; the secret itself is never repeated."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"the topic contains what looks like {kind}: not searched, not stored",
            hint="Remove it; for a false alarm pass --allow-secret.",
        )
        self.kind = kind


class NotFound(WrongCall):
    pass


class SearchFailed(GemsearchError):
    """A search that was tried or refused by a provider and brought no answer.

    `kind` is one of KINDS below; `retry_after` is in seconds, None when unknown;
    `billed` is "yes", "no" or "unknown".
    """

    KINDS = {  # noqa: RUF012 - a constant table, never changed
        "network": EXIT_NOT_NOW,
        "timeout": EXIT_NOT_NOW,
        "upstream": EXIT_NOT_NOW,
        "rate_limited": EXIT_NOT_NOW,
        "bad_response": EXIT_NOT_NOW,
        "ambiguous": EXIT_NOT_NOW,
        "auth": EXIT_NEEDS_PERSON,
        "quota": EXIT_NEEDS_PERSON,
        "config": EXIT_NEEDS_PERSON,
        "redirect": EXIT_NEEDS_PERSON,
        "blocked": EXIT_NEEDS_PERSON,
        "replay_miss": EXIT_NEEDS_PERSON,
        "no_provider": EXIT_NEEDS_PERSON,
        "query_too_long": EXIT_WRONG_CALL,
        "bad_query": EXIT_WRONG_CALL,
    }

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        provider: str = "",
        hint: Hint = "",
        retry_after: float | None = None,
        billed: str = "no",
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.provider = provider
        self.retry_after = retry_after
        self.billed = billed
        self.exit_code = self.KINDS[kind]


class LedgerError(GemsearchError):
    """`path` is the file; every message names it."""

    def __init__(self, message: str, path: str, *, hint: Hint = "") -> None:
        super().__init__(f"{message}: {clean_file_name(path)}", hint=hint)
        self.path = path


class LedgerMissing(LedgerError):
    pass


class LedgerEmpty(LedgerError):
    pass


class NotALedger(LedgerError):
    pass


class LedgerDamaged(LedgerError):
    pass


class LedgerNewer(LedgerError):
    pass


class LedgerReadOnly(LedgerError):
    pass


class LedgerFull(LedgerError):
    pass


class LedgerBusy(LedgerError):
    exit_code = EXIT_NOT_NOW


class BadConfiguration(GemsearchError):
    pass
