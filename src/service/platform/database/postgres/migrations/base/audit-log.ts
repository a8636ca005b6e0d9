import { text } from '../../../common-scripts.ts';

/** The audit log, whose events cannot be changed. */
export const auditLog = `
CREATE TABLE audit_events (
  org ${text} NOT NULL REFERENCES organizations,
  number bigint NOT NULL,
  type ${text} NOT NULL,
  recorded_at double precision NOT NULL,
  actor ${text} NOT NULL,
  subject ${text} NOT NULL,
  details ${text} NOT NULL,
  PRIMARY KEY (org, number)
);
CREATE INDEX audit_events_by_type ON audit_events (org, type, number);
CREATE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log only grows';
END $$;
CREATE TRIGGER audit_events_keep_content BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();
`;
