import { text } from '../../common-scripts.ts';
import { commonTables } from '../../common-tables.ts';
import { accounts } from './base/accounts.ts';
import { environments } from './base/environments.ts';
import { evidence } from './base/evidence.ts';
import { flows } from './base/flows.ts';
import { notifications } from './base/notifications.ts';

/** The audit log, whose events cannot be changed. */
const auditLog = `
${commonTables.auditEvents.postgres}
CREATE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log only grows';
END $$;
CREATE TRIGGER audit_events_keep_content BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();
`;

/**
 * What several processes need to know of each other. `written_sources` told the caches of all processes what each
 * transaction wrote, and `written_sources_state` what was deleted of it; a later script drops both. `probes` is written
 * to find out whether the database accepts writes.
 */
const coordination = `
CREATE TABLE written_sources (
  xid xid8 PRIMARY KEY,
  slots integer[] NOT NULL,
  token ${text} NOT NULL
);

CREATE TABLE written_sources_state (
  only_row smallint PRIMARY KEY CHECK (only_row = 1),
  forgotten_before xid8 NOT NULL
);
INSERT INTO written_sources_state VALUES (1, '0');

CREATE TABLE probes (
  only_row smallint PRIMARY KEY CHECK (only_row = 1),
  probed_at timestamptz NOT NULL
);
INSERT INTO probes VALUES (1, now());
`;

/** The content of attachments by digest, in chunks. `kept_at` is when the content was received last. */
const attachments = `
CREATE TABLE attachment_contents (
  digest ${text} PRIMARY KEY,
  size bigint NOT NULL,
  kept_at timestamptz NOT NULL
);

CREATE TABLE attachment_chunks (
  digest ${text} NOT NULL REFERENCES attachment_contents ON DELETE CASCADE,
  place integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (digest, place)
);
ALTER TABLE attachment_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;

/** All tables of the first release with PostgreSQL. Tables and columns have the same names as in SQLite. */
export const base = [accounts, auditLog, flows, evidence, environments, notifications, coordination, attachments].join(
  '',
);
