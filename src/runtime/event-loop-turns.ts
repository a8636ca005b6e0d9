import { setImmediate } from 'node:timers/promises';

/**
 * Divides long work into turns of the event loop, so that other requests are served in between. Of several callers,
 * only one continues in each turn.
 */
export class EventLoopTurns {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves at the start of a turn that no other caller uses. Requests that arrived during the one before have been
   * answered by then: they are read after it, and the responses are sent at the end of that turn.
   */
  next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate()).then(() => setImmediate());
    return this.#last;
  }
}
