import { openDataFolder, type DataFolderOptions } from './sqlite/open-data-folder.ts';
import type { OpenedStorage, StorageSources } from './storage.ts';

/** Which storage is opened. Another kind of database is another member of this union. */
export type StorageOptions = DataFolderOptions;

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
