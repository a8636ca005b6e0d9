import { text } from './base/text-type.ts';

/** Types of evidence that organizations define; see the script of the same name for SQLite. The definition is JSON. */
export const customTypes = `
CREATE TABLE custom_types (
  org ${text} NOT NULL REFERENCES organizations,
  name ${text} NOT NULL,
  description ${text} NOT NULL,
  archived bigint NOT NULL,
  PRIMARY KEY (org, name)
);

CREATE TABLE custom_type_versions (
  org ${text} NOT NULL,
  name ${text} NOT NULL,
  version bigint NOT NULL,
  definition ${text} NOT NULL,
  created_at double precision NOT NULL,
  created_by ${text} NOT NULL,
  PRIMARY KEY (org, name, version),
  FOREIGN KEY (org, name) REFERENCES custom_types
);

CREATE TRIGGER custom_type_versions_are_counted AFTER INSERT ON custom_type_versions FOR EACH ROW
  EXECUTE FUNCTION count_record();
`;
