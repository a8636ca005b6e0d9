import { commonTables } from '../../common-tables.ts';

/**
 * Environments, their snapshots, and policies.
 *
 * A snapshot has no end time: it ends when the next one begins, so that a series has neither gaps nor overlaps.
 * `content` is JSON: the running artifacts or, for a logical environment, references to its members' snapshots. It is
 * the last column, so that lists do not read it. `appearances` holds each period in which a fingerprint runs: `started`
 * is the first snapshot that contains it, `exited` the first that no longer does.
 */
export const environments = `
${commonTables.environments.sqlite}

CREATE TABLE snapshots (
  org TEXT NOT NULL,
  environment TEXT NOT NULL,
  number INTEGER NOT NULL,
  made_at REAL NOT NULL,
  compliant INTEGER,
  judgement TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (org, environment, number),
  FOREIGN KEY (org, environment) REFERENCES environments
) STRICT;
CREATE INDEX snapshots_by_time ON snapshots (org, environment, made_at, number);

CREATE TABLE appearances (
  org TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  environment TEXT NOT NULL,
  started INTEGER NOT NULL,
  started_at REAL NOT NULL,
  exited INTEGER,
  exited_at REAL,
  PRIMARY KEY (org, fingerprint, environment, started),
  FOREIGN KEY (org, environment) REFERENCES environments
) STRICT, WITHOUT ROWID;
CREATE INDEX appearances_now ON appearances (org, environment, fingerprint) WHERE exited IS NULL;

${commonTables.policies.sqlite}

CREATE TABLE policy_versions (
  org TEXT NOT NULL,
  policy TEXT NOT NULL,
  version INTEGER NOT NULL,
  comment TEXT NOT NULL,
  created_at REAL NOT NULL,
  created_by TEXT NOT NULL,
  rules TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (org, policy, version),
  FOREIGN KEY (org, policy) REFERENCES policies
) STRICT;

CREATE INDEX artifacts_by_fingerprint_in_any_flow ON artifacts (org, fingerprint, flow, sequence);
`;
