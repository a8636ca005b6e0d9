/**
 * Messages for targets of notifications (JSON lists; a target is `[number, position]`), until all of them have been added
 * to `deliveries`. `done` counts the targets that have them.
 */
export const broadcasts = `
CREATE TABLE broadcasts (
  org TEXT NOT NULL REFERENCES organizations,
  sequence INTEGER NOT NULL,
  messages TEXT NOT NULL,
  targets TEXT NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (org, sequence)
) STRICT;
`;
