import { text } from '../../../common-scripts.ts';
import { commonTables } from '../../../common-tables.ts';

/** Environments, their snapshots, and policies; see the script of the same name for SQLite. */
export const environments = `
${commonTables.environments.postgres}

${commonTables.environmentReports.postgres}

${commonTables.snapshots.postgres}
ALTER TABLE snapshots ADD COLUMN stepped_back smallint NOT NULL DEFAULT 0;
CREATE INDEX snapshots_by_verdict ON snapshots (org, environment, compliant, number);
CREATE INDEX snapshots_stepped_back ON snapshots (org, environment, number) WHERE stepped_back = 1;

${commonTables.pendingSnapshots.postgres}

${commonTables.appearances.postgres}
ALTER TABLE appearances ADD COLUMN name ${text} NOT NULL DEFAULT '';
CREATE INDEX appearances_now ON appearances (org, fingerprint, environment) WHERE exited IS NULL;
CREATE INDEX appearances_by_start ON appearances (org, environment, started, fingerprint);
CREATE INDEX appearances_by_exit ON appearances (org, environment, exited, fingerprint) WHERE exited IS NOT NULL;

${commonTables.policies.postgres}

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
`;
