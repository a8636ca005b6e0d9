import type { AttachmentStore } from './attachments.ts';
import { openDataFolder, type DataFolderOptions } from './sqlite/open-data-folder.ts';
import type { Storage } from './storage.ts';
import type { ServiceLog } from '../../runtime/log.ts';
import type { Now } from '../../runtime/clock.ts';
import type { RandomBytes } from '../../runtime/random.ts';

/** What a service keeps its data in. */
export interface OpenedStorage {
  readonly storage: Storage;
  readonly attachments: AttachmentStore;
}

/** Which storage is opened. Another kind of database is another member of this union. */
export type StorageOptions = DataFolderOptions;

/** What opening needs of the outside. */
export interface StorageSources {
  readonly now: Now;
  readonly randomBytes: RandomBytes;
  readonly log: ServiceLog;
}

/**
 * Opens the storage for this process, and adds how to close it to `closers`.
 *
 * @throws StartError if it cannot be used.
 */
export function openStorage(
  options: StorageOptions,
  sources: StorageSources,
  closers: (() => Promise<void> | void)[],
): Promise<OpenedStorage> {
  return openDataFolder(options, sources, closers);
}
