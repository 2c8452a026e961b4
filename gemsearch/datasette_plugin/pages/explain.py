"""Would this be refused? The query gate's answer to a topic, signal by signal. Writes nothing."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from gemsearch import charts
from gemsearch.core.profiles import PROFILES
from gemsearch.core.text import MAX_TOPIC_CHARS
from gemsearch.datasette_plugin.pages import common
from gemsearch.errors import GemsearchError, LedgerError, SecretInTopic

if TYPE_CHECKING:
    from markupsafe import Markup

    from gemsearch.asking import Explanation
    from gemsearch.core.model import Score
    from gemsearch.datasette_plugin.pages.common import Text, Visit
    from gemsearch.ledger.snapshot import Near


class Compared(NamedTuple):
    """What one signal says of the topic and one gem."""

    signal: str
    score: str
    gauge: Markup
    why: str
    fires: bool


class Neighbour(NamedTuple):
    id: int
    topic: list[Text]
    day: str
    contrast: str
    excepted: str
    scores: list[Compared]


@common.of_ledger
async def page(visit: Visit) -> Any:  # noqa: ANN401
    topic = visit.request.args.get("topic") or ""
    profile = visit.request.args.get("profile") or ""
    chosen = profile if profile in PROFILES else ""
    context: dict[str, object] = {
        "topic": common.line(topic),
        "profile": chosen,
        "profiles": list(PROFILES),
        "longest": MAX_TOPIC_CHARS,
        "possible": visit.ledger.live and visit.ledger.path is not None,
    }
    if topic.strip() and context["possible"]:
        try:
            found = await asyncio.to_thread(_explained, str(visit.ledger.path), topic, chosen)
        except SecretInTopic as error:
            context |= {"topic": "", "problem": f"{error.message}."}
        except LedgerError:
            raise
        except GemsearchError as error:
            context |= {"problem": common.line(f"{error.message}. {error.hint}")}
        else:
            context |= _answer(found)
    return await visit.show("explain", context)


def _explained(path: str, topic: str, profile: str) -> Explanation:
    from gemsearch import asking  # start-up: Datasette's, not ours
    from gemsearch.ledger.opening import opened_for_reading

    proposal = asking.Proposal(asking.accepted(topic), profile=profile or None)
    with opened_for_reading(path) as ledger:
        return asking.explain(ledger, proposal, datetime.now(UTC))


def _answer(found: Explanation) -> dict[str, object]:
    match = found.verdict.match
    meaning = common.SIGNALS.get(match.signal, "") if match else ""
    return {
        "topic": common.line(found.verdict.topic),
        "status": found.verdict.status,
        "match": match
        and {
            "gem_id": match.gem_id,
            "topic": common.compared(common.line(match.topic), found.verdict.topic),
            "day": common.line(match.day),
            "signal": match.signal,
            "meaning": meaning,
            "why": common.told(match.why, meaning),
            "learned_from": match.learned_from,
        },
        "judged_by": found.profile,
        "signature": common.line(found.signature),
        "nearest": [_neighbour(near, found.verdict.topic) for near in found.nearest],
        "related": [
            {"id": one.gem_id, "topic": common.line(one.topic), "signal": one.signal}
            for one in found.verdict.related
        ],
    }


def _neighbour(near: Near, topic: str) -> Neighbour:
    return Neighbour(
        near.gem_id,
        common.compared(common.line(near.topic), topic),
        common.line(near.created)[:10],
        common.line(near.contrast),
        ", ".join(near.excepted),
        [_compared(score) for score in near.scores],
    )


def _compared(score: Score) -> Compared:
    return Compared(
        score.signal,
        f"{score.score:.2f} of {score.threshold:.2f}",
        charts.gauge(score.score, score.threshold),
        common.line(score.why),
        score.fires,
    )
