import { join } from 'node:path';
import type { Now } from '../runtime/clock.ts';
import type { RandomBytes } from '../runtime/random.ts';
import type { ServiceLog } from '../runtime/log.ts';
import type { AttachmentStore } from './storage/attachments.ts';
import { AttachmentFolder } from './storage/files/attachment-folder.ts';
import { sweepAttachments, type Sweep } from './storage/files/attachment-sweep.ts';
import { attachmentsFolder, prepareDataFolder } from './storage/files/data-folder.ts';
import { isNewDatabase } from './storage/sqlite/database.ts';
import { claimFolder } from './storage/sqlite/folder-lock.ts';
import { SqliteStore } from './storage/sqlite/sqlite-store.ts';
import { atStart } from './storage/start-error.ts';
import type { Store } from './storage/store.ts';

/** What a service keeps its data in. */
export interface Storage {
  readonly store: Store;
  readonly attachments: AttachmentStore;
}

/** Which data folder is opened, and how. */
export interface StorageOptions {
  readonly dataFolder: string;
  readonly trashUnnamedAttachments?: boolean | undefined;
}

/** What opening needs of the outside. */
export interface StorageSources {
  readonly now: Now;
  readonly randomBytes: RandomBytes;
  readonly log: ServiceLog;
}

/**
 * Opens the data folder for this process alone, and leaves how to close it.
 *
 * @throws StartError if the folder cannot be used, or its database and its attachments do not belong together.
 */
export async function openStorage(
  { dataFolder, trashUnnamedAttachments: trashAll = false }: StorageOptions,
  { now, randomBytes, log }: StorageSources,
  closers: (() => Promise<void> | void)[],
): Promise<Storage> {
  await prepareDataFolder(dataFolder, (line) => {
    log.info(line);
  });
  closers.push(claimFolder(dataFolder));
  const folder = join(dataFolder, attachmentsFolder);
  const attachments = await atStart(folder, () => AttachmentFolder.open(folder, randomBytes));
  const rules = { folder, trashAll, now: now() };
  const isNew = isNewDatabase(dataFolder);
  // Before the database is made: the next start would take it for an old one.
  const nobody = (): Promise<boolean> => Promise.resolve(false);
  if (isNew) await atStart(folder, () => sweepAttachments({ ...rules, isAttached: nobody, isNewDatabase: true }));
  const store = new SqliteStore(dataFolder);
  closers.push(() => store.close());
  const isAttached = (digest: string): Promise<boolean> => store.isAttached(digest);
  const sweep = await atStart(folder, () => sweepAttachments({ ...rules, isAttached, isNewDatabase: false }));
  tellSweep(log, sweep, (await store.countAttached()) - sweep.attached);
  return { store, attachments };
}

function tellSweep(log: ServiceLog, { trashed, trash, left, unfinished }: Sweep, missing: number): void {
  if (unfinished > 0) log.info(`removed ${unfinished} unfinished uploads`);
  if (trashed > 0) log.info(`moved ${trashed} attachments that no record names to ${trash}`);
  if (left > 0)
    log.info(`left ${left} attachments that no record names where they are; old ones go to the trash later`);
  if (missing > 0) {
    const remedy = 'put their files back from a backup';
    log.error(`${missing} attachments that records name are missing; ${remedy}`, new Error('attachments are missing'));
  }
}
