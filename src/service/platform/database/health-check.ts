import { type After, isRecent, type Now } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import { StorageError, type StorageReason } from './storage-error.ts';
import { storageError } from './storage-faults.ts';

export interface HealthCheckDependencies {
  /** What is checked, for the log, such as `the storage`. */
  readonly subject: string;
  /** Writes. @throws StorageError if that fails */
  readonly probe: () => Promise<void>;
  /** How long a check may take, in milliseconds. */
  readonly patience: number;
  /** The result of a check that takes longer. */
  readonly lateReason: StorageReason;
  readonly now: Now;
  readonly after: After;
  readonly log: ServiceLog;
}

/** How long a result is reused, in milliseconds, so that frequent checks cost almost nothing. */
const resultLifetime = 250;
/** How long a check waits for a slow probe before it relies on the previous result, in milliseconds. */
const maximumWait = 25;
/** The maximum age of a positive result that stands in for a slow check, in milliseconds. */
const maximumResultAge = 15_000;

interface CheckResult {
  readonly at: number;
  readonly fault: StorageError | undefined;
}

interface RunningProbe {
  readonly since: number;
  readonly result: Promise<CheckResult>;
}

/** Whether something accepts writes. Checked by writing, so that it recovers with the first write that succeeds. */
export class HealthCheck {
  readonly #dependencies: HealthCheckDependencies;
  #result: CheckResult | undefined;
  #running: RunningProbe | undefined;
  /** The reason that was logged last. */
  #loggedReason: StorageReason | undefined;

  constructor(dependencies: HealthCheckDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns why nothing can be written; undefined if writing works. A slow probe does not delay the result: if writing
   * worked recently and `forget` was not called since, it is assumed to work.
   */
  async check(): Promise<StorageError | undefined> {
    const { now, patience, lateReason } = this.#dependencies;
    const known = this.#result;
    if (known !== undefined && isRecent(known.at, resultLifetime, now())) return known.fault;
    this.#running ??= this.#start();
    const { since, result } = this.#running;
    if (known !== undefined && known.fault === undefined && isRecent(known.at, maximumResultAge, now())) {
      const early = await this.#within(since + maximumWait, result);
      if (early !== undefined) return early.fault;
      if (this.#result === known) return undefined;
    }
    const found = await this.#within(since + patience, result);
    return found === undefined ? storageError(lateReason) : found.fault;
  }

  /** Makes the next check wait for its probe. Call it when something other than a check failed. */
  forget(): void {
    this.#result = undefined;
  }

  #start(): RunningProbe {
    const result = this.#run().finally(() => {
      this.#running = undefined;
    });
    return { since: this.#dependencies.now(), result };
  }

  /** Returns undefined if the result takes longer. */
  async #within(time: number, result: Promise<CheckResult>): Promise<CheckResult | undefined> {
    const { now, after } = this.#dependencies;
    const late = Promise.withResolvers<undefined>();
    const cancel = after(Math.max(time - now(), 0), () => {
      late.resolve(undefined);
    });
    try {
      return await Promise.race([result, late.promise]);
    } finally {
      cancel();
    }
  }

  async #run(): Promise<CheckResult> {
    const fault = await this.#probe();
    const { subject, log, now } = this.#dependencies;
    if (fault !== undefined && fault.reason !== this.#loggedReason) log.error(`${subject} is not writable`, fault);
    if (fault === undefined && this.#loggedReason !== undefined) log.info(`${subject} is writable again`);
    this.#loggedReason = fault?.reason;
    this.#result = { at: now(), fault };
    return this.#result;
  }

  async #probe(): Promise<StorageError | undefined> {
    try {
      await this.#dependencies.probe();
      return undefined;
    } catch (error) {
      return error instanceof StorageError ? error : storageError('failing', error);
    }
  }
}
