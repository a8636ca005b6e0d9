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
      const next = await this.#nextPending(after);
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

  #nextPending(after: PendingEnvironment | undefined): Promise<PendingEnvironment | undefined> {
    return this.#queue.read(() => (this.#state === 'busy' ? this.#updates.nextPending(after) : undefined));
  }

  /** Reads at once if nothing is due that would change the answer, and else after that is made. */
  async read<Result>(org: string, names: readonly string[], read: () => Result): Promise<Result> {
    for (let round = 0; ; round += 1) {
      const answered = await this.#queue.read(() => {
        const pending = round < mostRounds ? this.#pendingFor(org, names) : [];
        return pending.length > 0 ? { pending } : { result: read() };
      });
      if ('result' in answered) return answered.result;
      for (const environment of answered.pending) {
        await this.#queue.write((matches) => {
          this.#updates.makePending({ org, environment }, matches);
        });
      }
    }
  }

  #pendingFor(org: string, names: readonly string[]): readonly string[] {
    return names.flatMap((name) => this.#updates.pendingFor(org, name));
  }
}
