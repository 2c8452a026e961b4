"""Which columns of the ledger may be published. What is not listed stops every edition.

public: copied, after it was cleaned and looked through. derived: made anew for the edition.
private: never copied. A new column, table or index of the ledger is private until somebody has
decided otherwise here, and until then nothing is published at all.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from gemsearch import errors


class Decision(NamedTuple):
    public: str = ""
    derived: str = ""
    private: str = ""

    def columns(self) -> set[str]:
        return {*self.public.split(), *self.derived.split(), *self.private.split()}


POLICY = {
    "gems": Decision(
        public="topic signature provider day",
        derived="id result_count",
        private="agent session project origin created reason visibility",
    ),
    "urls": Decision(public="url host", derived="id gem_count", private="key"),
    "results": Decision(
        # The address a published gem got becomes that of the source: `urls.url` may be from a
        # search that isn't published. Snippets go out with --snippets only.
        public="url title snippet published",
        derived="id gem_id url_id rank",
    ),
    "rejections": Decision(
        public="topic signature gate signal score threshold shared smaller day",
        derived="id gem_id",
        private="evidence profile enforced forced_gem_id provider agent session project origin"
        " created marked mark_reason visibility",
    ),
    "rejection_urls": Decision(public="shared counted", derived="rejection_id url_id"),
    "wordings": Decision(private="rejection_id signature gem_id created expires"),
    "exceptions": Decision(private="rejection_id signature gem_id signal created"),
    "searches": Decision(
        private="id agent session call_id topic_no project topic signature state provider error"
        " lease_until answer gem_id rejection_id created origin"
    ),
    "providers_state": Decision(private="provider next_slot cooldown_until kind"),
    "history_files": Decision(private="path position fingerprint read_at"),
    "settings": Decision(private="name value"),
    "collections": Decision(private="id name model"),
    "embeddings": Decision(
        private="collection_id id embedding content content_hash metadata updated"
    ),
    # Words and indexes cover the private gems too.
    "words": Decision(private="word gems"),
    "index_segments": Decision(private="id first last gems classes state started"),
    "index_places": Decision(private="id gems"),
    "index_bags": Decision(private="id bits"),
    "index_words": Decision(private="segment word led others"),
    "index_sources": Decision(private="segment url_id bits"),
    # Full-text tables are made anew from the published rows: the old ones remember deleted words.
    "gems_fts": Decision(derived="topic"),
    "results_fts": Decision(derived="title snippet"),
    "rejections_fts": Decision(derived="topic"),
}

# Private columns that decide whether a row is published; they are read and not copied.
ASKED = {
    "gems": frozenset({"origin", "project", "visibility"}),
    "rejections": frozenset({"forced_gem_id", "origin", "project", "visibility"}),
}

_COLUMNS = """
SELECT tables.name, columns.name
FROM pragma_table_list AS tables JOIN pragma_table_xinfo(tables.name) AS columns
WHERE tables.schema = 'main' AND tables.type IN ('table', 'virtual')
  AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND columns.hidden != 1
"""


class Undecided(errors.GemsearchError):
    """The ledger has columns of which nobody has said whether they are public."""


def undecided(ledger: sqlite3.Connection) -> list[str]:
    """Every `table.column` of the ledger without a decision."""
    return [
        f"{table}.{column}"
        for table, column in ledger.execute(_COLUMNS)
        if table not in POLICY or column not in POLICY[table].columns()
    ]


def require_decisions(ledger: sqlite3.Connection) -> None:
    if missing := undecided(ledger):
        raise Undecided(
            f"nothing is published: no decision for {', '.join(missing)}",
            hint="The ledger is newer than this gemsearch, or was changed by another program.",
        )


def guard(ledger: sqlite3.Connection) -> None:
    """From now on the connection reads no column that is private and not asked for."""
    ledger.set_authorizer(_verdict)


def unguard(ledger: sqlite3.Connection) -> None:
    ledger.set_authorizer(None)


def _verdict(
    action: int, first: str | None, second: str | None, _database: str | None, _inner: str | None
) -> int:
    if action in {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION}:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ and may_read(first or "", second or ""):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def may_read(table: str, column: str) -> bool:
    if table not in POLICY:
        return False
    decision = POLICY[table]
    allowed = {*decision.public.split(), *decision.derived.split(), *ASKED.get(table, ())}
    return column in allowed or column in {"", "ROWID"}  # "" stands for count(*)
