import { text } from './base/text-type.ts';

const recordTables = [
  ...['flows', 'trails', 'trail_updates', 'artifacts', 'attestations', 'environments', 'snapshots'],
  ...['policy_versions', 'notifications'],
];

const countRecords = recordTables.map(
  (table) => `SELECT org, count(*) AS records, 0 AS bytes FROM ${table} GROUP BY org`,
);

const createFunction = (name: string, statement: string): string =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NULL; END $$;`;

const count = 'UPDATE usage SET records = records + 1';

const createTriggers = recordTables.map((table) => {
  const call = table === 'attestations' ? 'count_attestation()' : 'count_record()';
  return `CREATE TRIGGER ${table}_are_counted AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${call};`;
});

/** Counts what each organization uses, for its quotas; see the script of the same name for SQLite. */
export const usage = `
CREATE TABLE usage (
  org ${text} PRIMARY KEY REFERENCES organizations,
  records bigint NOT NULL DEFAULT 0,
  attachment_bytes bigint NOT NULL DEFAULT 0
);
INSERT INTO usage (org, records, attachment_bytes)
  SELECT org, sum(records), sum(bytes) FROM (
    SELECT org, 0 AS records, 0 AS bytes FROM organizations
    UNION ALL ${countRecords.join(' UNION ALL ')}
    UNION ALL SELECT org, 0, sum(attachment_size) FROM attestations WHERE attachment_digest IS NOT NULL GROUP BY org
  ) AS used GROUP BY org;

${createFunction('begin_usage', 'INSERT INTO usage (org) VALUES (NEW.org)')}
${createFunction('count_record', `${count} WHERE org = NEW.org`)}
${createFunction('count_attestation', `${count}, attachment_bytes = attachment_bytes + coalesce(NEW.attachment_size, 0) WHERE org = NEW.org`)}
CREATE TRIGGER organizations_are_counted AFTER INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION begin_usage();
${createTriggers.join('\n')}

CREATE INDEX api_keys_valid ON api_keys (org, expires_at) WHERE owner_kind <> 'workflow' AND revoked_at IS NULL;
`;
