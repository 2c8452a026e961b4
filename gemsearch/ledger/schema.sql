-- The ledger, version 1. One statement a paragraph; a comment line above a table describes it,
-- a comment after a column describes the column. Times are UTC, ISO 8601, to the millisecond.

-- Topics that were novel: each was searched once and kept with its results.
CREATE TABLE gems (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number of the gem, as in "#42"; never used twice
  topic TEXT NOT NULL, -- the text that was proposed and searched for
  signature TEXT NOT NULL, -- the topic's normal form, compared by the query gate
  provider TEXT, -- where the search was run
  agent TEXT, -- who proposed the topic
  session TEXT, -- the agent's own name for its conversation
  project TEXT, -- what the agent was working on
  origin TEXT NOT NULL CHECK (origin IN ('search', 'record', 'hook', 'mcp', 'import', 'history')), -- the door through which it came
  created TEXT NOT NULL, -- when it was recorded
  day TEXT NOT NULL, -- the date part of created, for facets and charts
  result_count INTEGER NOT NULL, -- results stored with it
  reason TEXT, -- why it was forced past a refusal, if it was
  visibility TEXT NOT NULL DEFAULT 'open' CHECK (visibility IN ('open', 'private')) -- private gems are never published
);

-- Sources: one row for each document, however many addresses it came under.
CREATE TABLE urls (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE, -- canonical URL, for comparing only: never shown as a link, never fetched
  url TEXT NOT NULL, -- the address as it was first returned
  host TEXT NOT NULL, -- the key's host
  gem_count INTEGER NOT NULL DEFAULT 0 -- gems that count this source; many make it a hub
);

-- The result lists of the gems, in the provider's order.
CREATE TABLE results (
  id INTEGER PRIMARY KEY,
  gem_id INTEGER NOT NULL REFERENCES gems (id) ON DELETE CASCADE, -- the gem it was found for
  url_id INTEGER REFERENCES urls (id), -- the source, when the source gate counts it: one of the first ten distinct ones
  rank INTEGER NOT NULL, -- place in the list, from 1
  url TEXT, -- the address as returned, when it is not the source's first one
  title TEXT NOT NULL, -- as returned
  snippet TEXT NOT NULL, -- as returned
  published TEXT NOT NULL DEFAULT '', -- the provider's own word for the date
  UNIQUE (gem_id, rank)
);

-- Refusals: topics or result lists that an earlier gem already covered.
CREATE TABLE rejections (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number of the rejection, never used twice
  topic TEXT NOT NULL, -- the text that was refused
  signature TEXT NOT NULL, -- its normal form
  gate TEXT NOT NULL CHECK (gate IN ('query', 'source')), -- query: before the search; source: after it
  signal TEXT NOT NULL CHECK (signal IN ('identical', 'wording', 'subset', 'sequence', 'sources')), -- what fired
  score REAL NOT NULL, -- how strongly it fired
  threshold REAL NOT NULL, -- from where on it fires
  evidence TEXT NOT NULL, -- JSON: what was compared and why it was enough, as decided then
  gem_id INTEGER REFERENCES gems (id) ON DELETE SET NULL, -- the earlier gem
  shared INTEGER, -- source gate: sources in common that counted
  smaller INTEGER, -- source gate: size of the smaller list
  profile TEXT NOT NULL, -- the rules that decided
  enforced INTEGER NOT NULL DEFAULT 1 CHECK (enforced IN (0, 1)), -- 0: only warned
  forced_gem_id INTEGER REFERENCES gems (id) ON DELETE SET NULL, -- the gem that was recorded all the same
  provider TEXT, -- where the refused results came from
  agent TEXT, -- who proposed the topic
  session TEXT, -- the agent's own name for its conversation
  project TEXT, -- what the agent was working on
  origin TEXT NOT NULL CHECK (origin IN ('search', 'record', 'hook', 'mcp', 'import', 'history')), -- the door through which it came
  created TEXT NOT NULL, -- when it was refused
  day TEXT NOT NULL, -- the date part of created
  marked TEXT CHECK (marked IN ('right', 'wrong')), -- a person's judgement of the refusal
  mark_reason TEXT, -- and why
  visibility TEXT NOT NULL DEFAULT 'open' CHECK (visibility IN ('open', 'private')) -- private refusals are never published
);

-- The sources that a refused result list had.
CREATE TABLE rejection_urls (
  rejection_id INTEGER NOT NULL REFERENCES rejections (id) ON DELETE CASCADE, -- the refusal
  url_id INTEGER NOT NULL REFERENCES urls (id), -- one of its sources
  shared INTEGER NOT NULL CHECK (shared IN (0, 1)), -- 1: the earlier gem has it too
  counted INTEGER NOT NULL CHECK (counted IN (0, 1)), -- 1: it counted; a shared hub does not
  PRIMARY KEY (rejection_id, url_id)
) WITHOUT ROWID;

