import type { AttachmentStore } from '../attachments/attachments.ts';
import type { StorageOptions } from './open-storage.ts';
import { withOperatorDatabase } from './postgres/operator-access.ts';
import { withOperatorFolder } from './sqlite/operator-access.ts';
import type { Storage, StorageDependencies } from './storage.ts';

/**
 * Opens the storage of a service for an operator's command, also while services are running with it.
 *
 * @throws Error if there is no database, or if running services use a different schema version.
 */
export function withOperatorStorage<Result>(
  options: StorageOptions,
  dependencies: StorageDependencies,
  work: (storage: Storage, openAttachments: () => Promise<AttachmentStore>) => Promise<Result>,
): Promise<Result> {
  return options.kind === 'sqlite'
    ? withOperatorFolder(options.folder, dependencies, work)
    : withOperatorDatabase(options, dependencies, work);
}
