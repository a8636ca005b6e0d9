import { text } from './base/text-type.ts';

const kinds = [
  ...[
    'flow',
    'trail',
    'trail template',
    'trail update',
    'artifact',
    'attestation',
    'environment',
    'environment member',
  ],
  ...['policy attachment', 'environment report', 'allowed artifact', 'policy', 'policy version', 'policy event'],
  ...['custom type', 'custom type version', 'member', 'service account', 'login rule', 'github gate', 'audit event'],
];

/**
 * The transparency log of each organization; see the script of the same name for SQLite. The table of commits gets another
 * name, so that processes of earlier versions stop writing: what they record would have no entry.
 */
export const log = `
ALTER TABLE recent_commits RENAME TO commit_tokens;

CREATE TABLE log_entries (
  org ${text} NOT NULL REFERENCES organizations,
  sequence bigint NOT NULL,
  kind ${text} NOT NULL,
  flow ${text} NOT NULL,
  environment ${text} NOT NULL,
  record ${text} NOT NULL,
  entered_at double precision NOT NULL,
  document_digest ${text} NOT NULL,
  attachment_digest ${text},
  random bytea NOT NULL,
  is_late smallint NOT NULL,
  document ${text},
  leaf_hash bytea NOT NULL,
  PRIMARY KEY (org, sequence)
);
CREATE INDEX log_entries_by_record ON log_entries (org, kind, flow, environment, record, sequence);

CREATE TABLE log_hashes (
  org ${text} NOT NULL REFERENCES organizations,
  level integer NOT NULL,
  number bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (org, level, number)
);

CREATE TABLE log_heads (
  org ${text} PRIMARY KEY REFERENCES organizations,
  size bigint NOT NULL,
  root bytea NOT NULL
);

CREATE TABLE log_unfinished (
  org ${text} NOT NULL REFERENCES organizations,
  kind ${text} NOT NULL,
  PRIMARY KEY (org, kind)
);
${kinds.map((kind) => `INSERT INTO log_unfinished (org, kind) SELECT org, '${kind}' FROM organizations;`).join('')}
`;
