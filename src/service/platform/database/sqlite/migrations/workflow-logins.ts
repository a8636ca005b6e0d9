/**
 * Logins of workflow runs: the rules that admit them, with their conditions as JSON, and what their keys permit and
 * proved, as JSON. The audit log, whose events cannot be changed.
 */
export const workflowLogins = `
CREATE TABLE login_rules (
  org TEXT NOT NULL REFERENCES organizations,
  name TEXT NOT NULL,
  conditions TEXT NOT NULL,
  created_at REAL NOT NULL,
  created_by TEXT NOT NULL,
  last_modified_at REAL NOT NULL,
  PRIMARY KEY (org, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE api_keys ADD COLUMN login TEXT;
CREATE INDEX api_keys_of_logins ON api_keys (org, expires_at) WHERE owner_kind = 'workflow';
CREATE INDEX api_keys_of_repositories ON api_keys (org, owner, expires_at) WHERE owner_kind = 'workflow';

CREATE TABLE audit_events (
  org TEXT NOT NULL REFERENCES organizations,
  number INTEGER NOT NULL,
  type TEXT NOT NULL,
  recorded_at REAL NOT NULL,
  actor TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL,
  PRIMARY KEY (org, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_events_by_type ON audit_events (org, type, number);
CREATE TRIGGER audit_events_keep_content BEFORE UPDATE ON audit_events
  BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
CREATE TRIGGER audit_events_keep_rows BEFORE DELETE ON audit_events
  BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
`;
