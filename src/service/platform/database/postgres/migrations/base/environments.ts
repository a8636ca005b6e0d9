import { text } from '../../../common-scripts.ts';

/** Environments, their snapshots, and policies; see the script of the same name for SQLite. */
export const environments = `
CREATE TABLE environments (
  org ${text} NOT NULL REFERENCES organizations,
  name ${text} NOT NULL,
  kind ${text} NOT NULL,
  description ${text} NOT NULL,
  latest bigint NOT NULL DEFAULT 0,
  created_at double precision NOT NULL,
  last_modified_at double precision NOT NULL,
  PRIMARY KEY (org, name)
);

CREATE TABLE environment_members (
  org ${text} NOT NULL,
  environment ${text} NOT NULL,
  member ${text} NOT NULL,
  PRIMARY KEY (org, environment, member),
  FOREIGN KEY (org, environment) REFERENCES environments,
  FOREIGN KEY (org, member) REFERENCES environments
);
CREATE INDEX environments_by_member ON environment_members (org, member);

CREATE TABLE environment_reports (
  org ${text} NOT NULL,
  environment ${text} NOT NULL,
  reported_at double precision NOT NULL,
  PRIMARY KEY (org, environment),
  FOREIGN KEY (org, environment) REFERENCES environments
);

CREATE TABLE snapshots (
  org ${text} NOT NULL,
  environment ${text} NOT NULL,
  number bigint NOT NULL,
  made_at double precision NOT NULL,
  compliant smallint,
  judgement ${text} NOT NULL,
  content ${text} NOT NULL,
  stepped_back smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (org, environment, number),
  FOREIGN KEY (org, environment) REFERENCES environments
);
CREATE INDEX snapshots_by_verdict ON snapshots (org, environment, compliant, number);
CREATE INDEX snapshots_stepped_back ON snapshots (org, environment, number) WHERE stepped_back = 1;

CREATE TABLE pending_snapshots (
  org ${text} NOT NULL,
  environment ${text} NOT NULL,
  since double precision NOT NULL,
  forced smallint NOT NULL,
  PRIMARY KEY (org, environment),
  FOREIGN KEY (org, environment) REFERENCES environments
);

CREATE TABLE appearances (
  org ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  environment ${text} NOT NULL,
  started bigint NOT NULL,
  started_at double precision NOT NULL,
  exited bigint,
  exited_at double precision,
  name ${text} NOT NULL DEFAULT '',
  PRIMARY KEY (org, fingerprint, environment, started),
  FOREIGN KEY (org, environment) REFERENCES environments
);
CREATE INDEX appearances_now ON appearances (org, fingerprint, environment) WHERE exited IS NULL;
CREATE INDEX appearances_by_start ON appearances (org, environment, started, fingerprint);
CREATE INDEX appearances_by_exit ON appearances (org, environment, exited, fingerprint) WHERE exited IS NOT NULL;

CREATE TABLE policies (
  org ${text} NOT NULL REFERENCES organizations,
  name ${text} NOT NULL,
  description ${text} NOT NULL,
  latest bigint NOT NULL,
  created_at double precision NOT NULL,
  created_by ${text} NOT NULL,
  last_modified_at double precision NOT NULL,
  PRIMARY KEY (org, name)
);

CREATE TABLE policy_versions (
  org ${text} NOT NULL,
  policy ${text} NOT NULL,
  version bigint NOT NULL,
  comment ${text} NOT NULL,
  created_at double precision NOT NULL,
  created_by ${text} NOT NULL,
  rules ${text} NOT NULL,
  text ${text} NOT NULL,
  idempotency_key ${text},
  request_digest ${text},
  answered_description ${text},
  answered_environments ${text},
  PRIMARY KEY (org, policy, version),
  FOREIGN KEY (org, policy) REFERENCES policies
);
CREATE UNIQUE INDEX policy_versions_by_key ON policy_versions (org, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

CREATE TABLE policy_events (
  org ${text} NOT NULL,
  policy ${text} NOT NULL,
  sequence bigint NOT NULL,
  type ${text} NOT NULL,
  timestamp double precision NOT NULL,
  "user" ${text} NOT NULL,
  version bigint NOT NULL,
  environment ${text},
  PRIMARY KEY (org, policy, sequence),
  FOREIGN KEY (org, policy) REFERENCES policies
);

CREATE TABLE environment_policies (
  org ${text} NOT NULL,
  environment ${text} NOT NULL,
  policy ${text} NOT NULL,
  PRIMARY KEY (org, environment, policy),
  FOREIGN KEY (org, environment) REFERENCES environments,
  FOREIGN KEY (org, policy) REFERENCES policies
);
CREATE INDEX environments_by_policy ON environment_policies (org, policy, environment);
`;
