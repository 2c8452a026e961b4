"""What both gates make of recorded searches of agents, under every profile.

    python bench/agents.py FILE.jsonl

Each line has `query` and `urls`, and may have `kind`, `src`, `session` and `ts` (ISO 8601). The
lines are proposed in time order with their results, lines without a time first.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gemsearch import asking, novelty
from gemsearch.core.model import Caller
from gemsearch.core.profiles import PROFILES
from gemsearch.errors import BadTopic, SecretInTopic, WrongCall
from gemsearch.ledger import settings, signing
from gemsearch.ledger.connection import open_for_writing, write_transaction

BEFORE = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    rows = [json.loads(line) for line in parser.parse_args().file.read_text("utf-8").splitlines()]
    rows.sort(key=lambda row: row.get("ts") or "")
    for kind in dict.fromkeys(row.get("kind", "") for row in rows):
        chosen = [row for row in rows if row.get("kind", "") == kind]
        print(f"\n{kind or 'all'}: {len(chosen)} searches")
        for profile in PROFILES:
            outcomes, within = proposed(chosen, profile)
            refused = sum(n for outcome, n in outcomes.items() if outcome.startswith("refused"))
            listed = ", ".join(f"{name} {n}" for name, n in sorted(outcomes.items()))
            print(f"  {profile:10} refused {refused:3} ({within} within one session): {listed}")


def proposed(rows: list[dict], profile: str) -> tuple[Counter[str], int]:
    """Outcomes of the rows in a new ledger, and how many refusals stay within one session."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        ledger = open_for_writing(f"{folder}/gems.db")
        with write_transaction(ledger):
            settings.put(ledger, "gate.profile", profile)
            signing.sign_anew(ledger)
        for number, row in enumerate(rows):
            outcomes[outcome_of(ledger, row, number)] += 1
        within = ledger.execute(
            "SELECT count(*) FROM rejections JOIN gems ON gems.id = rejections.gem_id"
            " WHERE gems.session = rejections.session"
        ).fetchone()[0]
        ledger.close()
    return outcomes, within


def outcome_of(ledger, row: dict, number: int) -> str:
    caller = Caller("history", session=row.get("session"), project=row.get("src"), private=True)
    try:
        topic = asking.accepted(row["query"])
        verdict = novelty.record(
            ledger, asking.Proposal(topic, caller), row["urls"][:100], time_of(row, number)
        )
    except SecretInTopic:
        return "holds a secret"
    except (BadTopic, WrongCall):
        return "no topic"
    return f"refused {verdict.match.signal}" if verdict.status == "duplicate" else verdict.status


def time_of(row: dict, number: int) -> datetime:
    if row.get("ts"):
        return datetime.fromisoformat(row["ts"])
    return BEFORE + timedelta(seconds=number)


if __name__ == "__main__":
    main()
