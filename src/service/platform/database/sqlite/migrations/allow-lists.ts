/** The artifacts that somebody allowed in an environment, whatever its policies say. */
export const allowLists = `
CREATE TABLE allowed_artifacts (
  org TEXT NOT NULL,
  environment TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  name TEXT NOT NULL,
  reason TEXT NOT NULL,
  allowed_by TEXT NOT NULL,
  allowed_at REAL NOT NULL,
  PRIMARY KEY (org, environment, fingerprint),
  FOREIGN KEY (org, environment) REFERENCES environments
) STRICT, WITHOUT ROWID;
`;
