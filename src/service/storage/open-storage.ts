import { openPostgres, type PostgresOptions } from './postgres/open-postgres.ts';
import { openDataFolder, type DataFolderOptions } from './sqlite/open-data-folder.ts';
import type { OpenedStorage, StorageDependencies } from './storage.ts';

/** The storage to open. Another kind of database becomes another member of this union. */
export type StorageOptions = DataFolderOptions | PostgresOptions;

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
  return options.kind === 'sqlite'
    ? openDataFolder(options, dependencies, closers)
    : openPostgres(options, dependencies, closers);
}
