import type { Preparation, WriteTransaction } from '../storage.ts';

/** Works of one organization that are waiting at the same time share a transaction, until they have run this long (ms). */
const maximumGroupMilliseconds = 15;
/** How many works of a group prepare at the same time at most. Those that are not run prepare again in the next group. */
const maximumPrepared = 32;

/** Work that may share a transaction with others. */
export interface PreparedWork {
  readonly prepare: Preparation;
  readonly run: (transaction: WriteTransaction) => Promise<void>;
}

/**
 * Runs works one after the other until it takes too long. Returns how many of them were run, at least one.
 *
 * @param elapsed monotonic time in milliseconds
 */
export async function runInTurn(
  works: readonly PreparedWork[],
  transaction: WriteTransaction,
  elapsed: () => number,
): Promise<number> {
  const begun = elapsed();
  let preparing = 0;
  let done = 0;
  do {
    const next = works.slice(done, done + maximumPrepared);
    const before = elapsed();
    await Promise.all(next.map(async ({ prepare }) => prepare(transaction)));
    preparing += elapsed() - before;
    for (const { run } of next) {
      await run(transaction);
      done += 1;
      // Without the time of preparations, because a slow database would make each group prepare many works and run one.
      if (elapsed() - begun - preparing >= maximumGroupMilliseconds) return done;
    }
  } while (done < works.length && elapsed() - begun < maximumGroupMilliseconds);
  return done;
}
