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

${commonTables.trails.sqlite}

${commonTables.attestations.sqlite}

${commonTables.currentEvidence.sqlite}

${commonTables.artifacts.sqlite}
`;
