import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Connections } from '../../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';
import { migrate, scripts } from '../../../../../src/service/platform/database/postgres/migrations.ts';
import { PostgresStorage } from '../../../../../src/service/platform/database/postgres/postgres-storage.ts';
import { waitUntil } from '../../../../../tools/servers/ports.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';
import { withAdministrator } from '../../../../support/test-servers.ts';

/** What every transaction of an earlier version sends before its COMMIT. */
const record = {
  name: 'transactions.record',
  text: 'INSERT INTO written_sources (xid, slots, token) VALUES (pg_current_xact_id(), $1::integer[], $2)',
};
/** What each of its reads and transactions begins with. */
const learn = { name: 'changes.find', text: 'SELECT forgotten_before::text FROM written_sources_state' };

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

  it('is migrated once, and keeps its records', async () => {
    expect(await migrateNow()).toEqual({ from: version, to: scripts.length });
    expect(await migrateNow()).toEqual({ from: scripts.length, to: scripts.length });
    const storage = new PostgresStorage(new Connections(parseDatabaseUrl(database.url)), storageDependencies());
    expect(await storage.read(({ organizations }) => organizations.exists('acme'))).toBe(true);
    await storage.transaction('acme', ({ organizations }) => organizations.insert('beta', 1));
    expect(await storage.read(({ organizations }) => organizations.exists('beta'))).toBe(true);
    await storage.close();
  });

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
      const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'relation' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      expect(await waitUntil(async () => (await client.query(waiting)).rowCount !== 0, 10_000)).toBe(true);
    });
    await earlier.query('COMMIT');
    expect(await migrating).toEqual({ from: version, to: scripts.length });
  });

  it('stays as it was before the script that is interrupted', async () => {
    await earlier.query('BEGIN');
    await earlier.query({ ...record, values: [[], 'before'] });
    const migrating = migrateNow();
    await withAdministrator(database.url, async (client) => {
      const terminate = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'relation' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      expect(await waitUntil(async () => (await client.query(terminate)).rowCount !== 0, 10_000)).toBe(true);
    });
    await expect(migrating).rejects.toThrow();
    await earlier.query('COMMIT');
    await earlier.query(learn);
    expect(await migrateNow()).toEqual({ from: scripts.length - 1, to: scripts.length });
  });
});