-- Topics that the source gate refused: another wording of an earlier gem, refused by equality from then on.
CREATE TABLE wordings (
  rejection_id INTEGER PRIMARY KEY REFERENCES rejections (id) ON DELETE CASCADE, -- the refusal it was learned from
  signature TEXT NOT NULL, -- the refused topic's normal form
  gem_id INTEGER NOT NULL REFERENCES gems (id) ON DELETE CASCADE, -- the gem that covers it
  created TEXT NOT NULL, -- when it was learned
  expires TEXT NOT NULL -- from then on the topic may be searched again
);

-- How many gems have each word, counted without its ending: rare words tell more than common ones.
CREATE TABLE words (
  word TEXT PRIMARY KEY, -- the word without the ending of its plural, -ing or -ed
  gems INTEGER NOT NULL -- gems whose topic has it
) WITHOUT ROWID;

-- Refusals that a person overruled: this signal no longer lets this gem refuse this topic.
CREATE TABLE exceptions (
  rejection_id INTEGER PRIMARY KEY REFERENCES rejections (id) ON DELETE CASCADE, -- the refusal that was wrong
  signature TEXT NOT NULL, -- the refused topic's normal form
  gem_id INTEGER NOT NULL REFERENCES gems (id) ON DELETE CASCADE, -- the gem that must not refuse it
  signal TEXT NOT NULL, -- the signal that fired
  created TEXT NOT NULL -- when it was overruled
);

-- Every attempt, and what became of it. An open row with a live lease is a search under way.
CREATE TABLE searches (
  id INTEGER PRIMARY KEY,
  agent TEXT, -- who proposed the topic
  session TEXT, -- the agent's own name for its conversation
  call_id TEXT, -- the agent's own name for the call
  topic_no INTEGER NOT NULL DEFAULT 0, -- which topic of a call that has several
  project TEXT, -- what the agent was working on
  topic TEXT NOT NULL, -- the proposed text
  signature TEXT NOT NULL, -- its normal form
  state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'recorded', 'refused', 'empty', 'failed', 'released')), -- answered: results are here, not yet judged
  provider TEXT, -- where it was run
  error TEXT, -- the kind of failure
  lease_until TEXT, -- open and answered rows hold the topic until then
  answer TEXT, -- JSON: the results, kept from the answer until the verdict
  gem_id INTEGER REFERENCES gems (id) ON DELETE SET NULL, -- the gem it became
  rejection_id INTEGER REFERENCES rejections (id) ON DELETE SET NULL, -- the refusal it became
  created TEXT NOT NULL, -- when it was proposed
  origin TEXT NOT NULL CHECK (origin IN ('search', 'record', 'hook', 'mcp', 'import', 'history')) -- the door through which it came
);

-- Throttling that all processes share.
CREATE TABLE providers_state (
  provider TEXT PRIMARY KEY, -- name of the provider
  next_slot REAL NOT NULL DEFAULT 0, -- Unix time before which no request is sent
  cooldown_until REAL NOT NULL DEFAULT 0, -- Unix time until which it is left alone
  kind TEXT -- why: rate_limited, quota ...
) WITHOUT ROWID;

-- Logs of agents that were read, and how far.
CREATE TABLE history_files (
  path TEXT PRIMARY KEY, -- the log
  position INTEGER NOT NULL, -- bytes or rows read
  fingerprint TEXT NOT NULL, -- tells a grown log from a new one of the same name
  read_at TEXT NOT NULL -- when it was last read
) WITHOUT ROWID;

-- What the gates need to know besides the gems.
CREATE TABLE settings (
  name TEXT PRIMARY KEY, -- such as gate.profile
  value TEXT NOT NULL -- as text
) WITHOUT ROWID;

-- Reserved for RETSim; nothing writes here yet. In the shape that the llm tool uses.
CREATE TABLE collections (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE, -- what was embedded
  model TEXT NOT NULL -- by which model
);

-- Reserved for RETSim; nothing writes here yet. In the shape that the llm tool uses.
CREATE TABLE embeddings (
  collection_id INTEGER NOT NULL REFERENCES collections (id), -- the collection it belongs to
  id TEXT NOT NULL, -- the embedded row
  embedding BLOB, -- little-endian 32-bit floats
  content TEXT, -- the embedded text
  content_hash BLOB, -- MD5 of it
  metadata TEXT, -- JSON
  updated INTEGER, -- Unix time
  PRIMARY KEY (collection_id, id)
);

CREATE INDEX gems_signature ON gems (signature);

CREATE INDEX gems_day ON gems (day);

CREATE INDEX gems_provider ON gems (provider);

CREATE INDEX gems_agent ON gems (agent);

CREATE INDEX gems_project ON gems (project);

