"""The canned queries: questions that people ask of their refusals.

Each answers with empty parameters too, which arrive as '' when they are missing, and needs none of
our SQL functions, so that metadata.yml can carry it to a Datasette without this plugin. An edition
lacks the private columns: a query is offered there if it compiles, in `for_edition` where the
ledger's own text can't.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gemsearch.ledger.statistics import TOKENS_PER_SEARCH


class Query(NamedTuple):
    name: str
    title: str
    description: str
    sql: str
    for_edition: str = ""

    def in_metadata(self, sql: str = "") -> dict[str, str | bool]:
        """The query as Datasette's configuration has it."""
        return {
            "title": self.title,
            "description": self.description,
            "hide_sql": True,
            "sql": sql or self.sql,
        }


NEWEST_REFUSALS = 50_000
NEWEST_GEMS = 500  # pairs are looked for among so many, or a large ledger would run out of time


def parameters(sql: str) -> list[str]:
    """The names of a query's parameters, as Datasette finds them: in its quoted texts too."""
    return list(dict.fromkeys(re.findall(r":([a-z_]+)", sql)))


def _number(name: str, default: int) -> str:
    """A parameter as a number; a missing one is ''."""
    return f"CAST(coalesce(nullif(:{name}, ''), {default}) AS INTEGER)"


def _words(name: str) -> str:
    """A parameter as quoted words for MATCH: Datasette's escape_fts() stumbles on a lone quote."""
    return f"""'"' || replace(replace(trim(:{name}), '"', ' '), ' ', '" "') || '"'"""


def _limit(default: int = 50) -> str:
    return f"LIMIT max(0, {_number('limit', default)})"


_EVIDENCE = """\
  CASE WHEN json_valid(rejections.evidence)
    THEN json_extract(rejections.evidence, '$.why') END AS why,
"""

_WHY_REFUSED = f"""
SELECT
  rejections.id AS rejection_id,
  rejections.topic AS refused_topic,
  gems.topic AS covered_by,
  rejections.gem_id,
  rejections.gate,
  rejections.signal,
  round(rejections.score, 3) AS score,
  rejections.threshold,
  rejections.shared AS shared_sources,
{_EVIDENCE}  rejections.day
FROM rejections LEFT JOIN gems ON gems.id = rejections.gem_id
WHERE trim(:topic) = ''
  OR rejections.id IN (
    SELECT rowid FROM rejections_fts WHERE rejections_fts MATCH {_words("topic")}
  )
ORDER BY rejections.id DESC
{_limit()}
"""

_BY_SIGNAL = """
SELECT
  gate,
  signal,
  count(*) AS refusals,
  round(100.0 * count(*) / (SELECT count(*) FROM rejections), 1) AS percent,
  round(min(score), 3) AS lowest_score,
  round(avg(score), 3) AS average_score,
  round(max(score), 3) AS highest_score,
  max(day) AS last_day
FROM rejections NOT INDEXED -- one walk through the table is faster than all of an index
GROUP BY gate, signal
ORDER BY refusals DESC
"""

_BY_DAY = f"""
SELECT
  day,
  count(*) AS refusals,
  sum(signal = 'identical') AS identical,
  sum(signal = 'subset') AS subset,
  sum(signal = 'sequence') AS sequence,
  sum(signal = 'wording') AS wording,
  sum(signal = 'sources') AS sources
FROM rejections
WHERE day >= :since
GROUP BY day
ORDER BY day DESC
{_limit(100)}
"""

_GEMS_THAT_REFUSE = f"""
WITH refusing AS (
  SELECT gem_id, count(*) AS refusals
  FROM rejections
  WHERE gem_id IS NOT NULL
  GROUP BY gem_id
  ORDER BY refusals DESC, gem_id
  {_limit()}
)
SELECT
  refusing.gem_id,
  gems.topic,
  refusing.refusals,
  (
    SELECT group_concat(DISTINCT signal) FROM rejections WHERE rejections.gem_id = refusing.gem_id
  ) AS signals,
  (SELECT max(day) FROM rejections WHERE rejections.gem_id = refusing.gem_id) AS last_refusal,
  gems.day AS found
FROM refusing JOIN gems ON gems.id = refusing.gem_id
ORDER BY refusing.refusals DESC, refusing.gem_id
"""

