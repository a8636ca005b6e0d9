import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { Connections } from '../../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';
import { PostgresStorage } from '../../../../../src/service/platform/database/postgres/postgres-storage.ts';
import type { WriteTransaction } from '../../../../../src/service/platform/database/storage.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';

/** Several rows for each row that a statement looks up. Their references are not checked. */
const fill = `SET session_replication_role = replica;
  INSERT INTO flows SELECT 'acme', 'web', '', NULL, '[]', NULL, 1, 1;
  INSERT INTO trails (org, flow, name, created_at) SELECT 'acme', 'web', 'build-' || n, n FROM generate_series(1, 300) AS n;
  INSERT INTO trail_templates SELECT org, flow, name, '[]' FROM trails;
  INSERT INTO attestations (org, flow, sequence, trail, id, name, type, verdict, reason, created_at, reported_by, document)
    SELECT 'acme', 'web', n, 'build-' || n, 'id-' || n, 'unit', 'generic', 'compliant', '', n, 'ann', '{}'
    FROM generate_series(1, 3000) AS n;
  INSERT INTO artifacts (org, flow, sequence, trail, id, fingerprint, created_at, reported_by, report)
    SELECT 'acme', 'web', n, 'build-1', 'id-' || n, 'f' || n, n, 'ann', '{"git_commit": "' || n / 300 || '"}'
    FROM generate_series(1, 3000) AS n;
  INSERT INTO policies SELECT 'acme', 'policy-' || n, '', 20, 1, 'ann', 1 FROM generate_series(1, 50) AS n;
  INSERT INTO policy_versions (org, policy, version, comment, created_at, created_by, rules, text)
    SELECT org, name, v, '', 1, 'ann', '{}', '' FROM policies CROSS JOIN generate_series(1, 20) AS v;
  INSERT INTO environment_policies SELECT org, 'production', name FROM policies;
  INSERT INTO api_keys (org, id, owner, secret_hash, created_at, expires_at, owner_kind)
    SELECT 'acme', 'key-' || n, 'repo', '', n, n, 'workflow' FROM generate_series(1, 3000) AS n;
  INSERT INTO key_uses SELECT org, id, 1 FROM api_keys;
  RESET session_replication_role;
  ANALYZE`;

interface Case {
  readonly statement: string;
  readonly run: (transaction: WriteTransaction) => Promise<unknown>;
  /** The columns by which it searches these indexes. */
  readonly searches: Readonly<Record<string, readonly string[]>>;
}

const looksUpAlways: readonly Case[] = [
  {
    statement: 'trails.listTemplates',
    run: ({ trails }) => trails.listTemplates('acme', 'web', ['build-1', 'build-2']),
    searches: { trail_templates_pkey: ['org', 'flow', 'trail'] },
  },
  {
    statement: 'policies.listAttached',
    run: ({ policies }) => policies.listAttached('acme', 'production'),
    searches: {
      policies_pkey: ['org', 'name'],
      policy_versions_pkey: ['org', 'policy', 'version'],
    },
  },
  {
    statement: 'policies.findLatest',
    run: ({ policies }) => policies.listLatest('acme', ['policy-1']),
    searches: { policies_pkey: ['org', 'name'], policy_versions_pkey: ['org', 'policy', 'version'] },
  },
];

/** Before a table has statistics, all of its indexes look alike. */
const looksUpInFilledTables: readonly Case[] = [
  ...looksUpAlways,
  {
    statement: 'attestations.find',
    run: ({ attestations }) => attestations.findById('acme', 'id-1'),
    searches: { attestations_by_id: ['org', 'id'] },
  },
  {
    statement: 'artifacts.listFingerprintsOfCommit',
    run: ({ artifacts }) => artifacts.listFingerprintsOfCommit('acme', '7', 20),
    searches: { artifacts_by_commit: ['org', 'git_commit'] },
  },
  {
    statement: 'accounts.listExpiredKeys',
    run: ({ accounts }) => accounts.deleteExpiredLoginKeys('acme', 4, 2),
    searches: { api_keys_of_logins: ['org', 'expires_at'] },
  },
  {
    statement: 'accounts.deleteKeyUses',
    run: ({ accounts }) => accounts.deleteExpiredLoginKeys('acme', 4, 2),
    searches: { key_uses_pkey: ['org', 'id'] },
  },
  {
    statement: 'accounts.deleteKeys',
    run: ({ accounts }) => accounts.deleteExpiredLoginKeys('acme', 4, 2),
    searches: { api_keys_pkey: ['org', 'id'] },
  },
];

describe.each([
  { tables: 'empty', filling: '', cases: looksUpAlways },
  { tables: 'filled', filling: fill, cases: looksUpInFilledTables },
])('the query plans of PostgreSQL for $tables tables', ({ filling, cases }) => {
  let database: TestDatabase;
  let connections: Connections;
  let storage: PostgresStorage;
  /** The only connection for transactions, which has prepared what they used. */
  const withConnection = async <Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> => {
    const client = await connections.acquire();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };

  beforeAll(async () => {
    database = await createTestDatabase({ isMigrated: true });
    connections = new Connections(parseDatabaseUrl(database.url), { maximum: 1 });
    storage = new PostgresStorage(connections, storageDependencies());
    await withConnection((client) => client.query(filling));
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
  });

  it.each(cases)('of $statement look up each row by the whole key', async ({ statement, run, searches }) => {
    await storage.transaction('acme', run);
    const plan = await withConnection(async (client) => {
      const { rows } = await client.query<{ count: number }>(
        'SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = $1',
        [statement],
      );
      const values = Array.from({ length: rows[0]?.count ?? 0 }, () => 'NULL').join(', ');
      const explained = await client.query<Record<string, string>>(`EXPLAIN EXECUTE "${statement}" (${values})`);
      return explained.rows.flatMap((row) => Object.values(row));
    });
    const found = listSearches(plan);
    for (const [index, columns] of Object.entries(searches)) expect(found.get(index)).toEqual(columns);
  });
});

/** The columns of the conditions by which a plan searches its indexes, by index. */
function listSearches(plan: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    plan.flatMap((line, number) => {
      const index = / (?:using|on) (\w+_(?:pkey|by_\w+|of_\w+)) /u.exec(line)?.[1];
      const condition = /Index Cond: (.*)/u.exec(plan[number + 1] ?? '')?.[1] ?? '';
      return index === undefined
        ? []
        : [[index, [...condition.matchAll(/\((\w+) [=<]/gu)].map(([, column = '']) => column)]];
    }),
  );
}
