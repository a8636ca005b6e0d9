import { setImmediate } from 'node:timers/promises';
import type { PendingReference } from '../../storage/snapshots.ts';
import type { ReadTransaction } from '../../storage/storage.ts';
import type { UseCaseDependencies } from '../use-case-dependencies.ts';
import { runJudgingTransaction } from './judging-transaction.ts';
import { SnapshotUpdates } from './snapshot-updates.ts';

/** After so many failures of the storage the snapshots stay pending until the next change. */
const maximumFailures = 3;

/** A reader makes pending snapshots so many times, in case new changes come all the time. */
const maximumRounds = 10;

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

/** Makes the snapshots that `SnapshotUpdates` left pending, in transactions of their own. */
export class PendingSnapshots {
  readonly #dependencies: Dependencies;
  /** Undefined while there is nothing to do. */
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Makes what is pending from before, and from now on what becomes pending. */
  start(): void {
    this.#dependencies.judging.onSnapshotsPending(() => {
      this.#begin();
    });
    this.#begin();
  }

  /** Begins nothing new, and ends after what is under way. What is left is made after the next start of the service. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  #begin(): void {
    if (this.#isStopped) return;
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    await setImmediate();
    while (this.#takeWanted()) await this.#makeAll();
    this.#running = undefined;
  }

  #takeWanted(): boolean {
    const isWanted = this.#isWanted && !this.#isStopped;
    this.#isWanted = false;
    return isWanted;
  }

  /** Ends when nothing is left. */
  async #makeAll(): Promise<void> {
    let after: PendingReference | undefined;
    let failures = 0;
    while (failures < maximumFailures && !this.#isStopped) {
      const next = await this.#findNext(after);
      if (next === undefined) return;
      try {
        after = await this.#makeSome(after);
      } catch {
        // It stays pending. Whoever reads the environment hears of the failure; the others are not held up by it.
        failures += 1;
        after = next;
      }
      // Others get their turn in between.
      await setImmediate();
    }
  }

  /** Undefined if none is left, or the storage cannot be read. */
  #findNext(after: PendingReference | undefined): Promise<PendingReference | undefined> {
    const { storage } = this.#dependencies;
    return storage.read(({ snapshots }) => snapshots.findNextPending(after)).catch(() => undefined);
  }

  #makeSome(after: PendingReference | undefined): Promise<PendingReference | undefined> {
    return runJudgingTransaction(this.#dependencies, (transaction, context) =>
      new SnapshotUpdates(transaction, context).makeSome(after),
    );
  }
}

/**
 * Reads environments and their snapshots at once if nothing is pending that would change the answer, and else after that is
 * made.
 */
export async function readCurrent<Result>(
  dependencies: Dependencies,
  { org, environments }: { readonly org: string; readonly environments: readonly string[] },
  read: (transaction: ReadTransaction) => Promise<Result>,
): Promise<Result> {
  for (let round = 0; ; round += 1) {
    const answer = await dependencies.storage.read(async (transaction) => {
      const pending = round < maximumRounds ? await transaction.snapshots.listPendingFor(org, environments) : [];
      return pending.length > 0 ? { pending } : { result: await read(transaction) };
    });
    if ('result' in answer) return answer.result;
    for (const reference of answer.pending) {
      await runJudgingTransaction(dependencies, (transaction, context) =>
        new SnapshotUpdates(transaction, context).makePending(reference),
      );
    }
  }
}
