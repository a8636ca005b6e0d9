import { text } from './base/text-type.ts';

/**
 * The names that flows and environments had; see the script of the same name for SQLite. A transaction that renames checks
 * only at its end that all records refer to existing ones.
 */
export const renames = `
CREATE TABLE former_names (
  org ${text} NOT NULL REFERENCES organizations,
  kind ${text} NOT NULL,
  former ${text} NOT NULL,
  name ${text} NOT NULL,
  PRIMARY KEY (org, kind, former)
);

CREATE INDEX attestations_limited ON attestations (org) WHERE counts_for IS NOT NULL;
CREATE INDEX artifacts_limited ON artifacts (org) WHERE counts_for IS NOT NULL;

DO $$
DECLARE reference record;
BEGIN
  FOR reference IN SELECT conrelid::regclass AS "table", conname AS name FROM pg_constraint
    WHERE contype = 'f' AND confrelid IN
      ('flows'::regclass, 'trails'::regclass, 'attestations'::regclass, 'environments'::regclass)
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', reference."table", reference.name);
  END LOOP;
END $$;
`;
