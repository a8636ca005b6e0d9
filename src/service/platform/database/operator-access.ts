import type { AttachmentStore } from '../attachments/attachments.ts';
import type { StorageOptions } from './open-storage.ts';
import { withOperatorDatabase } from './postgres/operator-access.ts';
import { type OperatorAccess, withOperatorFolder } from './sqlite/operator-access.ts';
import type { Storage, StorageDependencies } from './storage.ts';

/**
 * Opens the storage of a service for an operator's command, also while services are running with it. The tables of a
 * PostgreSQL database are never migrated.
 *
 * @throws Error if there is no database, or it has a different schema version that must not be changed.
 */
export function withOperatorStorage<Result>(
  options: StorageOptions,
  dependencies: StorageDependencies,
  work: (storage: Storage, openAttachments: () => Promise<AttachmentStore>) => Promise<Result>,
  access?: OperatorAccess,
): Promise<Result> {
  return options.kind === 'sqlite'
    ? withOperatorFolder(options.folder, dependencies, work, access)
    : withOperatorDatabase(options, dependencies, work);
}
