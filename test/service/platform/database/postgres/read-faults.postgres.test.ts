import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { valueAt } from '../../../../../src/runtime/untrusted-data.ts';
import { Connections } from '../../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';
import { PostgresStorage } from '../../../../../src/service/platform/database/postgres/postgres-storage.ts';
import { type BorrowedDatabase, borrowTestDatabase } from '../../../../support/postgres.ts';
import { Records } from '../../../../support/records.ts';
import { type SlowConnection, startSlowConnection } from '../../../../support/slow-connection.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';

describe('reads of a PostgreSQL storage, while connections and statements fail', () => {
  let database: BorrowedDatabase;
  let network: SlowConnection;
  /** The address of the database behind the network. */
  let url: URL;
  let connections: Connections;
  let storage: PostgresStorage;

  beforeEach(async () => {
    database = await borrowTestDatabase();
    url = new URL(database.url);
    network = await startSlowConnection(Number(url.port));
    url.hostname = '127.0.0.1';
    url.port = String(network.port);
    connections = new Connections(parseDatabaseUrl(url.href));
    storage = new PostgresStorage(connections, storageDependencies());
    await new Records(storage).createOrganization('acme', 1);
  });
  afterEach(async () => {
    network.release();
    await storage.close();
    await network.close();
    await database.giveBack();
  });

  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const countFlows = (): Promise<number> => storage.read(({ flows }) => flows.count('acme', {}));
  const exists = (): Promise<boolean> => storage.read(({ organizations }) => organizations.exists('acme'));

  it('are run again if the connection is lost before it has answered the end of an earlier read', async () => {
    await countFlows();
    await storage.read(async ({ flows }) => {
      await flows.count('acme', {});
      network.hold();
    });
    const next = exists();
    await turns(5);
    network.reset();
    network.release();
    expect(await next).toBe(true);
    expect(await exists()).toBe(true);
  });

  it('are not run again if the database has fallen silent', async () => {
    const impatient = new Connections(parseDatabaseUrl(url.href), { maximum: 2, limits: { query_timeout: 300 } });
    let elapsed = 0;
    const other = new PostgresStorage(impatient, { ...storageDependencies(), monotonic: () => elapsed });
    try {
      await other.read(({ flows }) => flows.count('acme', {}));
      const acquired = jest.spyOn(impatient, 'acquire');
      network.hold();
      const reading = other.read(({ flows }) => flows.count('acme', {}));
      elapsed = 25_000;
      await expect(reading).rejects.toMatchObject({ reason: 'unreachable' });
      expect(acquired).toHaveBeenCalledTimes(1);
    } finally {
      network.release();
      await other.close();
    }
  });

  it('do not wait for a statement that an earlier read has left behind', async () => {
    await countFlows();
    const locker = new pg.Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE flows');
    const failing = storage.read(({ flows, organizations }) =>
      Promise.all([
        organizations.exists('acme').then(() => {
          throw new Error('found no report');
        }),
        // It waits for the lock.
        flows.count('acme', {}),
      ]),
    );
    await expect(failing).rejects.toThrow('found no report');
    const next = exists();
    const first = await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 2000, 'waits').unref())]);
    await locker.end();
    await next;
    expect(first).toBe(true);
  });

  it('end before the storage is closed, also if they wait for a connection', async () => {
    const other = new PostgresStorage(new Connections(parseDatabaseUrl(database.url)), storageDependencies());
    const counts = Promise.all(Array.from({ length: 60 }, () => other.read(({ flows }) => flows.count('acme', {}))));
    await other.close();
    expect(await counts).toHaveLength(60);
  });

  it('leave no connection open if the database has fallen silent', async () => {
    const silent = new Connections(parseDatabaseUrl(url.href));
    const clients = await Promise.all([silent.acquire(), silent.acquire()]);
    network.hold();
    for (const [index, client] of clients.entries()) client.release(index === 0);
    const closing = silent.close().then(() => 'closed');
    const waiting = new Promise((resolve) => setTimeout(resolve, 3000, 'waits').unref());
    expect(await Promise.race([closing, waiting])).toBe('closed');
    const sockets = clients.map((client) => valueAt(client, 'connection', 'stream') as Socket);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  it('may leave a lookup behind when they fail, which is not seen by the next one', async () => {
    const failing = storage.read(({ flows }) => {
      flows.count('acme', {}).catch(() => undefined);
      return Promise.reject(new Error('found no report'));
    });
    await expect(failing).rejects.toThrow('found no report');
    expect(await exists()).toBe(true);
    expect(await countFlows()).toBe(0);
  });
});
