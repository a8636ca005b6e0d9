import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { migrate, scripts } from '../../../../../src/service/platform/database/postgres/migrations.ts';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import { expectMoreEvidence, expectSameVerdicts, readFixture } from '../../../../support/earlier-version.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';
import { expectExactUsage } from '../../../../support/usage.ts';

/** What every transaction of an earlier version sends before its COMMIT. */
const record = {
  name: 'transactions.record',
  text: 'INSERT INTO written_sources (xid, slots, token) VALUES (pg_current_xact_id(), $1::integer[], $2)',
};
/** What each of its reads and transactions begins with. */
const learn = { name: 'changes.find', text: 'SELECT forgotten_before::text FROM written_sources_state' };

/** The locks of tables that a migration waits for. */
const waiting = `FROM pg_locks WHERE locktype = 'relation' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

it('is not written by processes of a version without a transparency log, once a later one has migrated it', async () => {
  const database = await createTestDatabase();
  try {
    await withAdministrator(database.url, (client) => migrate(client, 'the test database', scripts.slice(0, 16)));
    await withAdministrator(database.url, async (earlier) => {
      const token = 'INSERT INTO recent_commits (token) VALUES (gen_random_uuid())';
      await earlier.query(token);
      await migrate(earlier, 'the test database');
      await expect(earlier.query(token)).rejects.toMatchObject({ code: '42P01' });
    });
  } finally {
    await database.drop();
  }
});

describe.each([1, 2])('a database of version %i', (version) => {
  let database: TestDatabase;
  /** A process of that version. */
  let earlier: Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    earlier = new Client({ connectionString: database.url });
    await earlier.connect();
    await migrate(earlier, 'the test database', scripts.slice(0, version));
    await earlier.query("INSERT INTO organizations (org, created_at) VALUES ('acme', 1)");
    await earlier.query({ ...record, values: [[], 'token'] });
    await earlier.query(learn);
  });
  afterEach(async () => {
    await earlier.end();
    await database.drop();
  });

  const migrateNow = (): ReturnType<typeof migrate> =>
    withAdministrator(database.url, (client) => migrate(client, 'the test database'));

  it('can neither be read nor be written by processes of that version any more', async () => {
    await migrateNow();
    await expect(earlier.query(learn)).rejects.toMatchObject({ code: '42P01' });
    await expect(earlier.query({ ...record, values: [[], 'late'] })).rejects.toMatchObject({ code: '42P01' });
  });

  it('is migrated after the transaction that such a process has begun', async () => {
    await earlier.query('BEGIN');
    await earlier.query({ ...record, values: [[], 'before'] });
    const migrating = migrateNow();
    await withAdministrator(database.url, async (client) => {
      expect(await waitUntil(async () => (await client.query(`SELECT 1 ${waiting}`)).rowCount !== 0, 10_000)).toBe(
        true,
      );
    });
    await earlier.query('COMMIT');
    expect(await migrating).toEqual({ from: version, to: scripts.length });
  });

  it('stays as it was before the script that is interrupted', async () => {
    await earlier.query('BEGIN');
    await earlier.query({ ...record, values: [[], 'before'] });
    const migrating = migrateNow();
    await withAdministrator(database.url, async (client) => {
      const terminate = `SELECT pg_terminate_backend(pid) ${waiting}`;
      expect(await waitUntil(async () => (await client.query(terminate)).rowCount !== 0, 10_000)).toBe(true);
    });
    await expect(migrating).rejects.toThrow();
    await earlier.query('COMMIT');
    await earlier.query(learn);
    expect(await migrateNow()).toEqual({ from: 2, to: scripts.length });
  });
});

describe('a database that was written by an earlier version', () => {
  const main = fileURLToPath(new URL('../../../../../src/service/main.ts', import.meta.url));
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await withAdministrator(database.url, (client) => client.query(readFixture('database.sql').toString()));
  });
  afterEach(async () => {
    await database.drop();
  });

  const options = (): Parameters<typeof expectSameVerdicts>[0] => ({
    // Not used.
    dataFolder: join(tmpdir(), 'compliance-service-on-postgres'),
    database: { url: database.url },
  });
  const listVersions = (): Promise<unknown> =>
    withAdministrator(database.url, async (client) => {
      const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_versions ORDER BY version');
      return rows.map(({ version }) => version);
    });
  const expectUsage = (): Promise<void> =>
    withAdministrator(database.url, (client) =>
      expectExactUsage(async (text) => (await client.query<Readonly<Record<string, unknown>>>(text)).rows),
    );
  const versions = scripts.map((_, index) => index + 1);

  it('is migrated, and judged as before, also when it is opened again', async () => {
    expect(await listVersions()).toEqual([1]);
    await expectSameVerdicts(options());
    expect(await listVersions()).toEqual(versions);
    await expectSameVerdicts(options());
    await expectUsage();
    await expectMoreEvidence(options());
    await expectUsage();
  });

  it.each(['attestations', 'written_sources'])(
    'is migrated by the next start if the process was killed while it waited for the table %s',
    async (table) => {
      await withAdministrator(database.url, async (client) => {
        await client.query(`BEGIN; LOCK TABLE ${table}`);
        const words = [main, '--port=0', '--data', options().dataFolder, '--database', database.url];
        const child = spawn(process.execPath, words, { stdio: 'ignore' });
        const exit = once(child, 'exit');
        const isWaiting = await waitUntil(
          async () => (await client.query(`SELECT 1 ${waiting}`)).rowCount !== 0,
          10_000,
        );
        child.kill('SIGKILL');
        await exit;
        expect(isWaiting).toBe(true);
        await client.query('ROLLBACK');
      });
      await expectSameVerdicts(options());
      expect(await listVersions()).toEqual(versions);
    },
  );
});
