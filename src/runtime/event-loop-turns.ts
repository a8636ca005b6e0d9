import { setImmediate } from 'node:timers/promises';

/**
 * Spreads work over turns of the event loop: whoever waits for a turn goes on alone in it, after everything that has arrived
 * meanwhile was looked at.
 */
export class EventLoopTurns {
  #last: Promise<void> = Promise.resolve();

  /** Ends with the beginning of a turn of its own. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
