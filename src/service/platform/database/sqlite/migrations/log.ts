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
 * The transparency log of each organization. `record` is the key of a record without the names of its flow and its
 * environment, which renames change. `log_hashes` has the roots of full tiles, from level 1; the hashes of level 0 are in
 * the entries. `log_heads` has the size and root in the latest signed checkpoint, and `log_unfinished` the kinds of
 * records that are older than the log and may not be entered yet.
 */
export const log = `
CREATE TABLE log_entries (
  org TEXT NOT NULL REFERENCES organizations,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  flow TEXT NOT NULL,
  environment TEXT NOT NULL,
  record TEXT NOT NULL,
  entered_at REAL NOT NULL,
  document_digest TEXT NOT NULL,
  attachment_digest TEXT,
  random BLOB NOT NULL,
  is_late INTEGER NOT NULL,
  document TEXT,
  leaf_hash BLOB NOT NULL,
  PRIMARY KEY (org, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX log_entries_by_record ON log_entries (org, kind, flow, environment, record, sequence);

CREATE TABLE log_hashes (
  org TEXT NOT NULL REFERENCES organizations,
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (org, level, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_heads (
  org TEXT NOT NULL PRIMARY KEY REFERENCES organizations,
  size INTEGER NOT NULL,
  root BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE log_unfinished (
  org TEXT NOT NULL REFERENCES organizations,
  kind TEXT NOT NULL,
  PRIMARY KEY (org, kind)
) STRICT, WITHOUT ROWID;
${kinds.map((kind) => `INSERT INTO log_unfinished (org, kind) SELECT org, '${kind}' FROM organizations;`).join('')}
`;
