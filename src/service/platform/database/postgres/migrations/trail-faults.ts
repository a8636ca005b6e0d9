import { text } from './base/text-type.ts';

/** Since when each trail has its state, and why; see the script of the same name for SQLite. */
export const trailFaults = `
ALTER TABLE trails ADD COLUMN state_since double precision;
ALTER TABLE trails ADD COLUMN faults ${text};
CREATE INDEX trails_by_branch_and_state
  ON trails (org, flow, substr(report::json #>> '{git_commit_info,branch}', 1, 200), state, created_at);
CREATE INDEX trails_not_compliant
  ON trails (org, created_at, flow, substr(report::json #>> '{git_commit_info,branch}', 1, 200))
  WHERE state <> 'COMPLIANT';
`;
