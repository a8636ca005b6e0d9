import { maximumFileBytes } from '../contract/limits.ts';
import type { After, Now } from '../runtime/clock.ts';
import type { ServiceLog } from '../runtime/log.ts';
import type { AttachmentStore } from './storage/attachments.ts';
import { onDisk, storageError } from './storage/storage-faults.ts';
import { StorageError, type StorageReason } from './storage/storage-error.ts';
import type { Storage } from './storage/storage.ts';

/** The dependencies of `StorageHealth`. */
export interface StorageHealthDependencies {
  readonly storage: Pick<Storage, 'probe'>;
  readonly attachments: Pick<AttachmentStore, 'probe'>;
  /** The free space in bytes on the disk of the storage; undefined if it has none on this machine. */
  readonly freeBytes: (() => Promise<number>) | undefined;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/** How long a result is reused, in milliseconds, so that frequent checks cost almost nothing. */
const resultLifetime = 250;
/** How long a check waits for a busy disk before it relies on the previous result, in milliseconds. */
const maximumWait = 25;
/** How old a positive result may be that stands in for a slow check, in milliseconds. */
const maximumResultAge = 15_000;
/** How much more space than at the failure must be free for writes to be accepted again, in bytes. */
const requiredExtraBytes = 256 * 1024;

interface CheckResult {
  readonly at: number;
  readonly fault: StorageError | undefined;
}

/** A check of the storage that has not ended. */
interface RunningCheck {
  readonly since: number;
  readonly result: Promise<CheckResult>;
}

/**
 * Whether the storage accepts writes. Checked by writing, so that it recovers with the first write that succeeds.
 */
export class StorageHealth {
  readonly #dependencies: StorageHealthDependencies;
  #result: CheckResult | undefined;
  #running: RunningCheck | undefined;
  /** The reason that was logged last. */
  #loggedReason: StorageReason | undefined;
  #measurement: Promise<void> = Promise.resolve();
  /** Free bytes when a write last failed because the disk was full; undefined once there is more space. */
  #insufficientBytes: number | undefined;
  /** Whether a write failed because the disk was full, and no check has found room since. */
  #lacksRoom = false;

  constructor(dependencies: StorageHealthDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns why nothing can be recorded; undefined if the storage works. A busy disk does not delay the result: if the
   * storage worked recently and no request has failed since, it is assumed to work.
   */
  async check(): Promise<StorageError | undefined> {
    const known = this.#result;
    if (known !== undefined && this.#isYounger(known, resultLifetime)) return known.fault;
    this.#running ??= this.#startCheck();
    const isRecent = known !== undefined && known.fault === undefined && this.#isYounger(known, maximumResultAge);
    const { fault } = await (isRecent ? this.#waitBriefly(this.#running, known) : this.#running.result);
    return fault;
  }

  #startCheck(): RunningCheck {
    const result = this.#run().finally(() => {
      this.#running = undefined;
    });
    return { since: this.#dependencies.now(), result };
  }

  /** After the clock was set back, the result has a time in the future and must not be reused. */
  #isYounger({ at }: CheckResult, milliseconds: number): boolean {
    const age = this.#dependencies.now() - at;
    return age >= 0 && age < milliseconds;
  }

  /** Returns the result of the check, or the previous one if the check is slow and no request has failed since. */
  async #waitBriefly({ since, result }: RunningCheck, known: CheckResult): Promise<CheckResult> {
    const wait = since + maximumWait - this.#dependencies.now();
    if (wait <= 0) return known;
    const { promise, resolve } = Promise.withResolvers<CheckResult>();
    const cancel = this.#dependencies.after(Math.min(wait, maximumWait), () => {
      if (this.#result === known) resolve(known);
    });
    try {
      return await Promise.race([result, promise]);
    } finally {
      cancel();
    }
  }

  /** Call it when a request failed because of the storage. */
  storageFailed(error: StorageError): void {
    this.#result = undefined;
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

  async #run(): Promise<CheckResult> {
    await this.#measurement;
    const fault = await this.#probe();
    const { log, now } = this.#dependencies;
    if (fault !== undefined && fault.reason !== this.#loggedReason) log.error('the storage is not writable', fault);
    if (fault === undefined && this.#loggedReason !== undefined) log.info('the storage is writable again');
    this.#loggedReason = fault?.reason;
    this.#result = { at: now(), fault };
    return this.#result;
  }

  async #probe(): Promise<StorageError | undefined> {
    const { storage, attachments } = this.#dependencies;
    try {
      await storage.probe(this.#lacksRoom ? requiredExtraBytes : 0);
      await attachments.probe();
      await this.#requireFreeBytes();
      this.#lacksRoom = false;
      return undefined;
    } catch (error) {
      return error instanceof StorageError ? error : storageError('failing', error);
    }
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