_RECURRING = f"""
WITH recurring AS (
  SELECT id, url, host, gem_count
  FROM urls
  WHERE gem_count > 1 AND (:host = '' OR host = :host)
  ORDER BY gem_count DESC, id
  {_limit()}
)
SELECT
  recurring.id AS url_id,
  recurring.url,
  recurring.host,
  recurring.gem_count,
  (
    SELECT group_concat('#' || gem_id || ' ' || topic, char(10))
    FROM (
      SELECT DISTINCT results.gem_id, gems.topic
      FROM results JOIN gems ON gems.id = results.gem_id
      WHERE results.url_id = recurring.id
      ORDER BY results.gem_id
      LIMIT 12
    )
  ) AS gems
FROM recurring
ORDER BY recurring.gem_count DESC, recurring.id
"""

_MISSED = f"""
WITH newest AS (
  SELECT id, topic, day FROM gems ORDER BY id DESC LIMIT max(0, {_number("newest", NEWEST_GEMS)})
),
pairs AS (
  SELECT
    newest.id AS later,
    older.gem_id AS earlier,
    count(DISTINCT mine.url_id) AS shared_sources,
    group_concat(DISTINCT urls.host) AS hosts
  FROM newest -- in this order: SQLite would begin with all the sources
  CROSS JOIN results AS mine ON mine.gem_id = newest.id
  CROSS JOIN urls ON urls.id = mine.url_id AND urls.gem_count BETWEEN 2 AND 50
  CROSS JOIN results AS older ON older.url_id = mine.url_id AND older.gem_id < mine.gem_id
  GROUP BY newest.id, older.gem_id
  HAVING shared_sources >= {_number("shared", 2)}
)
SELECT
  pairs.shared_sources,
  later.id AS gem_id,
  later.topic,
  earlier.id AS earlier_gem_id,
  earlier.topic AS earlier_topic,
  pairs.hosts,
  later.day,
  earlier.day AS earlier_day
FROM pairs
JOIN gems AS later ON later.id = pairs.later
JOIN gems AS earlier ON earlier.id = pairs.earlier
/* not refused */
ORDER BY pairs.shared_sources DESC, later.id DESC
{_limit()}
"""

# The pair was refused, and somebody recorded the topic all the same: that is not missed.
_NOT_FORCED = """WHERE NOT EXISTS (
  SELECT 1 FROM rejections
  WHERE rejections.forced_gem_id = pairs.later AND rejections.gem_id = pairs.earlier
)"""

_NEAR_THRESHOLD = f"""
SELECT
  rejections.id AS rejection_id,
  rejections.topic AS refused_topic,
  gems.topic AS covered_by,
  rejections.gem_id,
  rejections.signal,
  round(rejections.score, 3) AS score,
  rejections.threshold,
  round(rejections.score - rejections.threshold, 3) AS above,
  rejections.shared AS shared_sources,
  rejections.day
FROM rejections LEFT JOIN gems ON gems.id = rejections.gem_id
WHERE rejections.signal IN ('sequence', 'sources')
  AND rejections.score - rejections.threshold
    <= CAST(coalesce(nullif(:within, ''), 0.05) AS REAL)
ORDER BY above, rejections.id DESC
{_limit()}
"""

_SEARCHED_LATER = f"""
SELECT
  rejections.id, rejections.topic, rejections.gem_id, rejections.signal, rejections.day,
  'recorded later all the same, as #' || min(gems.id)
FROM (SELECT * FROM rejections ORDER BY id DESC LIMIT {NEWEST_GEMS * 20}) AS rejections
JOIN gems ON gems.signature = rejections.signature AND gems.id > rejections.gem_id
GROUP BY rejections.id"""

_BARELY = f"""
SELECT
  id, topic, gem_id, signal, day,
  'barely above the threshold: ' || round(score, 3) || ' of ' || threshold
FROM (SELECT * FROM rejections ORDER BY id DESC LIMIT {NEWEST_GEMS * 20})
WHERE signal = 'sequence' AND score - threshold <= 0.03
UNION ALL
SELECT id, topic, gem_id, signal, day, 'a single word'
FROM (SELECT * FROM rejections ORDER BY id DESC LIMIT {NEWEST_GEMS * 20})
WHERE signal = 'subset' AND instr(trim(topic), ' ') = 0"""

