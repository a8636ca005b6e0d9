import { text } from './base/text-type.ts';

/** When the state of each trail began, and why it is not compliant; see the script of the same name for SQLite. */
export const trailFaults = `
ALTER TABLE trails ADD COLUMN state_since double precision;
ALTER TABLE trails ADD COLUMN faults ${text};
ALTER TABLE trails ADD COLUMN branch ${text};
UPDATE flows SET rejudge_before = ${Number.MAX_SAFE_INTEGER};
CREATE INDEX trails_by_branch_and_state ON trails (org, flow, branch, state, created_at);
CREATE INDEX trails_not_compliant ON trails (org, created_at, flow, branch) WHERE state <> 'COMPLIANT';
`;
