import type { DatabaseOptions } from './postgres/open-postgres.ts';
import { type DataFolderOptions, openDataFolder } from './sqlite/open-data-folder.ts';
import type { OpenedStorage, StorageDependencies } from './storage.ts';

/** Where a service or a command keeps its data. */
export interface StorageOptions extends DataFolderOptions {
  /** A PostgreSQL database, for any number of services; undefined for SQLite in the data folder. */
  readonly database?: DatabaseOptions | undefined;
}

/**
 * Opens the storage for this process, and adds what closes it to `opened`.
 *
 * @throws StartError if it cannot be used.
 */
export async function openStorage(
  options: StorageOptions,
  dependencies: StorageDependencies,
  opened: AsyncDisposableStack,
): Promise<OpenedStorage> {
  const { database } = options;
  if (database === undefined) return openDataFolder(options, dependencies, opened);
  // A seventh of all modules of the service, which SQLite does not need.
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(database, dependencies, opened);
}
