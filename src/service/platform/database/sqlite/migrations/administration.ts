/**
 * When each key was last used, in a table of its own, because uses are written often. When each
 * notification was last changed; until then, when it was created.
 */
export const administration = `
CREATE TABLE key_uses (
  org TEXT NOT NULL,
  id TEXT NOT NULL,
  used_at REAL NOT NULL,
  PRIMARY KEY (org, id),
  FOREIGN KEY (org, id) REFERENCES api_keys
) STRICT, WITHOUT ROWID;

ALTER TABLE notifications ADD COLUMN last_modified_at REAL;
`;
