import { KnownMatches, MissingMatchesError, prepareMatches } from '../../policy/judgement-budget.ts';
import type { ReadTransaction, WriteTransaction } from '../database/storage.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';
import type { Judging } from './judging.ts';
import type { PolicyCache } from './policy-cache.ts';

export interface JudgingContext {
  readonly matches: KnownMatches;
  readonly policies: PolicyCache;
  /** Call it if the transaction leaves pending snapshots. */
  readonly leavePending: () => void;
}

/**
 * Runs a transaction that may judge environments of an organization. A transaction cannot pause. If it needs much
 * pattern matching, it is rolled back, the matching is done in portions between other work, and the transaction is run
 * again with the results.
 */
export function runJudgingTransaction<Result>(
  { storage, judging }: Pick<UseCaseDependencies, 'storage' | 'judging'>,
  org: string,
  work: (transaction: WriteTransaction, context: JudgingContext) => Promise<Result>,
): Promise<Result> {
  return repeatWithMatches(judging, async (matches) => {
    const left = { pending: false };
    const leavePending = (): void => {
      left.pending = true;
    };
    const context = { matches, policies: judging.policies, leavePending };
    const result = await storage.transaction(org, (transaction) => work(transaction, context));
    if (left.pending) judging.announcePending();
    return result;
  });
}

/** Like `runJudgingTransaction`, for a transaction that only reads. */
export function readJudging<Result>(
  { storage, judging }: Pick<UseCaseDependencies, 'storage' | 'judging'>,
  work: (transaction: ReadTransaction, context: Omit<JudgingContext, 'leavePending'>) => Promise<Result>,
): Promise<Result> {
  return repeatWithMatches(judging, (matches) =>
    storage.read((transaction) => work(transaction, { matches, policies: judging.policies })),
  );
}

async function repeatWithMatches<Result>(
  { turns }: Pick<Judging, 'turns'>,
  attempt: (matches: KnownMatches) => Promise<Result>,
): Promise<Result> {
  const matches = new KnownMatches();
  for (;;) {
    try {
      return await attempt(matches);
    } catch (error) {
      if (!(error instanceof MissingMatchesError)) throw error;
      await prepareMatches(matches, error.needed, () => turns.next());
    }
  }
}
