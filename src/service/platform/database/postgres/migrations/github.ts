import { text } from './base/text-type.ts';

/** Gates at GitHub, and what it waits for; see the script of the same name for SQLite. */
export const github = `
CREATE TABLE github_gates (
  org ${text} NOT NULL REFERENCES organizations,
  name ${text} NOT NULL,
  document ${text} NOT NULL,
  created_at double precision NOT NULL,
  created_by ${text} NOT NULL,
  last_modified_at double precision NOT NULL,
  PRIMARY KEY (org, name)
);

CREATE TABLE github_answers (
  org ${text} NOT NULL REFERENCES organizations,
  number bigint NOT NULL,
  installation_id bigint NOT NULL,
  repository_id ${text} NOT NULL,
  repository ${text} NOT NULL,
  sha ${text} NOT NULL,
  flow ${text} NOT NULL DEFAULT '',
  run_id bigint NOT NULL DEFAULT 0,
  github_environment ${text} NOT NULL DEFAULT '',
  deployment_id bigint NOT NULL DEFAULT 0,
  requested_at double precision NOT NULL,
  requests bigint NOT NULL DEFAULT 1,
  due_at double precision,
  claimed_by ${text},
  claimed_until double precision,
  attempts bigint NOT NULL DEFAULT 0,
  last_error ${text},
  check_run_id bigint,
  sent ${text},
  answered_at double precision,
  PRIMARY KEY (org, number),
  UNIQUE (org, repository_id, sha, flow, run_id, github_environment)
);
CREATE INDEX github_answers_due ON github_answers (coalesce(claimed_until, due_at));
CREATE INDEX github_answers_by_commit ON github_answers (org, flow, sha);
CREATE INDEX github_answers_waiting ON github_answers (org) WHERE flow = '' AND answered_at IS NULL;
CREATE INDEX github_answers_by_age ON github_answers (org, requested_at);
`;
