import { commonTables } from '../../common-tables.ts';

/** Organizations, keys, flows, trails, attestations and artifacts. */
export const base = `
CREATE TABLE organizations (
  org TEXT NOT NULL PRIMARY KEY,
  created_at REAL NOT NULL
) STRICT;

CREATE TABLE api_keys (
  org TEXT NOT NULL REFERENCES organizations,
  id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  role TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  created_at REAL NOT NULL,
  revoked_at REAL,
  PRIMARY KEY (org, id)
) STRICT;

${commonTables.flows.sqlite}

CREATE TABLE trails (
  org TEXT NOT NULL,
  flow TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at REAL NOT NULL,
  PRIMARY KEY (org, flow, name),
  FOREIGN KEY (org, flow) REFERENCES flows
) STRICT;

CREATE TABLE attestations (
  org TEXT NOT NULL,
  flow TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  trail TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  verdict TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at REAL NOT NULL,
  reported_by TEXT NOT NULL,
  attachment_filename TEXT,
  attachment_digest TEXT,
  attachment_size INTEGER,
  document TEXT NOT NULL,
  PRIMARY KEY (org, flow, sequence),
  FOREIGN KEY (org, flow, trail) REFERENCES trails
) STRICT;
CREATE UNIQUE INDEX attestations_by_id ON attestations (org, id);
CREATE INDEX attestations_by_trail ON attestations (org, flow, trail, sequence);
CREATE INDEX attestations_by_digest ON attestations (attachment_digest) WHERE attachment_digest IS NOT NULL;

${commonTables.currentEvidence.sqlite}

CREATE TABLE artifacts (
  org TEXT NOT NULL,
  flow TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  trail TEXT NOT NULL,
  id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at REAL NOT NULL,
  reported_by TEXT NOT NULL,
  report TEXT NOT NULL,
  PRIMARY KEY (org, flow, sequence),
  FOREIGN KEY (org, flow, trail) REFERENCES trails
) STRICT;
CREATE UNIQUE INDEX artifacts_by_id ON artifacts (org, id);
CREATE INDEX artifacts_by_fingerprint ON artifacts (org, flow, fingerprint, sequence);
CREATE INDEX artifacts_by_trail ON artifacts (org, flow, trail, fingerprint, sequence);
`;
