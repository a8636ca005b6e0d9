import { tmpdir } from 'node:os';
import type { PostgresOptions } from './postgres/open-postgres.ts';
import { type DataFolderOptions, openDataFolder } from './sqlite/open-data-folder.ts';
import type { OpenedStorage, StorageDependencies } from './storage.ts';

/** The storage to open. Another kind of database becomes another member of this union. */
export type StorageOptions = DataFolderOptions | PostgresOptions;

/** A PostgreSQL database, and where attachments are. */
export type DatabaseOptions = Omit<PostgresOptions, 'kind' | 'temporaryFolder'>;

/** Where the settings of a service or of a command keep its data. */
export interface StorageSettings {
  readonly dataFolder: string;
  /** A PostgreSQL database; undefined for SQLite in the data folder. */
  readonly database?: DatabaseOptions | undefined;
  readonly trashUnnamedAttachments?: boolean | undefined;
  readonly acceptLoss?: boolean | undefined;
}

export function toStorageOptions(settings: StorageSettings): StorageOptions {
  const { dataFolder, database, trashUnnamedAttachments, acceptLoss } = settings;
  return database === undefined
    ? { kind: 'sqlite', folder: dataFolder, trashUnnamedAttachments, acceptLoss }
    : { kind: 'postgres', ...database, temporaryFolder: tmpdir() };
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
  if (options.kind === 'sqlite') return openDataFolder(options, dependencies, opened);
  // A seventh of all modules of the service, which SQLite does not need.
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(options, dependencies, opened);
}
