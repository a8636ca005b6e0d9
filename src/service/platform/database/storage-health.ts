import { maximumFileBytes } from '../../../contract/limits.ts';
import type { After, Now } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import type { AttachmentStore } from '../attachments/attachments.ts';
import { HealthCheck } from './health-check.ts';
import type { Storage } from './storage.ts';
import type { StorageError } from './storage-error.ts';
import { onDisk, storageError } from './storage-faults.ts';

export interface StorageHealthDependencies {
  readonly storage: Pick<Storage, 'probe'>;
  readonly attachments: Pick<AttachmentStore, 'probe' | 'objectStorage'>;
  /** The free space in bytes on the disk of the storage; undefined if it has none on this machine. */
  readonly freeBytes: (() => Promise<number>) | undefined;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/**
 * How long a check waits for the object storage, in milliseconds: shorter than a load balancer waits for the service
 * (in Kubernetes, a second by default).
 */
const objectStoragePatience = 500;
/**
 * How long a check waits for the storage, in milliseconds: shorter than HAProxy waits for the service (deploy/haproxy.cfg),
 * so that its log has the reason.
 */
const storagePatience = 4000;
/** How much more space than at the failure must be free for writes to be accepted again, in bytes. */
const requiredExtraBytes = 256 * 1024;

export interface StorageFaults {
  /** Why nothing can be recorded; undefined if the storage works. */
  readonly storage: StorageError | undefined;
  /** Why attachments cannot be kept in the object storage; undefined if they can, or if there is no object storage. */
  readonly objectStorage: StorageError | undefined;
}

/** Whether the storage accepts writes. */
export class StorageHealth {
  readonly #dependencies: StorageHealthDependencies;
  readonly #storage: HealthCheck;
  readonly #objectStorage: HealthCheck | undefined;
  #measurement: Promise<void> = Promise.resolve();
  /** Free bytes when a write last failed because the disk was full; undefined once there is more space. */
  #insufficientBytes: number | undefined;
  /** Whether a write failed because the disk was full, and no check has found room since. */
  #lacksRoom = false;
  /** The first error of a damaged database. Some of it can still be written, but only a backup repairs it. */
  #damage: StorageError | undefined;

  constructor(dependencies: StorageHealthDependencies) {
    this.#dependencies = dependencies;
    const { attachments, now, after, log } = dependencies;
    const { objectStorage } = attachments;
    this.#storage = new HealthCheck({
      ...{ subject: 'the storage', patience: storagePatience, lateReason: 'slow', now, after, log },
      probe: () => this.#probe(),
    });
    if (objectStorage === undefined) return;
    this.#objectStorage = new HealthCheck({
      ...{ subject: 'the object storage', patience: objectStoragePatience, lateReason: 'unreachable', now, after, log },
      probe: () => objectStorage.probe(),
    });
  }

  /** Returns what does not work at the moment. An object storage that does not answer does not delay the result. */
  async check(): Promise<StorageFaults> {
    const [storage, objectStorage] = await Promise.all([this.#storage.check(), this.#objectStorage?.check()]);
    return { storage, objectStorage };
  }

  /** Call it when a request failed because of the storage. */
  storageFailed(error: StorageError): void {
    this.#storage.forget();
    if (error.reason === 'damaged') this.#damage ??= error;
    if (error.reason !== 'full') return;
    this.#lacksRoom = true;
    this.#measurement = this.#measureFreeBytes();
  }

  async #measureFreeBytes(): Promise<void> {
    const free = await this.#freeBytes().catch(() => 0);
    // If there is space for any file, a quota or another limit was hit, which free bytes do not show.
    if (free > maximumFileBytes) return;
    this.#insufficientBytes = Math.max(this.#insufficientBytes ?? 0, free);
  }

  async #probe(): Promise<void> {
    if (this.#damage !== undefined) throw this.#damage;
    await this.#measurement;
    const { storage, attachments } = this.#dependencies;
    await storage.probe(this.#lacksRoom ? requiredExtraBytes : 0);
    await attachments.probe();
    await this.#requireFreeBytes();
    this.#lacksRoom = false;
  }

  async #requireFreeBytes(): Promise<void> {
    if (this.#insufficientBytes === undefined) return;
    const free = await onDisk(() => this.#freeBytes());
    if (free < this.#insufficientBytes + requiredExtraBytes) throw storageError('full');
    this.#insufficientBytes = undefined;
  }

  async #freeBytes(): Promise<number> {
    return (await this.#dependencies.freeBytes?.()) ?? Infinity;
  }
}
