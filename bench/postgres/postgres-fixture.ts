import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres } from '../../src/service/platform/database/postgres/open-postgres.ts';
import { storageDependencies } from '../../test/support/storage-dependencies.ts';
import { urlOfDatabase, withAdministrator } from '../../test/support/test-servers.ts';
import { startPostgres } from '../../tools/servers/postgres/postgres-server.ts';
import { startTrialService, type TrialService } from '../../trial/trial-service.ts';
import { fill, type Filling } from '../filled-service.ts';
import { multiplyRecords } from './multiply-records.ts';
import { preparePgbench, requirePgbench } from './pgbench.ts';

/** A durable PostgreSQL server, with a database of the service, and one of pgbench. */
export interface PostgresFixture {
  readonly directory: string;
  readonly orgs: readonly string[];
  readonly flow: string;
  readonly commit: string;
  /** Opens all organizations. */
  readonly key: string;
  /** The address of the database of pgbench. */
  readonly pgbenchUrl: string;
  readonly startService: () => Promise<TrialService>;
}

/** The number of organizations of the load that is spread over several. */
const organizations = 16;

/** Runs work with a server of its own, on which the first organization has these records. */
export async function withPostgres<Result>(
  directory: string,
  { commit, filling }: { readonly commit: string; readonly filling: Filling },
  work: (fixture: PostgresFixture) => Promise<Result>,
): Promise<Result> {
  requirePgbench();
  // PostgreSQL does not run as root, so another account must reach its folder.
  await chmod(directory, 0o711);
  // Beside the project, as the data of the other services: temporary files may be in memory, where a commit costs nothing.
  const server = await startPostgres({ durable: true, parent: directory });
  try {
    const administrate = (statement: string): Promise<unknown> =>
      withAdministrator(server.url, (client) => client.query(statement));
    const create = async (name: string): Promise<string> => {
      await administrate(`CREATE DATABASE ${name}`);
      return urlOfDatabase(server.url, name);
    };
    const [url, pgbenchUrl] = [await create('bench'), await create('pgbench')];
    const orgs = Array.from({ length: organizations }, (_, index) => `bench-${index}`);
    const flow = 'web';
    const key = await fillDatabase(url, { orgs, flow, commit }, filling);
    preparePgbench(pgbenchUrl);
    // Writes to the disk what the server would otherwise write while it is measured.
    await administrate('CHECKPOINT');
    const startService = (): Promise<TrialService> =>
      startTrialService(join(directory, 'data-of-postgres'), orgs[0] ?? '', key, { COMPLIANCE_SERVICE_DATABASE: url });
    return await work({ directory, orgs, flow, commit, key, pgbenchUrl, startService });
  } finally {
    await server.remove();
  }
}

/** Records the organizations, and these records in the first one. Returns the key of their admin. */
async function fillDatabase(
  url: string,
  { orgs, ...owner }: Pick<PostgresFixture, 'orgs' | 'flow' | 'commit'>,
  filling: Filling,
): Promise<string> {
  await using opened = new AsyncDisposableStack();
  const { storage } = await openPostgres({ url }, storageDependencies(), opened);
  const keys: string[] = [];
  for (const org of orgs) keys.push(await fill(storage, { org, ...owner }, oneOfEach));
  const [org = ''] = orgs;
  await withAdministrator(url, (client) => multiplyRecords(client, { org, flow: owner.flow }, filling));
  return keys[0] ?? '';
}

const oneOfEach = { attestations: 1, artifacts: 1, snapshots: 0 };