CREATE INDEX gems_origin ON gems (origin);

CREATE INDEX urls_host ON urls (host);

CREATE INDEX urls_gem_count ON urls (gem_count);

CREATE INDEX results_url ON results (url_id, gem_id);

CREATE INDEX rejections_gem ON rejections (gem_id);

CREATE INDEX rejections_forced_gem ON rejections (forced_gem_id);

CREATE INDEX rejections_day ON rejections (day);

CREATE INDEX rejections_gate ON rejections (gate);

CREATE INDEX rejections_signal ON rejections (signal);

CREATE INDEX rejections_agent ON rejections (agent);

CREATE INDEX rejections_project ON rejections (project);

CREATE INDEX rejections_origin ON rejections (origin);

CREATE INDEX rejections_provider ON rejections (provider);

CREATE INDEX rejection_urls_url ON rejection_urls (url_id);

CREATE INDEX wordings_signature ON wordings (signature);

CREATE INDEX wordings_gem ON wordings (gem_id);

CREATE INDEX exceptions_signature ON exceptions (signature);

CREATE INDEX exceptions_gem ON exceptions (gem_id);

CREATE INDEX searches_open ON searches (state, lease_until) WHERE state IN ('open', 'answered');

CREATE UNIQUE INDEX searches_call ON searches (coalesce(agent, ''), coalesce(session, ''), call_id, topic_no) WHERE call_id IS NOT NULL;

CREATE INDEX searches_gem ON searches (gem_id);

CREATE INDEX searches_rejection ON searches (rejection_id);

CREATE VIRTUAL TABLE [gems_fts] USING FTS5 ([topic], tokenize='porter unicode61', content=[gems]);

CREATE VIRTUAL TABLE [results_fts] USING FTS5 ([title], [snippet], tokenize='porter unicode61', content=[results]);

CREATE VIRTUAL TABLE [rejections_fts] USING FTS5 ([topic], tokenize='porter unicode61', content=[rejections]);

CREATE TRIGGER gems_ai AFTER INSERT ON gems BEGIN
  INSERT INTO gems_fts (rowid, topic) VALUES (new.id, new.topic);
END;

CREATE TRIGGER gems_ad AFTER DELETE ON gems BEGIN
  INSERT INTO gems_fts (gems_fts, rowid, topic) VALUES ('delete', old.id, old.topic);
END;

CREATE TRIGGER gems_au AFTER UPDATE OF id, topic ON gems BEGIN
  INSERT INTO gems_fts (gems_fts, rowid, topic) VALUES ('delete', old.id, old.topic);
  INSERT INTO gems_fts (rowid, topic) VALUES (new.id, new.topic);
END;

CREATE TRIGGER results_ai AFTER INSERT ON results BEGIN
  INSERT INTO results_fts (rowid, title, snippet) VALUES (new.id, new.title, new.snippet);
END;

CREATE TRIGGER results_ad AFTER DELETE ON results BEGIN
  INSERT INTO results_fts (results_fts, rowid, title, snippet) VALUES ('delete', old.id, old.title, old.snippet);
END;

CREATE TRIGGER results_au AFTER UPDATE OF id, title, snippet ON results BEGIN
  INSERT INTO results_fts (results_fts, rowid, title, snippet) VALUES ('delete', old.id, old.title, old.snippet);
  INSERT INTO results_fts (rowid, title, snippet) VALUES (new.id, new.title, new.snippet);
END;

CREATE TRIGGER rejections_ai AFTER INSERT ON rejections BEGIN
  INSERT INTO rejections_fts (rowid, topic) VALUES (new.id, new.topic);
END;

CREATE TRIGGER rejections_ad AFTER DELETE ON rejections BEGIN
  INSERT INTO rejections_fts (rejections_fts, rowid, topic) VALUES ('delete', old.id, old.topic);
END;

CREATE TRIGGER rejections_au AFTER UPDATE OF id, topic ON rejections BEGIN
  INSERT INTO rejections_fts (rejections_fts, rowid, topic) VALUES ('delete', old.id, old.topic);
  INSERT INTO rejections_fts (rowid, topic) VALUES (new.id, new.topic);
END;

-- Every refusal beside the gem that caused it.
CREATE VIEW duplicates AS
SELECT
  rejections.id AS rejection_id,
  rejections.topic AS refused_topic,
  gems.topic AS covered_by,
  rejections.gate,
  rejections.signal,
  rejections.score,
  rejections.threshold,
  rejections.created AS refused,
  gems.created AS first_found,
  rejections.gem_id
FROM rejections LEFT JOIN gems ON gems.id = rejections.gem_id;

-- Sources that more than one gem counts.
CREATE VIEW recurring_sources AS
SELECT urls.id AS url_id, urls.url, urls.host, urls.gem_count
FROM urls
WHERE urls.gem_count > 1;
