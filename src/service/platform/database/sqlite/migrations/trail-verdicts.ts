/**
 * The last verdict on each trail. At `rejudge_at`, a trail is judged again; null if time alone cannot change its verdict.
 * The trails of a flow before the place `rejudge_before` in the order of creation are judged again, too: trails of
 * earlier versions, and all trails when the template of the flow changes.
 */
export const trailVerdicts = `
ALTER TABLE trails ADD COLUMN state TEXT;
ALTER TABLE trails ADD COLUMN rejudge_at REAL;
ALTER TABLE flows ADD COLUMN rejudge_before INTEGER DEFAULT ${Number.MAX_SAFE_INTEGER};
CREATE INDEX trails_to_rejudge ON trails (rejudge_at) WHERE rejudge_at IS NOT NULL;
CREATE INDEX flows_to_rejudge ON flows (rejudge_before) WHERE rejudge_before IS NOT NULL;

CREATE INDEX trails_by_time ON trails (org, flow, created_at);
CREATE INDEX trails_by_state ON trails (org, flow, state, created_at);
CREATE INDEX trails_by_branch ON trails (org, flow, substr(report ->> '$.git_commit_info.branch', 1, 200), created_at);
CREATE INDEX trails_by_author ON trails (org, flow, substr(report ->> '$.git_commit_info.author', 1, 200), created_at);
`;
