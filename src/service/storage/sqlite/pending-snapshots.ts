import { setImmediate } from 'node:timers/promises';
import type { JudgingQueue } from './judging-queue.ts';
import type { PendingEnvironment, SnapshotUpdates } from './snapshot-updates.ts';

/** A storage that failed so often is left alone until the next change. */
const mostFailures = 3;

/** A reader makes the snapshots that are due so often, in case new changes come all the time. */
const mostRounds = 10;

/** Makes the snapshots that `SnapshotUpdates` noted, each in a write of its own. */
export class PendingSnapshots {
  readonly #queue: JudgingQueue;
  readonly #updates: SnapshotUpdates;
  #state: 'idle' | 'busy' | 'closed' = 'idle';

  constructor(queue: JudgingQueue, updates: SnapshotUpdates) {
    this.#queue = queue;
    this.#updates = updates;
  }

  /** Begins soon, and ends when none is left. Call it at the start and whenever something was noted. */
  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'busy';
    void this.#run();
  }

  /** Begins nothing new. What is left is made after the next start of the service. */
  close(): void {
    this.#state = 'closed';
  }

  async #run(): Promise<void> {
    let after: PendingEnvironment | undefined;
    let failures = 0;
    // What was noted is read after the commit.
    await setImmediate();
    while (this.#state === 'busy' && failures < mostFailures) {
      const next = this.#updates.nextPending(after);
      if (next === undefined) break;
      try {
        after = await this.#queue.write((matches) => this.#updates.makeSome(after, matches));
      } catch {
        // The note stays. Whoever reads the environment hears of the failure; the others are not held up by it.
        failures += 1;
        after = next;
      }
      await setImmediate();
    }
    if (this.#state === 'busy') this.#state = 'idle';
  }

  /** Reads at once if nothing is due that would change the answer, and else after that is made. */
  read<Result>(org: string, names: readonly string[], read: () => Result): Promise<Result> {
    try {
      return this.#pendingFor(org, names).length === 0 ? Promise.resolve(read()) : this.#readLater(org, names, read);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #readLater<Result>(org: string, names: readonly string[], read: () => Result): Promise<Result> {
    for (let round = 0; round < mostRounds; round += 1) {
      const pending = this.#pendingFor(org, names);
      if (pending.length === 0) break;
      for (const environment of pending) {
        await this.#queue.write((matches) => {
          this.#updates.makePending({ org, environment }, matches);
        });
      }
    }
    return read();
  }

  #pendingFor(org: string, names: readonly string[]): readonly string[] {
    return names.flatMap((name) => this.#updates.pendingFor(org, name));
  }
}
