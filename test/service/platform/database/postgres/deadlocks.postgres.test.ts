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

const patience = 10_000;

describe('a migration that locks tables which are in use', () => {
  let database: TestDatabase;
  let storage: PostgresStorage;
  let administrator: Client;

  beforeEach(async () => {
    database = await createTestDatabase({ isMigrated: true });
    storage = new PostgresStorage(new Connections(parseDatabaseUrl(database.url)), storageDependencies());
    administrator = new Client({ connectionString: database.url });
    await administrator.connect();
  });
  afterEach(async () => {
    await administrator.end();
    await storage.close();
    await database.drop();
  });

  /** Waits until somebody waits for a table. */
  const someoneWaits = (): Promise<boolean> =>
    withAdministrator(database.url, async (client) => {
      const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'relation' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      return waitUntil(async () => (await client.query(waiting)).rowCount !== 0, patience);
    });

  it('lets a read begin again if they wait for each other', async () => {
    // So that the server ends the other one of them.
    await administrator.query(`SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE trails`);
    let locked: Promise<unknown> | undefined;
    let runs = 0;
    const found = await storage.read(async ({ organizations, trails }) => {
      runs += 1;
      await organizations.exists('acme');
      locked ??= administrator.query('LOCK TABLE organizations; COMMIT');
      if (runs === 1) await someoneWaits();
      return trails.find({ org: 'acme', flow: 'web', name: 'main' });
    });
    expect([found, runs]).toEqual([undefined, 2]);
    await locked;
  });

  it('begins again itself if the server ends it', async () => {
    await administrator.query(`SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE trails`);
    const migrated = withAdministrator(database.url, (client) =>
      migrate(client, 'the test database', [...scripts, 'LOCK TABLE organizations; LOCK TABLE trails']),
    );
    await someoneWaits();
    await administrator.query('LOCK TABLE organizations; COMMIT');
    expect(await migrated).toEqual({ from: scripts.length, to: scripts.length + 1 });
  });
});
