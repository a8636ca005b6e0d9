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
export async function createTestDatabase(
  options: { readonly isMigrated?: boolean; readonly encoding?: string } = {},
): Promise<TestDatabase> {
  const server = sharedPostgres();
  // PostgreSQL cuts names off after 63 bytes.
  const name = `${testDatabasePrefix()}${randomUUID().slice(0, 13)}`;
  const original = options.isMigrated === true ? migratedDatabase() : 'template0';
  const encoding = options.encoding === undefined ? '' : `ENCODING ${options.encoding} LOCALE 'C' LOCALE_PROVIDER libc`;
  await withAdministrator(server, (client) =>
    client.query(`CREATE DATABASE "${name}" TEMPLATE "${original}" ${encoding}`),
  );
  return {
    url: urlOfDatabase(server, name),
    drop: () =>
      withAdministrator(server, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      }),
  };
}

/** A database of which the tests of a file are the only users, one after the other. */
export interface BorrowedDatabase {
  readonly url: string;
  /** Makes it empty for the next test. Nobody else may be using it. */
  giveBack(): Promise<void>;
}

/** The comment of databases that have been given back. So the server knows them, for all test files. */
const free = 'free for the next test';

/**
 * Borrows a database with the tables of the service and no rows. It is created only if none is free: that, and the
 * first connections to a new database, take much longer than to delete the rows. Do not change its tables.
 *
 * @throws Error if the tests are not run with `npm run test:postgres`
 */
export async function borrowTestDatabase(): Promise<BorrowedDatabase> {
  const url = (await takeFreeDatabase()) ?? (await createTestDatabase({ isMigrated: true })).url;
  return {
    url,
    giveBack: () =>
      withAdministrator(url, async (client) => {
        await client.query(deleteRows);
        await client.query(`COMMENT ON DATABASE ${nameIn(url)} IS '${free}'`);
      }),
  };
}

/** Takes a free database of this run of the tests, so that nobody else takes it. Undefined if there is none. */
async function takeFreeDatabase(): Promise<string | undefined> {
  const server = sharedPostgres();
  return withAdministrator(server, async (client) => {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('${free}'))`);
    const { rows } = await client.query<{ name: string }>(
      `SELECT datname AS name FROM pg_database d
        WHERE starts_with(datname, $1) AND shobj_description(d.oid, 'pg_database') = $2 LIMIT 1`,
      [testDatabasePrefix(), free],
    );
    const url = rows[0] === undefined ? undefined : urlOfDatabase(server, rows[0].name);
    if (url !== undefined) await client.query(`COMMENT ON DATABASE ${nameIn(url)} IS NULL`);
    await client.query('COMMIT');
    return url;
  });
}

function nameIn(url: string): string {
  return `"${new URL(url).pathname.slice(1)}"`;
}

/**
 * Deletes all rows that migrations have not written, in one statement, at whose end references are checked. Identities
 * begin with 1 again. The trigger that protects the audit log is off meanwhile: `session_replication_role` would need a
 * superuser, and `TRUNCATE` fires it, too.
 */
const deleteRows = `DO $$
  DECLARE
    deletions text;
    identity text;
  BEGIN
    SELECT string_agg(format('%I AS (DELETE FROM %I)', 'of_' || tablename, tablename), ', ') INTO deletions FROM pg_tables
      WHERE schemaname = current_schema() AND tablename NOT IN ('schema_versions', 'probes');
    ALTER TABLE audit_events DISABLE TRIGGER USER;
    EXECUTE 'WITH ' || deletions || ' SELECT 1';
    ALTER TABLE audit_events ENABLE TRIGGER USER;
    FOR identity IN SELECT quote_ident(sequencename) FROM pg_sequences WHERE schemaname = current_schema() LOOP
      PERFORM setval(identity, 1, false);
    END LOOP;
  END $$`;

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
