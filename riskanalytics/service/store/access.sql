-- Keys and the queue of corrections: beside the database, since that changes by reviews only.

CREATE TABLE IF NOT EXISTS secret (id INTEGER PRIMARY KEY CHECK (id = 1), pepper BLOB NOT NULL);

CREATE TABLE IF NOT EXISTS subscription (
  id INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  tier TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,        -- of the key
  started_at TEXT NOT NULL,
  ended_at TEXT                       -- NULL while it is active
);

CREATE TABLE IF NOT EXISTS correction (
  id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  state TEXT NOT NULL,                -- queued, running, done, failed
  requested_at TEXT NOT NULL,
  finished_at TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL DEFAULT '{}'  -- JSON
);
CREATE INDEX IF NOT EXISTS correction_by_state ON correction (state, platform);

CREATE TABLE IF NOT EXISTS repeat (digest BLOB PRIMARY KEY, correction TEXT NOT NULL) WITHOUT ROWID;
