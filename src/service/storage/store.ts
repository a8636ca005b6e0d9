import type { AttestationListStore } from './attestation-list-store.ts';
import type { NotificationStore } from './notification-store.ts';

/**
 * Where the service keeps what it is told. A promise of a write resolves only after the write would survive a loss of
 * power. Records come back as they were given, in the order they were recorded; nothing that belongs to one organization
 * is ever answered for another.
 *
 * @throws StorageError if the disk, the file system or another process keeps it from working.
 */
export interface Store extends AttestationListStore, NotificationStore {}