_OVERRULED = """
SELECT id, topic, gem_id, signal, day,
  'marked wrong' || coalesce(': ' || mark_reason, '')
FROM rejections WHERE marked = 'wrong'
UNION ALL
SELECT id, topic, gem_id, signal, day, 'forced past, recorded as #' || forced_gem_id
FROM rejections WHERE forced_gem_id IS NOT NULL"""


def _doubtful(*kinds: str) -> str:
    return f"""
WITH doubtful (rejection_id, refused_topic, gem_id, signal, day, doubt) AS (
{" UNION ALL ".join(kinds)}
)
SELECT
  doubtful.rejection_id,
  doubtful.refused_topic,
  gems.topic AS covered_by,
  doubtful.gem_id,
  doubtful.signal,
  group_concat(doubtful.doubt, '; ') AS doubts,
  doubtful.day
FROM doubtful LEFT JOIN gems ON gems.id = doubtful.gem_id
GROUP BY doubtful.rejection_id
ORDER BY doubtful.rejection_id DESC
{_limit()}
"""


_WORDINGS = f"""
SELECT
  rejections.topic AS learned_wording,
  gems.topic AS another_wording_of,
  wordings.gem_id,
  wordings.rejection_id,
  (
    SELECT count(*) FROM rejections AS later
    WHERE later.signal = 'wording' AND later.signature = wordings.signature
      AND later.gem_id = wordings.gem_id
  ) AS refused_since,
  wordings.created AS learned,
  wordings.expires
FROM wordings
JOIN rejections ON rejections.id = wordings.rejection_id
JOIN gems ON gems.id = wordings.gem_id
ORDER BY wordings.rejection_id DESC
{_limit()}
"""

_AGAIN = f"""
SELECT
  max(topic) AS topic,
  count(*) AS refusals,
  group_concat(DISTINCT signal) AS signals,
  max(gem_id) AS gem_id,
  max(id) AS rejection_id,
  min(day) AS first_day,
  max(day) AS last_day
FROM (SELECT * FROM rejections ORDER BY id DESC LIMIT {NEWEST_REFUSALS})
GROUP BY signature
HAVING refusals > 1
ORDER BY refusals DESC, rejection_id DESC
{_limit()}
"""

_FAILED = f"""
SELECT
  searches.topic,
  searches.state,
  searches.error,
  searches.provider,
  searches.agent,
  searches.project,
  searches.created
FROM searches
WHERE searches.state IN ('failed', 'empty')
ORDER BY searches.id DESC
{_limit()}
"""

_AVOIDED = f"""
SELECT
  day,
  sum(gate = 'query') AS searches_avoided,
  sum(gate = 'source') AS result_lists_withheld,
  count(*) * {_number("tokens_per_search", TOKENS_PER_SEARCH)} AS estimated_tokens_avoided
FROM rejections
WHERE enforced AND forced_gem_id IS NULL
GROUP BY day
ORDER BY day DESC
{_limit(100)}
"""

_SAME_CONTENT = f"""
WITH recent AS (
  SELECT results.id, results.gem_id, results.url_id, results.title
  FROM results
  WHERE results.gem_id > (SELECT coalesce(max(id), 0) FROM gems)
      - {_number("newest", NEWEST_GEMS * 2)}
    AND results.url_id IS NOT NULL AND length(results.title) > 12
)
SELECT
  recent.title,
  count(DISTINCT recent.url_id) AS sources,
  count(DISTINCT recent.gem_id) AS gems,
  group_concat(DISTINCT urls.host) AS hosts,
  min(recent.gem_id) AS earlier_gem_id,
  max(recent.gem_id) AS gem_id
FROM recent JOIN urls ON urls.id = recent.url_id
GROUP BY lower(recent.title)
HAVING sources > 1 AND gems > 1
ORDER BY gems DESC, sources DESC, gem_id DESC
{_limit()}
"""

_RECENT_GEMS = f"""
SELECT
  gems.id AS gem_id,
  'tag' || char(58) || 'gemsearch,' || gems.day || char(58) || gems.id AS atom_id,
  gems.topic AS atom_title,
  gems.created AS atom_updated,
  gems.result_count || ' results' || coalesce(' from ' || gems.provider, '') AS atom_content
FROM gems
ORDER BY gems.id DESC
{_limit(30)}
"""

