/**
 * When the state of each trail began (null if unknown), and the names of the evidence or artifacts that keep it from
 * being compliant, as JSON. The indexes count the trails of a branch by state, and find those that are not compliant.
 * `branch` is that of the report, cut to 200 characters: PostgreSQL counts by an index alone only if it has the column.
 * Judging the trails again fills it.
 */
export const trailFaults = `
ALTER TABLE trails ADD COLUMN state_since REAL;
ALTER TABLE trails ADD COLUMN faults TEXT;
ALTER TABLE trails ADD COLUMN branch TEXT;
UPDATE flows SET rejudge_before = ${Number.MAX_SAFE_INTEGER};
CREATE INDEX trails_by_branch_and_state ON trails (org, flow, branch, state, created_at);
CREATE INDEX trails_not_compliant ON trails (org, created_at, flow, branch) WHERE state <> 'COMPLIANT';
`;
