import type { After } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';
import type { Storage } from '../database/storage.ts';

export interface WakingLoopDependencies {
  /** Undefined if the loop need not look for work after every write. */
  readonly storage: Pick<Storage, 'onCommit'> | undefined;
  readonly after: After;
  readonly log: ServiceLog;
}

export interface BackgroundWork {
  /** Does some of the work. Returns the maximum time until it is called again, in milliseconds, or that there is more. */
  readonly look: () => Promise<number | 'more'>;
  /** What to log if `look` rejects. It is called again after a pause. */
  readonly failure: string;
}

/** The pause after an error, in milliseconds. */
const retryDelay = 10_000;

/**
 * Looks for work immediately, after each write of this process, when it is woken, and whenever the time that the work
 * returned has passed.
 */
export class WakingLoop {
  readonly #after: After;
  readonly #log: ServiceLog;
  readonly #run: Promise<void>;
  #isStopped = false;
  #wake: () => void = () => undefined;

  constructor({ storage, after, log }: WakingLoopDependencies, work: BackgroundWork) {
    this.#after = after;
    this.#log = log;
    storage?.onCommit(() => {
      this.wake();
    });
    this.#run = this.#loop(work);
  }

  /** Looks again now. */
  wake(): void {
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wake();
    await this.#run;
  }

  async #loop({ look, failure }: BackgroundWork): Promise<void> {
    // The owner has to know this loop before it is called.
    await Promise.resolve();
    while (!this.#isStopped) {
      // Created before the storage is read, so that no write is missed.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const wait = await look().catch((error: unknown) => {
        this.#log.error(failure, error);
        return retryDelay;
      });
      if (wait === 'more') continue;
      const cancel = this.#after(wait, () => {
        this.wake();
      });
      await woken;
      cancel();
    }
  }
}
