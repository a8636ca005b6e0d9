import { statfs } from 'node:fs/promises';
import { maximumFileBytes } from '../contract/limits.ts';
import type { After, Now } from '../runtime/clock.ts';
import type { ServiceLog } from '../runtime/log.ts';
import type { AttachmentStore } from './storage/attachments.ts';
import { onDisk, storageError } from './storage/storage-faults.ts';
import { StorageError, type StorageReason } from './storage/storage-error.ts';
import type { Storage } from './storage/storage.ts';

/** What `StorageHealth` needs. */
export interface StorageHealthDependencies {
  readonly storage: Pick<Storage, 'probe'>;
  readonly attachments: Pick<AttachmentStore, 'probe'>;
  readonly dataFolder: string;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/** How long a result is reused, in milliseconds, so that frequent checks cost almost nothing. */
const findingLasts = 250;
/** How long a check waits for a busy disk before it relies on the previous result, in milliseconds. */
const patience = 25;
/** How long a storage that worked is assumed to work while a new check is slow, in milliseconds. */
const relianceLasts = 15_000;
/** How much more free space than at the failure ends "disk full", in bytes. */
const roomAgain = 256 * 1024;

interface Finding {
  readonly at: number;
  readonly fault: StorageError | undefined;
}

/** A look at the storage that is under way. */
interface Looking {
  readonly since: number;
  readonly finding: Promise<Finding>;
}

/**
 * Whether the storage accepts writes. Checked by writing, so that it recovers with the first write that succeeds.
 */
export class StorageHealth {
  readonly #dependencies: StorageHealthDependencies;
  #finding: Finding | undefined;
  #looking: Looking | undefined;
  /** The reason that was logged last. */
  #told: StorageReason | undefined;
  #measured: Promise<void> = Promise.resolve();
  /** Free bytes when a write last failed for lack of space; undefined once there is more. */
  #tooLittle: number | undefined;

  constructor(dependencies: StorageHealthDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Why nothing can be recorded; undefined if the storage works. A disk that is busy with large requests does not delay the
   * result: a storage that worked a moment ago is assumed to work still, unless a request has failed since.
   */
  async check(): Promise<StorageError | undefined> {
    const known = this.#finding;
    if (known !== undefined && this.#isYounger(known, findingLasts)) return known.fault;
    this.#looking ??= this.#startLooking();
    const mayRely = known !== undefined && known.fault === undefined && this.#isYounger(known, relianceLasts);
    const { fault } = await (mayRely ? this.#foundInTime(this.#looking, known) : this.#looking.finding);
    return fault;
  }

  #startLooking(): Looking {
    const finding = this.#look().finally(() => {
      this.#looking = undefined;
    });
    return { since: this.#dependencies.now(), finding };
  }

  /** After the clock was set back, the result has a time in the future and must not be reused. */
  #isYounger({ at }: Finding, milliseconds: number): boolean {
    const age = this.#dependencies.now() - at;
    return age >= 0 && age < milliseconds;
  }

  /** The result of the check, or the previous one if the check is slow and no request has failed meanwhile. */
  async #foundInTime({ since, finding }: Looking, known: Finding): Promise<Finding> {
    const wait = since + patience - this.#dependencies.now();
    if (wait <= 0) return known;
    const { promise, resolve } = Promise.withResolvers<Finding>();
    const callOff = this.#dependencies.after(Math.min(wait, patience), () => {
      if (this.#finding === known) resolve(known);
    });
    try {
      return await Promise.race([finding, promise]);
    } finally {
      callOff();
    }
  }

  /** Call it when a request failed because of the storage. */
  storageFailed(error: StorageError): void {
    this.#finding = undefined;
    if (error.reason === 'full') this.#measured = this.#measureRoom();
  }

  async #measureRoom(): Promise<void> {
    const free = await this.#freeBytes().catch(() => 0);
    // If there is space for any file, a quota or another limit was hit, which free bytes do not show.
    if (free > maximumFileBytes) return;
    this.#tooLittle = Math.max(this.#tooLittle ?? 0, free);
  }

  async #look(): Promise<Finding> {
    await this.#measured;
    const fault = await this.#probe();
    const { log, now } = this.#dependencies;
    if (fault !== undefined && fault.reason !== this.#told) log.error('the storage is not writable', fault);
    if (fault === undefined && this.#told !== undefined) log.info('the storage is writable again');
    this.#told = fault?.reason;
    this.#finding = { at: now(), fault };
    return this.#finding;
  }

  async #probe(): Promise<StorageError | undefined> {
    const { storage, attachments } = this.#dependencies;
    try {
      await storage.probe();
      await attachments.probe();
      await this.#demandRoom();
      return undefined;
    } catch (error) {
      return error instanceof StorageError ? error : storageError('failing', error);
    }
  }

  async #demandRoom(): Promise<void> {
    if (this.#tooLittle === undefined) return;
    const free = await onDisk(() => this.#freeBytes());
    if (free < this.#tooLittle + roomAgain) throw storageError('full');
    this.#tooLittle = undefined;
  }

  async #freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#dependencies.dataFolder);
    return bavail * bsize;
  }
}