QUERIES = (
    Query(
        "why_refused",
        "Why was this topic refused?",
        "Refusals that have all words of the topic, newest first: the gem that covers it, the"
        " signal that fired, its score against the threshold. Without a topic, the latest.",
        _WHY_REFUSED,
        _WHY_REFUSED.replace(_EVIDENCE, ""),
    ),
    Query(
        "rejections_by_signal",
        "Refusals by signal",
        "Which comparison refuses how often, with the range of its scores.",
        _BY_SIGNAL,
    ),
    Query(
        "rejections_by_day",
        "Refusals by day",
        "Refusals of each day by signal; since: a day such as 2026-05-11, empty for all.",
        _BY_DAY,
    ),
    Query(
        "gems_that_refuse_most",
        "Gems that refuse most",
        "Earlier topics that agents keep coming back to, and the signals that caught them.",
        _GEMS_THAT_REFUSE,
    ),
    Query(
        "sources_that_recur",
        "Sources that recur most, and the gems they tie together",
        "Sources found for more than one gem, up to 12 of those gems each. Very common ones are"
        " hubs: they do not count. host: only this host, such as github.com.",
        _RECURRING,
    ),
    Query(
        "missed_duplicates",
        "Gems that share sources: missed duplicates",
        f"Pairs of gems that were both recorded although they share sources (2 or more; hubs of"
        f" over 50 gems left out), with a pair's later gem among the newest {NEWEST_GEMS}."
        " shared: fewest sources in common; newest: how many gems to look at.",
        _MISSED.replace("/* not refused */", _NOT_FORCED),
        _MISSED.replace("/* not refused */\n", ""),
    ),
    Query(
        "near_threshold",
        "Near-threshold decisions",
        "Refusals whose score hardly passed the threshold: the first to look at before it is"
        " moved. within: distance from the threshold, 0.05 by default.",
        _NEAR_THRESHOLD,
    ),
    Query(
        "possible_false_refusals",
        "Possible false refusals",
        f"Refusals that a person overruled or forced past, and, of the newest {NEWEST_GEMS * 20:,},"
        " those whose topic was recorded later all the same, hardly passed the threshold, or are a"
        " single word.",
        _doubtful(_SEARCHED_LATER, _BARELY, _OVERRULED),
        _doubtful(_BARELY),
    ),
    Query(
        "wordings_learned",
        "Wordings learned",
        "Topics that the source gate refused: since then the query gate refuses them by equality,"
        " before any search, until they expire.",
        _WORDINGS,
    ),
    Query(
        "refused_again_and_again",
        "Topics refused again and again",
        "Topics that were proposed again after their first refusal: an agent that does not read"
        " the answer, or a need that the gem does not meet. Looks at the newest"
        f" {NEWEST_REFUSALS:,} refusals.",
        _AGAIN,
        _AGAIN.replace("GROUP BY signature", "GROUP BY lower(topic)"),
    ),
    Query(
        "failed_or_empty_searches",
        "Searches that failed or found nothing",
        "They made no gem and block nothing: the same topic may be searched again.",
        _FAILED,
    ),
    Query(
        "repeats_avoided",
        "Repeats avoided by day",
        "Searches that the query gate saved, result lists that the source gate kept from the"
        f" agent, and tokens by an estimate of {TOKENS_PER_SEARCH:,} for each, unless you give"
        " another tokens_per_search. Warnings and forced searches are not counted.",
        _AVOIDED,
        _AVOIDED.replace("WHERE enforced AND forced_gem_id IS NULL\n", ""),
    ),
    Query(
        "same_content_new_urls",
        "Candidates for the same content under new URLs",
        f"Equal titles under different sources among the newest {NEWEST_GEMS * 2:,} gems: what a"
        " comparison of content, such as embeddings, would find and the source gate can't.",
        _SAME_CONTENT,
    ),
    Query(
        "recent_gems",
        "Recent gems",
        "The newest gems, with the columns that datasette-atom needs: with it installed, a feed"
        " at recent_gems.atom.",
        _RECENT_GEMS,
        _RECENT_GEMS.replace("gems.created AS", "gems.day || 'T00:00:00Z' AS"),
    ),
)
