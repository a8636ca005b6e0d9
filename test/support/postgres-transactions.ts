import { waitUntil } from '../../tools/servers/ports.ts';
import { withAdministrator } from './test-servers.ts';

/** How long a transaction may take until it waits for a lock, in milliseconds. */
const patience = 10_000;

/** Waits until a transaction of a database waits for the lock of an organization. Returns false if none does in time. */
export function waitForOrganizationLock(url: string): Promise<boolean> {
  return withAdministrator(url, (client) => {
    const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    return waitUntil(async () => (await client.query(waiting)).rowCount !== 0, patience);
  });
}
