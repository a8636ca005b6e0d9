import { text } from './base/text-type.ts';

/** The last verdict on each trail; see the script of the same name for SQLite. */
export const trailVerdicts = `
ALTER TABLE trails ADD COLUMN state ${text};
ALTER TABLE trails ADD COLUMN rejudge_at double precision;
ALTER TABLE flows ADD COLUMN rejudge_before bigint DEFAULT ${Number.MAX_SAFE_INTEGER};
CREATE INDEX trails_to_rejudge ON trails (rejudge_at) WHERE rejudge_at IS NOT NULL;
CREATE INDEX flows_to_rejudge ON flows (rejudge_before) WHERE rejudge_before IS NOT NULL;

CREATE INDEX trails_by_time ON trails (org, flow, created_at, place);
CREATE INDEX trails_by_state ON trails (org, flow, state, created_at, place);
CREATE INDEX trails_by_branch ON trails
  (org, flow, substr(report::json #>> '{git_commit_info,branch}', 1, 200), created_at, place);
CREATE INDEX trails_by_author ON trails
  (org, flow, substr(report::json #>> '{git_commit_info,author}', 1, 200), created_at, place);
`;
