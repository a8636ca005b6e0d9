/**
 * Since when each trail has its state (null if that is not known), and the names of the evidence or artifacts that keep it
 * from being compliant, as JSON. The indexes count the trails of a branch by state, and find those that are not compliant.
 */
export const trailFaults = `
ALTER TABLE trails ADD COLUMN state_since REAL;
ALTER TABLE trails ADD COLUMN faults TEXT;
CREATE INDEX trails_by_branch_and_state
  ON trails (org, flow, substr(report ->> '$.git_commit_info.branch', 1, 200), state, created_at);
CREATE INDEX trails_not_compliant
  ON trails (org, created_at, flow, substr(report ->> '$.git_commit_info.branch', 1, 200)) WHERE state <> 'COMPLIANT';
`;
