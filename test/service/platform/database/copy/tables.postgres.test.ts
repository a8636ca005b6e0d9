import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listTables, type Table } from '../../../../../src/service/platform/database/copy/tables.ts';
import { migrate } from '../../../../../src/service/platform/database/sqlite/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';

/** The tables that only PostgreSQL has. */
const added = ['attachment_chunks', 'attachment_contents', 'commit_tokens', 'probes', 'schema_versions'];

/** The columns that are not copied: generated ones, and those that only several processes need. */
const notCopied = [
  ...['artifacts.branch', 'artifacts.git_commit', 'artifacts.repository'],
  ...['notification_targets.claimed_by', 'notification_targets.claimed_until'],
];

describe('the tables to copy', () => {
  let target: TestDatabase;
  let tables: readonly Table[];
  let columns: readonly string[];
  beforeAll(async () => {
    const database = new DatabaseSync(':memory:');
    migrate(database, ':memory:');
    tables = listTables(database);
    database.close();
    target = await createTestDatabase({ isMigrated: true });
    columns = await withAdministrator(target.url, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
          WHERE table_schema = current_schema() ORDER BY 1`,
      );
      return rows.map(({ name }) => name);
    });
  });
  afterAll(() => target.drop());

  it('and their columns are the same in both databases', () => {
    const copied = tables.flatMap(({ name, columns: all }) => all.map((column) => `${name}.${column.name}`));
    const kept = columns.filter((name) => !added.includes(name.split('.')[0] ?? ''));
    expect([...copied, ...notCopied].sort()).toEqual([...kept].sort());
  });

  it('have a primary key, and come after the tables that they refer to', async () => {
    expect(tables.filter(({ key }) => key.length === 0)).toEqual([]);
    const order = tables.map(({ name }) => name);
    const references = await withAdministrator(target.url, async (client) => {
      const { rows } = await client.query<{ name: string; referred: string }>(
        `SELECT conrelid::regclass::text AS name, confrelid::regclass::text AS referred FROM pg_constraint
          WHERE contype = 'f'`,
      );
      return rows.filter(({ name }) => !added.includes(name));
    });
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter(({ name, referred }) => order.indexOf(name) < order.indexOf(referred))).toEqual([]);
  });
});
