import { randomUUID } from 'node:crypto';
import { migratedDatabase, testDatabasePrefix, urlOfDatabase, withAdministrator } from './test-servers.ts';

/** A database of a test. */
export interface TestDatabase {
  readonly url: string;
  /** Ends its connections, and removes it. */
  drop(): Promise<void>;
}

/**
 * Creates a database on the server that all test files share.
 *
 * @param options `isMigrated`: whether it has the tables of the service; otherwise it is empty
 * @throws Error if the tests are not run with `npm run test:postgres`
 */
export async function createTestDatabase(options: { readonly isMigrated?: boolean } = {}): Promise<TestDatabase> {
  const server = sharedPostgres();
  const name = `${testDatabasePrefix()}${randomUUID().replaceAll('-', '')}`;
  const original = options.isMigrated === true ? migratedDatabase() : 'template0';
  await withAdministrator(server, (client) => client.query(`CREATE DATABASE "${name}" TEMPLATE "${original}"`));
  return {
    url: urlOfDatabase(server, name),
    drop: () =>
      withAdministrator(server, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      }),
  };
}

/**
 * The address of the server that all test files share. A test that stops its server starts one of its own with
 * `startPostgres`.
 */
export function sharedPostgres(): string {
  const url = process.env['COMPLIANCE_TEST_POSTGRES'];
  if (url === undefined || url === '')
    throw new Error('There is no PostgreSQL server for this test: run it with `npm run test:postgres`.');
  return url;
}
