/**
 * Environments with a pending snapshot: one change can affect any number of environments, and only a few snapshots are
 * created with it. `since` is the time of the latest such change; `forced` is 1 if a snapshot is to be created even if
 * the verdict stays the same.
 */
export const pendingSnapshots = `
CREATE TABLE pending_snapshots (
  org TEXT NOT NULL,
  environment TEXT NOT NULL,
  since REAL NOT NULL,
  forced INTEGER NOT NULL,
  PRIMARY KEY (org, environment),
  FOREIGN KEY (org, environment) REFERENCES environments
) STRICT, WITHOUT ROWID;
`;
