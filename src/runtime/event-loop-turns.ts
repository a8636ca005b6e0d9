import { setImmediate } from 'node:timers/promises';

/**
 * Divides long work into turns of the event loop, so that other requests are served in between. Of several callers,
 * only one continues in each turn.
 */
export class EventLoopTurns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves at the start of a turn that no other caller uses. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
