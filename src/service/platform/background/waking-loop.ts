import type { After } from '../../../runtime/clock.ts';
import type { Storage } from '../database/storage.ts';

export interface WakingLoopDependencies {
  readonly storage: Pick<Storage, 'onCommit'>;
  readonly after: After;
}

/** Looks for work immediately, after each write of this process, and whenever the time that it gave has passed. */
export class WakingLoop {
  readonly #after: After;
  readonly #run: Promise<void>;
  #isStopped = false;
  #wake: () => void = () => undefined;

  /** @param look returns the maximum time until it is called again, in milliseconds. Must not reject. */
  constructor({ storage, after }: WakingLoopDependencies, look: () => Promise<number>) {
    this.#after = after;
    storage.onCommit(() => {
      this.wake();
    });
    this.#run = this.#loop(look);
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

  async #loop(look: () => Promise<number>): Promise<void> {
    // The owner has to know this loop before it is called.
    await Promise.resolve();
    while (!this.#isStopped) {
      // Created before the storage is read, so that no write is missed.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const cancel = this.#after(await look(), () => {
        this.wake();
      });
      await woken;
      cancel();
    }
  }
}
