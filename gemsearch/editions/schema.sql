-- An edition, version 1. One statement a paragraph; a comment line above a table describes it,
-- a comment after a column describes the column. What is private in the ledger has no column here.

-- Topics that were novel: each was searched once and kept with its results.
CREATE TABLE gems (
  id INTEGER PRIMARY KEY, -- number of the gem in this edition
  topic TEXT NOT NULL, -- the text that was proposed and searched for
  signature TEXT NOT NULL, -- the topic's normal form, compared by the query gate
  provider TEXT, -- where the search was run
  day TEXT NOT NULL, -- when it was recorded
  result_count INTEGER NOT NULL -- results published with it
);

-- Sources: one row for each document, however many addresses it came under.
CREATE TABLE urls (
  id INTEGER PRIMARY KEY, -- number of the source in this edition
  url TEXT NOT NULL, -- the address under which a published search first returned it
  host TEXT NOT NULL, -- its host
  gem_count INTEGER NOT NULL DEFAULT 0 -- gems of this edition that have it; many make it a hub
);

-- The result lists of the gems, in the provider's order.
CREATE TABLE results (
  id INTEGER PRIMARY KEY, -- number of the result in this edition
  gem_id INTEGER NOT NULL REFERENCES gems (id), -- the gem it was found for
  url_id INTEGER REFERENCES urls (id), -- the source, when the source gate counts it
  rank INTEGER NOT NULL, -- place among the published results, from 1
  title TEXT NOT NULL, -- as returned
  snippet TEXT NOT NULL, -- as returned
  published TEXT NOT NULL, -- the provider's own word for the date
  UNIQUE (gem_id, rank)
);

-- Refusals: topics or result lists that an earlier gem already covered.
CREATE TABLE rejections (
  id INTEGER PRIMARY KEY, -- number of the rejection in this edition
  topic TEXT NOT NULL, -- the text that was refused
  signature TEXT NOT NULL, -- its normal form
  gate TEXT NOT NULL, -- query: before the search; source: after it
  signal TEXT NOT NULL, -- what fired
  score REAL NOT NULL, -- how strongly it fired
  threshold REAL NOT NULL, -- from where on it fires
  gem_id INTEGER NOT NULL REFERENCES gems (id), -- the earlier gem
  shared INTEGER, -- source gate: sources in common that counted
  smaller INTEGER, -- source gate: size of the smaller list
  day TEXT NOT NULL -- when it was refused
);

-- The sources that a refused result list had.
CREATE TABLE rejection_urls (
  rejection_id INTEGER NOT NULL REFERENCES rejections (id), -- the refusal
  url_id INTEGER NOT NULL REFERENCES urls (id), -- one of its sources
  shared INTEGER NOT NULL, -- 1: the earlier gem has it too
  counted INTEGER NOT NULL, -- 1: it counted; a shared hub does not
  PRIMARY KEY (rejection_id, url_id)
) WITHOUT ROWID;

-- What the edition says of itself.
CREATE TABLE edition (
  name TEXT PRIMARY KEY, -- such as title
  value TEXT NOT NULL -- as text
) WITHOUT ROWID;

CREATE INDEX gems_day ON gems (day);

CREATE INDEX gems_provider ON gems (provider);

CREATE INDEX urls_host ON urls (host);

CREATE INDEX urls_gem_count ON urls (gem_count);

CREATE INDEX results_url ON results (url_id, gem_id);

CREATE INDEX rejections_gem ON rejections (gem_id);

CREATE INDEX rejections_day ON rejections (day);

CREATE INDEX rejections_gate ON rejections (gate);

CREATE INDEX rejections_signal ON rejections (signal);

CREATE INDEX rejection_urls_url ON rejection_urls (url_id);

CREATE VIRTUAL TABLE [gems_fts] USING FTS5 ([topic], tokenize='porter unicode61', content=[gems]);

CREATE VIRTUAL TABLE [results_fts] USING FTS5 (
  [title],
  [snippet],
  tokenize='porter unicode61', content=[results]
);

CREATE VIRTUAL TABLE [rejections_fts] USING FTS5 ([topic], tokenize='porter unicode61', content=[rejections]);
