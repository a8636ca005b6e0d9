/**
 * The names that flows and environments had, for links and pipelines that still use them; and indexes that find the
 * evidence which counts only for some environments.
 */
export const renames = `
CREATE TABLE former_names (
  org TEXT NOT NULL REFERENCES organizations,
  kind TEXT NOT NULL,
  former TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (org, kind, former)
) STRICT, WITHOUT ROWID;

CREATE INDEX attestations_limited ON attestations (org) WHERE counts_for IS NOT NULL;
CREATE INDEX artifacts_limited ON artifacts (org) WHERE counts_for IS NOT NULL;
`;
