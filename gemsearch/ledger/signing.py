"""Signs every stored topic anew: after a change of profile, or of the signature's own rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gemsearch.core.signature import SIGNATURE_VERSION, sign
from gemsearch.ledger import settings, words

if TYPE_CHECKING:
    import sqlite3

# Tables whose signature is that of the topic in the same row, and those that copy a rejection's.
_OWN_TOPIC = ("gems", "rejections", "searches")
_OF_A_REJECTION = ("wordings", "exceptions")


def sign_anew(connection: sqlite3.Connection) -> int:
    """Bring all signatures into the form of the ledger's profile; gives how many changed.

    The caller holds the write lock, so that no gate ever sees two forms in one ledger.
    """
    from gemsearch.ledger.index import upkeep  # start-up

    form = settings.read(connection).profile.form
    changed = sum(_sign_topics(connection, table, form) for table in _OWN_TOPIC)
    for table in _OF_A_REJECTION:
        connection.execute(
            f"UPDATE {table} SET signature ="
            f" (SELECT signature FROM rejections WHERE id = {table}.rejection_id)"
        )
    words.count_anew(connection)
    connection.execute(
        "UPDATE settings SET value = ? WHERE name = 'signature.version'", (str(SIGNATURE_VERSION),)
    )
    upkeep.discard(connection)
    return changed


def _sign_topics(connection: sqlite3.Connection, table: str, form: str) -> int:
    rows = connection.execute(f"SELECT id, topic, signature FROM {table}")
    changed = [
        (signature, row_id)
        for row_id, topic, stored in rows
        if (signature := sign(topic, form).signature) != stored
    ]
    connection.executemany(f"UPDATE {table} SET signature = ? WHERE id = ?", changed)
    return len(changed)
