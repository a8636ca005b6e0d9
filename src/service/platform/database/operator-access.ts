import type { AttachmentStore } from '../attachments/attachments.ts';
import { openS3Verifier } from '../attachments/s3/open-s3-attachments.ts';
import type { StorageOptions } from './open-storage.ts';
import { Connections } from './postgres/connections.ts';
import { parseDatabaseUrl } from './postgres/database-url.ts';
import { requireMigrated } from './postgres/migrations.ts';
import { openAttachments } from './postgres/open-postgres.ts';
import { PostgresStorage } from './postgres/postgres-storage.ts';
import { atDatabaseStart } from './postgres/start-errors.ts';
import { requireNoUnfinishedCopy } from './postgres/unfinished-copy.ts';
import { type OperatorAccess, withOperatorFolder } from './sqlite/operator-access.ts';
import type { Storage, StorageDependencies } from './storage.ts';

/**
 * Opens the storage of a service for an operator's command, also while services are running with it. The tables of a
 * PostgreSQL database are not changed, because the release that is running may be the one before.
 *
 * @throws Error if there is no database, it has a different schema version that must not be changed, or a copy to it is
 *   unfinished.
 */
export async function withOperatorStorage<Result>(
  { dataFolder, database }: StorageOptions,
  dependencies: StorageDependencies,
  work: (storage: Storage, openAttachments: () => Promise<Pick<AttachmentStore, 'verify'>>) => Promise<Result>,
  access?: OperatorAccess,
): Promise<Result> {
  if (database === undefined) return withOperatorFolder(dataFolder, dependencies, work, access);
  const address = parseDatabaseUrl(database.url);
  const connections = new Connections(address);
  await using opened = new AsyncDisposableStack();
  const storage = opened.adopt(new PostgresStorage(connections, dependencies), (open) => open.close());
  return await atDatabaseStart(address, async () => {
    await requireTables(connections, address.shown);
    return work(storage, async () => {
      if (database.attachments === undefined) return openAttachments(undefined, connections, dependencies, opened);
      return opened.use(await openS3Verifier(database.attachments, dependencies));
    });
  });
}

async function requireTables(connections: Connections, shown: string): Promise<void> {
  const client = await connections.open();
  try {
    await requireMigrated(client, shown);
    await requireNoUnfinishedCopy(client, shown);
  } finally {
    await client.end();
  }
}
