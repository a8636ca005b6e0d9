/**
 * What recorded a record, as JSON; null for records of earlier versions and of users. The latest evidence of each recorder
 * for each commit (`*` if it covers any) is beside the latest of all, because others must not replace it.
 */
export const recorders = `
ALTER TABLE attestations ADD COLUMN recorders TEXT;
ALTER TABLE artifacts ADD COLUMN recorders TEXT;

CREATE TABLE recorder_evidence (
  org TEXT NOT NULL,
  flow TEXT NOT NULL,
  scope TEXT NOT NULL,
  recorder TEXT NOT NULL,
  commit_sha TEXT NOT NULL,
  name TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (org, flow, scope, recorder, commit_sha, name),
  FOREIGN KEY (org, flow, sequence) REFERENCES attestations
) STRICT, WITHOUT ROWID;
`;
