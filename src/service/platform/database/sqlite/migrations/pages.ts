/**
 * For the pages: the sessions of browsers, found by the hash of their token; and indexes for finding trails by the
 * beginning of their name, and the first snapshot with the current verdict.
 */
export const pages = `
CREATE TABLE sessions (
  org TEXT NOT NULL,
  token_hash BLOB NOT NULL UNIQUE,
  key_id TEXT NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  PRIMARY KEY (org, token_hash),
  FOREIGN KEY (org, key_id) REFERENCES api_keys
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_key ON sessions (org, key_id, created_at);

CREATE INDEX trails_by_name ON trails (org, name, flow);
CREATE INDEX snapshots_by_verdict ON snapshots (org, environment, compliant, number);
`;
