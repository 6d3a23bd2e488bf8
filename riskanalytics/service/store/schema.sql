-- One database holds one or more collections: snapshots, their readings, and what reviews made of them.
-- Times are ISO 8601 UTC with a trailing Z and whole seconds, so that text order is time order.
-- Keys, rate windows and queues live in a second file beside this one: this file changes by reviews only.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,              -- bytes before compression
  body BLOB NOT NULL,                 -- zlib
  rules TEXT                          -- version of the rules that read it; NULL: not read
);

CREATE TABLE platform (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  website TEXT,
  collection TEXT NOT NULL,
  folder TEXT NOT NULL,
  UNIQUE (collection, folder)
);

CREATE TABLE document (
  id INTEGER PRIMARY KEY,
  platform_id INTEGER NOT NULL REFERENCES platform,
  name TEXT NOT NULL,
  url TEXT,                           -- of the vendor's page; NULL where none is told
  UNIQUE (platform_id, name)
);

CREATE TABLE capture (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES document,
  captured_at TEXT NOT NULL,
  revision TEXT NOT NULL,             -- commit of the archive, or the dated file's name
  sequence INTEGER NOT NULL,          -- place in the archive's history: orders captures of one second
  kind TEXT NOT NULL,                 -- first, change, technical, other: what the archive called it
  snapshot_id INTEGER NOT NULL REFERENCES snapshot,
  archive_url TEXT,                   -- public link for people; NULL where none is known
  sources TEXT NOT NULL DEFAULT '[]', -- what the archive says it was made from, JSON array of text
  state TEXT,                         -- good, broken, not_a_policy; NULL: not reviewed yet
  state_check TEXT,                   -- name of the check that decided
  UNIQUE (document_id, revision)
);
CREATE INDEX capture_by_time ON capture (document_id, captured_at, sequence);
CREATE INDEX capture_by_snapshot ON capture (snapshot_id);

CREATE TABLE clause (id INTEGER PRIMARY KEY, quote TEXT NOT NULL, digest BLOB NOT NULL UNIQUE);

CREATE TABLE finding (                -- what one snapshot says, whoever's it is
  id INTEGER PRIMARY KEY,
  snapshot_id INTEGER NOT NULL REFERENCES snapshot,
  clause_id INTEGER NOT NULL REFERENCES clause,
  surface TEXT NOT NULL,
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  risk TEXT NOT NULL,
  polarity TEXT NOT NULL,
  rule TEXT NOT NULL,
  confidence REAL NOT NULL,
  confidence_low REAL NOT NULL,
  confidence_high REAL NOT NULL,
  audience TEXT,
  region TEXT,
  product TEXT,
  stance TEXT,
  actor TEXT,                         -- who does what to what, and when, as the clause says it
  action TEXT,
  object TEXT,
  condition TEXT,
  lead_in TEXT,                       -- what the clause continues; NULL: it stands alone
  lead_start INTEGER,
  lead_end INTEGER
);
CREATE INDEX finding_by_snapshot ON finding (snapshot_id, surface, start);
CREATE INDEX finding_by_clause ON finding (clause_id);

-- clauses worth reading that are no findings: a table of their own, so that nothing counts them unasked
CREATE TABLE lead AS SELECT * FROM finding WHERE 0;
CREATE INDEX lead_by_snapshot ON lead (snapshot_id);

CREATE TABLE state (                  -- a platform from one review to the next
  platform_id INTEGER NOT NULL REFERENCES platform,
  valid_from TEXT NOT NULL,           -- captured_at of the capture that caused the review
  rating TEXT NOT NULL,
  risk_reason TEXT NOT NULL,
  verification TEXT NOT NULL,
  stance TEXT NOT NULL,
  consumer_stance TEXT,
  business_stance TEXT,
  stance_decided_by TEXT NOT NULL,    -- JSON: public ids of findings
  surfaces TEXT NOT NULL,             -- JSON: surface -> {count, risk, decided_by, explanation}
  rules TEXT NOT NULL,                -- JSON: rules of the rating that applied
  citation_count INTEGER NOT NULL,
  documents TEXT NOT NULL,            -- JSON: [{document, captured_at, snapshot_sha256, state, check, archive_url, newest_capture_at}]
  PRIMARY KEY (platform_id, valid_from)
) WITHOUT ROWID;

CREATE TABLE change (
  id TEXT PRIMARY KEY,
  platform_id INTEGER NOT NULL REFERENCES platform,
  document_id INTEGER NOT NULL REFERENCES document,
  capture_before INTEGER NOT NULL REFERENCES capture,
  capture_after INTEGER NOT NULL REFERENCES capture,
  reviewed_at TEXT NOT NULL,
  class TEXT NOT NULL,
  surfaces TEXT NOT NULL,             -- JSON array
  direction TEXT NOT NULL,
  rating_before TEXT, rating_after TEXT,
  stance_before TEXT, stance_after TEXT,
  added TEXT NOT NULL, removed TEXT NOT NULL, altered TEXT NOT NULL, cause TEXT NOT NULL, -- JSON arrays
  summary TEXT NOT NULL,
  directions TEXT NOT NULL DEFAULT '{}' -- JSON: surface -> up, down, mixed or none
);
CREATE INDEX change_by_time ON change (reviewed_at DESC, id);
CREATE INDEX change_by_platform ON change (platform_id, reviewed_at);

CREATE TABLE live_finding (           -- findings of each platform's newest state, as search sees them
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,            -- public id
  platform_id INTEGER NOT NULL REFERENCES platform,
  capture_id INTEGER NOT NULL REFERENCES capture,
  finding_id INTEGER NOT NULL REFERENCES finding,
  surface TEXT NOT NULL,
  conflicts_with TEXT NOT NULL DEFAULT '[]', -- JSON array of public ids
  duplicate_of TEXT
);
CREATE INDEX live_by_platform ON live_finding (platform_id, surface);

CREATE VIRTUAL TABLE live_search USING fts5 (
  words,                              -- the quote, characters of scripts without spaces set apart
  tokenize = "porter unicode61 remove_diacritics 2"
);
