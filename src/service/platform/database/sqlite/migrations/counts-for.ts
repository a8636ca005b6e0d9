/**
 * The environments that a record counts for, as JSON; null for all. The latest evidence of each such list of environments
 * is beside the latest that counts for all, because it must not replace that.
 */
export const countsFor = `
ALTER TABLE attestations ADD COLUMN counts_for TEXT;
ALTER TABLE artifacts ADD COLUMN counts_for TEXT;

CREATE TABLE limited_evidence (
  org TEXT NOT NULL,
  flow TEXT NOT NULL,
  scope TEXT NOT NULL,
  counts_for TEXT NOT NULL,
  name TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (org, flow, scope, counts_for, name),
  FOREIGN KEY (org, flow, sequence) REFERENCES attestations
) STRICT, WITHOUT ROWID;
`;
