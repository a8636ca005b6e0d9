import { openDataFolder, type DataFolderOptions } from './sqlite/open-data-folder.ts';
import type { OpenedStorage, StorageDependencies } from './storage.ts';

/** The storage to open. Another kind of database becomes another member of this union. */
export type StorageOptions = DataFolderOptions;

/**
 * Opens the storage for this process, and adds the functions that close it to `closers`.
 *
 * @throws StartError if it cannot be used.
 */
export function openStorage(
  options: StorageOptions,
  dependencies: StorageDependencies,
  closers: (() => Promise<void> | void)[],
): Promise<OpenedStorage> {
  return openDataFolder(options, dependencies, closers);
}
