import { Client } from 'pg';
import { errorMessage } from '../../src/runtime/failure.ts';
import { parseDatabaseUrl } from '../../src/service/platform/database/postgres/database-url.ts';
import { migrate } from '../../src/service/platform/database/postgres/migrations.ts';
import { isGoProgramBuilt } from '../../tools/locked-go.ts';
import { isClientInstalled } from '../../tools/public-client/public-client.ts';
import { startObjectStorage } from '../../tools/servers/object-storage/object-storage-server.ts';
import { versitygw } from '../../tools/servers/object-storage/versitygw.ts';
import { canStartPostgres } from '../../tools/servers/postgres/binaries.ts';
import { startPostgres } from '../../tools/servers/postgres/postgres-server.ts';

/** The names of the databases that this run of the tests creates start with this. */
const databasePrefix = 'COMPLIANCE_TEST_DATABASE_PREFIX';

/** The servers that tests use besides PostgreSQL. */
interface TestServers {
  readonly objectStorage: boolean;
}

/** Which tests cannot run on this machine, and why, as sentences. */
export function skippedTests({ objectStorage }: TestServers): readonly string[] {
  const skipped = [];
  if (!canStartPostgres())
    skipped.push('Tests that stop PostgreSQL are skipped: it is not installed on this machine, only on another.');
  if (objectStorage && !isGoProgramBuilt(versitygw))
    skipped.push(
      'Tests that stop the object storage are skipped: run `node tools/servers/install.ts --object-storage` without COMPLIANCE_TEST_S3.',
    );
  if (!isClientInstalled())
    skipped.push('The public client is not run with PostgreSQL: it is not installed; `npm run test:client` does that.');
  return skipped;
}

/** Ends what `startTestServers` has started. */
export type StopTestServers = () => Promise<void>;

/**
 * Makes sure that there are a PostgreSQL server and, if wanted, S3-compatible object storage for all test files, and sets
 * the variables that `createTestDatabase` and `testAttachments` read. Starts servers unless COMPLIANCE_TEST_POSTGRES and
 * COMPLIANCE_TEST_S3 name them.
 *
 * @throws Error that says what to install or to set
 */
export async function startTestServers(
  { objectStorage }: TestServers,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<StopTestServers> {
  const stops: StopTestServers[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
  };
  try {
    if (isUnset(environment['COMPLIANCE_TEST_POSTGRES'])) {
      const server = await startPostgres();
      stops.push(() => server.remove());
      environment['COMPLIANCE_TEST_POSTGRES'] = server.url;
    }
    const url = environment['COMPLIANCE_TEST_POSTGRES'] ?? '';
    const prefix = `compliance_test_${process.pid}_${Date.now()}_`;
    environment[databasePrefix] = prefix;
    await checkPostgres(url);
    stops.push(() => dropDatabases(url, prefix));
    await createMigratedDatabase(url, `${prefix}migrated`);
    if (objectStorage && isUnset(environment['COMPLIANCE_TEST_S3'])) {
      const server = await startObjectStorage();
      stops.push(() => server.remove());
      Object.assign(environment, server.credentials, { COMPLIANCE_TEST_S3: server.url() });
    }
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Connects to the database server at this URL, runs the work, and disconnects. */
export async function withAdministrator<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // The pending query fails, too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates the database that others are copied from: a copy takes less time than a migration. */
async function createMigratedDatabase(server: string, name: string): Promise<void> {
  await withAdministrator(server, (client) => client.query(`CREATE DATABASE "${name}" TEMPLATE template0`));
  const address = parseDatabaseUrl(urlOfDatabase(server, name));
  await withAdministrator(urlOfDatabase(server, name), (client) => migrate(client, address.shown));
}

export function urlOfDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The name of the database with the tables of the service and no rows. */
export function migratedDatabase(): string {
  return `${testDatabasePrefix()}migrated`;
}

/** Returns the prefix of the names of this run's databases. */
export function testDatabasePrefix(): string {
  return process.env[databasePrefix] ?? 'compliance_test_';
}

function isUnset(value: string | undefined): boolean {
  return value === undefined || value === '';
}

async function checkPostgres(url: string): Promise<void> {
  try {
    await withAdministrator(url, (client) => client.query('SELECT 1'));
  } catch (error) {
    throw new Error(`The PostgreSQL server in COMPLIANCE_TEST_POSTGRES does not answer: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** Drops what tests have left. A started server is removed with all its databases; others keep them. */
async function dropDatabases(url: string, prefix: string): Promise<void> {
  await withAdministrator(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
  }).catch((error: unknown) => {
    console.error(`Databases named ${prefix}… may be left: ${errorMessage(error)}`);
  });
}
