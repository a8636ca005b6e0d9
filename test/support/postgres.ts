import { randomUUID } from 'node:crypto';
import { testDatabasePrefix, withAdministrator } from './test-servers.ts';

/** A database of a test. */
export interface TestDatabase {
  readonly url: string;
  /** Ends its connections, and removes it. */
  drop(): Promise<void>;
}

/**
 * Creates an empty database, or a copy of another, on the server that all test files share. A copy takes as long as an
 * empty one; nobody may be connected to the original meanwhile.
 *
 * @param original  whose schema and content the database gets
 * @throws Error if the tests are not run with `npm run test:postgres`
 */
export async function createTestDatabase(original?: TestDatabase): Promise<TestDatabase> {
  const server = sharedPostgres();
  const name = `${testDatabasePrefix()}${randomUUID().replaceAll('-', '')}`;
  const template = original === undefined ? 'template0' : nameIn(original.url);
  await withAdministrator(server, (client) => client.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
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

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1);
}
