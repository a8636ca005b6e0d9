import type { ClientBase } from 'pg';
import { StartError } from '../start-error.ts';

/*
 * While a data folder is copied to a database, and after a copy that was interrupted, the database looks like a new one,
 * and a service would create its first organization in it. So it has one more table until all records are there.
 */
const mark = 'unfinished_copy';

/**
 * Marks the database until `endUnfinishedCopy`. It may be marked already, by a copy that was interrupted. The lock is for
 * two copies at once: `IF NOT EXISTS` fails if another transaction is creating the table.
 */
export async function beginUnfinishedCopy(client: ClientBase): Promise<void> {
  await client.query(`BEGIN; LOCK TABLE schema_versions; CREATE TABLE IF NOT EXISTS ${mark} (); COMMIT`);
}

/** Removes the mark. Call it in the transaction that writes the records. */
export async function endUnfinishedCopy(client: ClientBase): Promise<void> {
  await client.query(`DROP TABLE IF EXISTS ${mark}`);
}

/**
 * Checks that a service may use the database, which has the tables of the service. One with an organization is in use
 * already, so no copy to it can be completed.
 *
 * @param shown the address of the database, for the error message
 * @throws StartError if it is being filled by a copy, or a copy was interrupted.
 */
export async function requireNoUnfinishedCopy(client: ClientBase, shown: string): Promise<void> {
  const { rows } = await client.query<{ is_unfinished: boolean }>(
    `SELECT to_regclass('${mark}') IS NOT NULL AND NOT EXISTS (SELECT FROM organizations) AS is_unfinished`,
  );
  if (rows[0]?.is_unfinished !== true) return;
  throw new StartError(
    `the copy of a data folder to the database ${shown} has not been completed; ` +
      'wait until it is done, or run it again if it was interrupted',
  );
}
