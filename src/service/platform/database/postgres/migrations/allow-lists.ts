import { text } from './base/text-type.ts';

/** The artifacts that somebody allowed in an environment; see the script of the same name for SQLite. */
export const allowLists = `
CREATE TABLE allowed_artifacts (
  org ${text} NOT NULL,
  environment ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  name ${text} NOT NULL,
  reason ${text} NOT NULL,
  allowed_by ${text} NOT NULL,
  allowed_at double precision NOT NULL,
  PRIMARY KEY (org, environment, fingerprint),
  FOREIGN KEY (org, environment) REFERENCES environments
);
`;
