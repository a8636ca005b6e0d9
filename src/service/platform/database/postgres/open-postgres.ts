import { tmpdir } from 'node:os';
import type { ClientBase } from 'pg';
import { errorMessage } from '../../../../runtime/failure.ts';
import type { ServiceLog } from '../../../../runtime/log.ts';
import type { AttachmentStore } from '../../attachments/attachments.ts';
import { settleUnfinished } from '../../attachments/remove-content.ts';
import { openS3Attachments } from '../../attachments/s3/open-s3-attachments.ts';
import type { S3Options } from '../../attachments/s3/s3-options.ts';
import { UploadBuffer } from '../../attachments/uploads/upload-buffer.ts';
import type { OpenedStorage, StorageDependencies } from '../storage.ts';
import { PostgresAttachments } from './attachments.ts';
import { Connections, withoutTimeLimits } from './connections.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { migrate } from './migrations.ts';
import { PostgresStorage } from './postgres-storage.ts';
import { atDatabaseStart } from './start-errors.ts';
import { requireNoUnfinishedCopy } from './unfinished-copy.ts';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`; may name several servers. */
  readonly url: string;
  /** An object storage for attachments; undefined for the database. */
  readonly attachments?: S3Options | undefined;
}

/**
 * Opens a database, and migrates its tables. Any number of processes may do so at the same time. Adds what
 * closes it to `opened`.
 *
 * @throws StartError if it cannot be used.
 */
export async function openPostgres(
  { url, attachments }: DatabaseOptions,
  dependencies: StorageDependencies,
  opened: AsyncDisposableStack,
): Promise<OpenedStorage> {
  const { log } = dependencies;
  const address = parseDatabaseUrl(url);
  const connections = new Connections(address);
  const storage = opened.adopt(new PostgresStorage(connections, dependencies), (open) => open.close());
  await atDatabaseStart(address, () => prepareDatabase(connections, address.shown, log));
  const stored = await openAttachments(attachments, connections, dependencies, opened);
  if (stored instanceof PostgresAttachments) removeUnnamed(stored, log);
  await settleUnfinished({ storage, attachments: stored }, log);
  return { storage, attachments: stored };
}

/**
 * Opens the attachments of a database: in it, or in an object storage. Adds what closes them to `opened`.
 *
 * @throws StartError if they cannot be used.
 */
export async function openAttachments(
  objectStorage: S3Options | undefined,
  connections: Connections,
  dependencies: StorageDependencies,
  opened: AsyncDisposableStack,
): Promise<AttachmentStore> {
  if (objectStorage === undefined) {
    return new PostgresAttachments(connections, new UploadBuffer({ ...dependencies, folder: tmpdir() }));
  }
  const objects = await openS3Attachments(objectStorage, dependencies);
  opened.defer(() => {
    objects.close();
  });
  return objects;
}

async function prepareDatabase(connections: Connections, shown: string, log: ServiceLog): Promise<void> {
  const client = await connections.open(withoutTimeLimits);
  try {
    await warnOfLoss(client, shown, log);
    const { from, to } = await migrate(client, shown);
    if (from !== to) log.info(`migrated ${shown} from version ${from} to ${to}`);
    await requireNoUnfinishedCopy(client, shown);
  } finally {
    await client.end();
  }
}

/** Warns of settings with which acknowledged writes can be lost. They are not refused, because tests use them. */
async function warnOfLoss(client: ClientBase, shown: string, log: ServiceLog): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(' and ');
  log.info(`warning: a power failure can lose or damage records, because ${shown} runs with ${names} off; turn it on`);
}

function removeUnnamed(attachments: PostgresAttachments, log: ServiceLog): void {
  attachments.removeUnnamed().then(
    (count) => {
      if (count > 0) log.info(`removed ${count} attachments that no record names`);
    },
    (error: unknown) => {
      log.info(`attachments that no record names were not removed: ${errorMessage(error)}`);
    },
  );
}
