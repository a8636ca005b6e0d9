import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../src/runtime/clock.ts';
import { openPostgres } from '../../src/service/platform/database/postgres/open-postgres.ts';
import type { Storage, StorageDependencies } from '../../src/service/platform/database/storage.ts';
import { type PostgresServer, startPostgres } from '../../tools/servers/postgres/postgres-server.ts';
import { startTrialService, type TrialService } from '../../trial/trial-service.ts';
import { fill, type Filling, fillSnapshots } from '../filled-service.ts';
import { multiplyRecords } from './multiply-records.ts';

/** A durable PostgreSQL server, with databases of the service. */
export interface PostgresFixture {
  readonly directory: string;
  /** The server's port on the loopback interface. */
  readonly port: number;
  readonly orgs: readonly string[];
  readonly flow: string;
  readonly commit: string;
  /** Opens all organizations. */
  readonly key: string;
  /** The address of a database. */
  url(database: string, port?: number): string;
  /** Makes a database with the organizations, and these records in the first one. */
  createDatabase(database: string, filling: Filling): Promise<void>;
  /** Copies a database, which nothing may use meanwhile. */
  copy(from: string, to: string): Promise<void>;
  startService(url: string): Promise<TrialService>;
}

/** The database that the others are copies of. */
const original = 'original';

/** The number of organizations of the load that is spread over several. */
export const organizations = 16;

/** Runs work with a server of its own. */
export async function withPostgres<Result>(
  directory: string,
  { commit }: { readonly commit: string },
  work: (fixture: PostgresFixture) => Promise<Result>,
): Promise<Result> {
  const server = await startBenchServer(directory);
  try {
    const url = (database: string, port?: number): string => toUrl(server, database, port);
    const copy = async (from: string, to: string): Promise<void> => {
      await administrate(server, `CREATE DATABASE ${to} TEMPLATE ${from}`);
      await writeToDisk(server);
    };
    await administrate(server, `CREATE DATABASE ${original}`);
    const orgs = Array.from({ length: organizations }, (_, index) => `bench-${firstOrganization + index}`);
    const flow = 'web';
    const key = await withStorage(url(original), async (storage) => {
      const [first = '', ...others] = orgs;
      const firstKey = await fill(storage, { org: first, flow, commit }, oneOfEach);
      for (const org of others) await fill(storage, { org, flow, commit }, oneOfEach);
      return firstKey;
    });
    const createDatabase = async (database: string, filling: Filling): Promise<void> => {
      await copy(original, database);
      const [org = ''] = orgs;
      await withStorage(url(database), (storage) => fillSnapshots(storage, org, filling.snapshots));
      await withClient(url(database), (client) => multiplyRecords(client, { org, flow }, filling));
      await writeToDisk(server);
    };
    const startService = (database: string): Promise<TrialService> =>
      startTrialService(join(directory, `data-of-${new URL(database).pathname.slice(1)}`), orgs[0] ?? '', key, {
        COMPLIANCE_SERVICE_DATABASE: database,
      });
    const { port } = server;
    return await work({ directory, port, orgs, flow, commit, key, url, createDatabase, copy, startService });
  } finally {
    await server.remove();
  }
}

/** The number in the name of the first organization. All have as many digits. */
export const firstOrganization = 10;

/** Every flow has an attestation, because pgbench reads the number of the one before. */
const oneOfEach = { attestations: 1, artifacts: 1, snapshots: 0 };

/** Beside the project, as the data of the other services: temporary files may be in memory, where a commit costs nothing. */
async function startBenchServer(directory: string): Promise<PostgresServer> {
  // PostgreSQL does not run as root, so another account must reach its folder.
  await chmod(directory, 0o711);
  return startPostgres({ durable: true, parent: directory });
}

/** Runs work with the storage of this process. */
async function withStorage<Result>(url: string, work: (storage: Storage) => Promise<Result>): Promise<Result> {
  const dependencies: StorageDependencies = {
    now: () => systemClock.now(),
    monotonic: () => performance.now(),
    after: (wait, fire) => systemClock.after(wait, fire),
    randomBytes: (size) => randomBytes(size),
    log: { info: () => undefined, error: () => undefined },
  };
  await using opened = new AsyncDisposableStack();
  const { storage } = await openPostgres({ url }, dependencies, opened);
  return await work(storage);
}

async function administrate(server: PostgresServer, statement: string): Promise<void> {
  await withClient(server.url, (client) => client.query(statement));
}

/** Writes to the disk what fills the databases, which the server would otherwise do while it is measured. */
function writeToDisk(server: PostgresServer): Promise<void> {
  return administrate(server, 'CHECKPOINT');
}

/** Runs work with a connection of this process. */
export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function toUrl(server: PostgresServer, database: string, port = server.port): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  url.port = String(port);
  return url.href;
}
