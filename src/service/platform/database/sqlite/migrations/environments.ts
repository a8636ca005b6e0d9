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

${commonTables.snapshots.sqlite}
CREATE INDEX snapshots_by_time ON snapshots (org, environment, made_at, number);

${commonTables.appearances.sqlite}
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
