import type { ClientBase } from 'pg';
import { commonScripts } from '../common-scripts.ts';
import { StartError } from '../start-error.ts';
import { base } from './migrations/base.ts';
import { plainTransactions } from './migrations/plain-transactions.ts';
import { lockAllOrganizations } from './organization-locks.ts';
import { isConflict } from './postgres-errors.ts';

const common = commonScripts.map(({ postgres }) => postgres);

/**
 * The migrations from an empty database to the current tables: one script per version, never changed once released.
 *
 * Several versions of the service run at the same time during an upgrade. So a script only adds what the previous
 * release can ignore (expand); what a release no longer uses is removed by a script of the next one (contract). A
 * release has at most one script, and accepts the tables of the next release. The exceptions are
 * `plainTransactions`, which removes tables so that processes of earlier versions stop, and the script of the
 * transparency log, which renames one.
 */
export const scripts: readonly string[] = [base, common.slice(0, 3).join(''), plainTransactions, ...common.slice(3)];

/** The key of the advisory lock that a process holds while it migrates; any number that nothing else uses. */
const migrationLock = 7_232_517_890_041;

/** How many times a script is run at most, if it conflicts with other processes. */
const maximumAttempts = 6;

export interface Migration {
  /** The version of the tables before and after it; 0 before the first. */
  readonly from: number;
  readonly to: number;
}

/**
 * Applies the missing migrations, while no other process does.
 *
 * @param shown the address of the database, for error messages
 * @param steps the scripts; tests add those of a later release
 * @throws StartError if the tables are of another program, or of a later release than the next one, or if a new
 *   database has another encoding than UTF-8.
 */
export async function migrate(client: ClientBase, shown: string, steps = scripts): Promise<Migration> {
  await client.query(`SELECT pg_advisory_lock(${migrationLock})`);
  try {
    const from = await readVersion(client, shown, steps.length);
    if (from === 0) {
      await requireAllCharacters(client, shown);
      await client.query(createVersions);
    }
    for (const [index, step] of steps.entries()) {
      if (index < from) continue;
      await apply(client, step, index + 1);
    }
    return { from, to: Math.max(from, steps.length) };
  } finally {
    // After a failed script, the connection cannot be used; closing it releases the lock.
    await client.query(`SELECT pg_advisory_unlock(${migrationLock})`).catch(() => undefined);
  }
}

/** @throws StartError if the database cannot hold every character, so that some records would be refused */
async function requireAllCharacters(client: ClientBase, shown: string): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new StartError(
    `the database ${shown} has the encoding ${encoding} and not UTF8, which the records need; ` +
      'create it again: dropdb, then createdb with --encoding UTF8 --locale C --template template0',
  );
}

/**
 * Runs a script while no transaction of an organization is running, because both lock one table after another. The
 * script is run again after a deadlock with others, such as reads.
 */
async function apply(client: ClientBase, script: string, version: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(
        `BEGIN; ${lockAllOrganizations} ${script}; INSERT INTO schema_versions (version) VALUES (${version}); COMMIT`,
      );
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      if (!isConflict(error) || attempt === maximumAttempts) throw error;
    }
  }
}

const createVersions = `CREATE TABLE IF NOT EXISTS schema_versions (
  version integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
)`;

/**
 * Checks that the tables can be used without changing them.
 *
 * @param shown the address of the database, for error messages
 * @throws StartError if there are none, or of an earlier release, or of a later one than the next one.
 */
export async function requireMigrated(client: ClientBase, shown: string, steps = scripts): Promise<void> {
  const version = await readVersion(client, shown, steps.length);
  if (version >= steps.length) return;
  const has = version === 0 ? 'no tables of the service' : `tables of version ${version}`;
  throw new StartError(
    `the database ${shown} has ${has}, and this command needs version ${steps.length}; ` +
      'start a service of this version with it first',
  );
}

/**
 * Reads the version of the tables; 0 if there are none.
 *
 * @throws StartError if they are of another program, or of a later release than the next one.
 */
async function readVersion(client: ClientBase, shown: string, known: number): Promise<number> {
  const { rows: tables } = await client.query<{ name: string }>(
    'SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()',
  );
  if (tables.length === 0) return 0;
  if (!tables.some(({ name }) => name === 'schema_versions')) {
    throw new StartError(`the database ${shown} has tables of another program; create a database for this service`);
  }
  const { rows } = await client.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM schema_versions',
  );
  const version = rows[0]?.version ?? 0;
  if (version > known + 1) throw laterVersionError(shown, version, known);
  return version;
}

function laterVersionError(shown: string, version: number, known: number): StartError {
  return new StartError(
    `the database ${shown} has version ${version}, but this service supports only versions up to ${known + 1}; ` +
      'start a newer version of the service',
  );
}
