import type { AttachmentStore } from '../../attachments/attachments.ts';
import type { Storage, StorageDependencies } from '../storage.ts';
import { Connections } from './connections.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { requireMigrated } from './migrations.ts';
import { openAttachments, type PostgresOptions } from './open-postgres.ts';
import { PostgresStorage } from './postgres-storage.ts';
import { atDatabaseStart } from './start-errors.ts';
import { requireNoUnfinishedCopy } from './unfinished-copy.ts';

/**
 * Opens a database for an operator's command, also while services are using it. Its tables are not changed, because
 * the release that is running may be the one before.
 *
 * @throws StartError if it cannot be used, its tables are not those of this release or the next one, or a copy to it is
 *   unfinished.
 */
export async function withOperatorDatabase<Result>(
  options: PostgresOptions,
  dependencies: StorageDependencies,
  work: (storage: Storage, openAttachments: () => Promise<AttachmentStore>) => Promise<Result>,
): Promise<Result> {
  const address = parseDatabaseUrl(options.url);
  const connections = new Connections(address);
  await using opened = new AsyncDisposableStack();
  const storage = opened.adopt(new PostgresStorage(connections, dependencies), (open) => open.close());
  return await atDatabaseStart(address, async () => {
    await requireTables(connections, address.shown);
    return work(storage, () => openAttachments(options, connections, dependencies, opened));
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
