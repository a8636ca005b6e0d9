/**
 * Environments, their snapshots, and policies.
 *
 * A snapshot has no end time: it ends when the next one begins, so that a series has neither gaps nor overlaps.
 * `content` is JSON: the running artifacts or, for a logical environment, references to its members' snapshots. It is
 * the last column, so that lists do not read it. `appearances` holds each period in which a fingerprint runs: `started`
 * is the first snapshot that contains it, `exited` the first that no longer does.
 */
export const environments = `
CREATE TABLE environments (
  org TEXT NOT NULL REFERENCES organizations,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  description TEXT NOT NULL,
  latest INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL,
  last_modified_at REAL NOT NULL,
  PRIMARY KEY (org, name)
) STRICT;

CREATE TABLE environment_members (
  org TEXT NOT NULL,
  environment TEXT NOT NULL,
  member TEXT NOT NULL,
  PRIMARY KEY (org, environment, member),
  FOREIGN KEY (org, environment) REFERENCES environments,
  FOREIGN KEY (org, member) REFERENCES environments
) STRICT, WITHOUT ROWID;
CREATE INDEX environments_by_member ON environment_members (org, member);

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

CREATE TABLE policies (
  org TEXT NOT NULL REFERENCES organizations,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  latest INTEGER NOT NULL,
  created_at REAL NOT NULL,
  created_by TEXT NOT NULL,
  last_modified_at REAL NOT NULL,
  PRIMARY KEY (org, name)
) STRICT;

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

CREATE TABLE policy_events (
  org TEXT NOT NULL,
  policy TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  type TEXT NOT NULL,
  timestamp REAL NOT NULL,
  user TEXT NOT NULL,
  version INTEGER NOT NULL,
  environment TEXT,
  PRIMARY KEY (org, policy, sequence),
  FOREIGN KEY (org, policy) REFERENCES policies
) STRICT;

CREATE TABLE environment_policies (
  org TEXT NOT NULL,
  environment TEXT NOT NULL,
  policy TEXT NOT NULL,
  PRIMARY KEY (org, environment, policy),
  FOREIGN KEY (org, environment) REFERENCES environments,
  FOREIGN KEY (org, policy) REFERENCES policies
) STRICT, WITHOUT ROWID;
CREATE INDEX environments_by_policy ON environment_policies (org, policy, environment);

CREATE INDEX artifacts_by_fingerprint_in_any_flow ON artifacts (org, fingerprint, flow, sequence);
`;
