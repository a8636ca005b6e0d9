const recordTables = [
  ...['flows', 'trails', 'trail_updates', 'artifacts', 'attestations', 'environments', 'snapshots'],
  ...['policy_versions', 'notifications'],
];

const countRecords = recordTables.map(
  (table) => `SELECT org, count(*) AS records, 0 AS bytes FROM ${table} GROUP BY org`,
);

const createTriggers = recordTables.map((table) => {
  const bytes =
    table === 'attestations' ? ', attachment_bytes = attachment_bytes + ifnull(NEW.attachment_size, 0)' : '';
  return `CREATE TRIGGER ${table}_are_counted AFTER INSERT ON ${table}
  BEGIN UPDATE usage SET records = records + 1${bytes} WHERE org = NEW.org; END;`;
});

/**
 * Counts what each organization uses, for its quotas. Triggers count records, which are never deleted, and the bytes of the
 * attachments that they refer to. The index counts valid keys.
 */
export const usage = `
CREATE TABLE usage (
  org TEXT NOT NULL PRIMARY KEY REFERENCES organizations,
  records INTEGER NOT NULL DEFAULT 0,
  attachment_bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO usage (org, records, attachment_bytes)
  SELECT org, sum(records), sum(bytes) FROM (
    SELECT org, 0 AS records, 0 AS bytes FROM organizations
    UNION ALL ${countRecords.join(' UNION ALL ')}
    UNION ALL SELECT org, 0, sum(attachment_size) FROM attestations WHERE attachment_digest IS NOT NULL GROUP BY org
  ) GROUP BY org;

CREATE TRIGGER organizations_are_counted AFTER INSERT ON organizations
  BEGIN INSERT INTO usage (org) VALUES (NEW.org); END;
${createTriggers.join('\n')}

CREATE INDEX api_keys_valid ON api_keys (org, expires_at) WHERE owner_kind <> 'workflow' AND revoked_at IS NULL;
`;
