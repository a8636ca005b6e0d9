/** Types of evidence that organizations define. The definition is JSON. */
export const customTypes = `
CREATE TABLE custom_types (
  org TEXT NOT NULL REFERENCES organizations,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  archived INTEGER NOT NULL,
  PRIMARY KEY (org, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE custom_type_versions (
  org TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  definition TEXT NOT NULL,
  created_at REAL NOT NULL,
  created_by TEXT NOT NULL,
  PRIMARY KEY (org, name, version),
  FOREIGN KEY (org, name) REFERENCES custom_types
) STRICT, WITHOUT ROWID;

CREATE TRIGGER custom_type_versions_are_counted AFTER INSERT ON custom_type_versions
  BEGIN UPDATE usage SET records = records + 1 WHERE org = NEW.org; END;
`;
