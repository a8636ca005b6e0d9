/**
 * The repositories at GitHub that flows judge, and what GitHub waits for: checks on commits, and answers to deployments.
 * An answer is due at `due_at`, or when its claim ends without a result. A check has no run and no environment, and a
 * deployment no flow.
 */
export const github = `
CREATE TABLE github_gates (
  org TEXT NOT NULL REFERENCES organizations,
  name TEXT NOT NULL,
  document TEXT NOT NULL,
  created_at REAL NOT NULL,
  created_by TEXT NOT NULL,
  last_modified_at REAL NOT NULL,
  PRIMARY KEY (org, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE github_answers (
  org TEXT NOT NULL REFERENCES organizations,
  number INTEGER NOT NULL,
  installation_id INTEGER NOT NULL,
  repository_id TEXT NOT NULL,
  repository TEXT NOT NULL,
  sha TEXT NOT NULL,
  flow TEXT NOT NULL DEFAULT '',
  run_id INTEGER NOT NULL DEFAULT 0,
  github_environment TEXT NOT NULL DEFAULT '',
  deployment_id INTEGER NOT NULL DEFAULT 0,
  requested_at REAL NOT NULL,
  requests INTEGER NOT NULL DEFAULT 1,
  due_at REAL,
  claimed_by TEXT,
  claimed_until REAL,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  check_run_id INTEGER,
  sent TEXT,
  answered_at REAL,
  PRIMARY KEY (org, number),
  UNIQUE (org, repository_id, sha, flow, run_id, github_environment)
) STRICT;
CREATE INDEX github_answers_due ON github_answers (coalesce(claimed_until, due_at));
CREATE INDEX github_answers_by_commit ON github_answers (org, flow, sha);
CREATE INDEX github_answers_waiting ON github_answers (org) WHERE flow = '' AND answered_at IS NULL;
CREATE INDEX github_answers_by_age ON github_answers (org, requested_at);
`;
