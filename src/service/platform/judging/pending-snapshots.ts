import { setImmediate } from 'node:timers/promises';
import type { PendingReference } from '../../snapshot/snapshot-records.ts';
import { WakingLoop, type WakingLoopDependencies } from '../background/waking-loop.ts';
import type { ReadTransaction } from '../database/storage.ts';
import { runJudgingTransaction } from './judging.ts';
import { SnapshotUpdates } from './snapshot-updates.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';

/** After this many failures to create one, snapshots stay pending until the next look. */
const maximumFailures = 3;

/** Looks for pending snapshots at least this often, in milliseconds: other processes leave some when they end. */
const lookAgainDelay = 10_000;

/** How many times a reader creates pending snapshots, in case new changes keep coming. */
const maximumRounds = 10;

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging'>;

/** Creates the snapshots that `SnapshotUpdates` left pending, in separate transactions, each after other requests. */
export function startPendingSnapshots(dependencies: Dependencies & WakingLoopDependencies): WakingLoop {
  const { storage } = dependencies;
  let last: PendingReference | undefined;
  let failures = 0;
  const look = async (): Promise<number | 'more'> => {
    await setImmediate();
    const next = await storage.read(({ snapshots }) => snapshots.findNextPending(last));
    if (next === undefined || failures === maximumFailures) {
      // Meanwhile, some may have become pending that come before the last one.
      const isOver = last === undefined || failures > 0;
      [last, failures] = [undefined, 0];
      return isOver ? lookAgainDelay : 'more';
    }
    last = next;
    await makePending(dependencies, next).catch(() => {
      // The snapshot stays pending and blocks no others. A reader of its environment gets the error.
      failures += 1;
    });
    return 'more';
  };
  return new WakingLoop(dependencies, { look, failure: 'pending snapshots could not be created; trying again' });
}

/** Creates a pending snapshot, unless it has been created in the meantime. */
function makePending(dependencies: Dependencies, reference: PendingReference): Promise<void> {
  return runJudgingTransaction(
    dependencies,
    reference.org,
    (transaction, context) => new SnapshotUpdates(transaction, context).makePending(reference),
    { mayExceedQuotas: true },
  );
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
    for (const reference of answer.pending) await makePending(dependencies, reference);
  }
}
