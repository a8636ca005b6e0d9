import { setImmediate } from 'node:timers/promises';
import type { After } from '../../../runtime/clock.ts';
import type { PendingReference } from '../../snapshot/snapshot-records.ts';
import type { ReadTransaction } from '../database/storage.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import { runJudgingTransaction } from './judging.ts';
import { SnapshotUpdates } from './snapshot-updates.ts';

/** After this many failures of the storage, snapshots stay pending until the next change. */
const maximumFailures = 3;

/** Looks for pending snapshots at least this often, in milliseconds: other processes leave some when they end. */
const lookAgainDelay = 10_000;

/** How many times a reader creates pending snapshots, in case new changes keep coming. */
const maximumRounds = 10;

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

export interface PendingSnapshotsDependencies extends Dependencies {
  readonly after: After;
}

/** Creates the snapshots that `SnapshotUpdates` left pending, in separate transactions. */
export class PendingSnapshots {
  readonly #dependencies: PendingSnapshotsDependencies;
  /** Undefined while idle. */
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  /** Cancels the timer of the next look. */
  #cancel: () => void = () => undefined;

  constructor(dependencies: PendingSnapshotsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Creates the snapshots that are pending, and from now on those that become pending. */
  start(): void {
    this.#dependencies.judging.onSnapshotsPending(() => {
      this.#begin();
    });
    this.#look();
  }

  /** Stops after the current transaction. The remaining snapshots are created after the next start of the service. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  #look(): void {
    this.#begin();
    this.#cancel = this.#dependencies.after(lookAgainDelay, () => {
      this.#look();
    });
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

  /** Returns when no snapshot is pending. */
  async #makeAll(): Promise<void> {
    let after: PendingReference | undefined;
    let failures = 0;
    while (failures < maximumFailures && !this.#isStopped) {
      const next = await this.#findNext(after);
      if (next === undefined) return;
      try {
        after = await this.#makeSome(next);
      } catch {
        // The snapshot stays pending and blocks no others. A reader of its environment gets the error.
        failures += 1;
        after = next;
      }
      // Lets other requests run in between.
      await setImmediate();
    }
  }

  /** Undefined if none is pending, or the storage cannot be read. */
  #findNext(after: PendingReference | undefined): Promise<PendingReference | undefined> {
    const { storage } = this.#dependencies;
    return storage.read(({ snapshots }) => snapshots.findNextPending(after)).catch(() => undefined);
  }

  /** Returns the last one that was created. */
  #makeSome(first: PendingReference): Promise<PendingReference> {
    return runJudgingTransaction(
      this.#dependencies,
      first.org,
      (transaction, context) => new SnapshotUpdates(transaction, context).makeSome(first),
      { mayExceedQuotas: true },
    );
  }
}

/** Reads environments and their snapshots, after creating the pending snapshots that would change the result. */
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
      await runJudgingTransaction(
        dependencies,
        org,
        (transaction, context) => new SnapshotUpdates(transaction, context).makePending(reference),
        { mayExceedQuotas: true },
      );
    }
  }
}
