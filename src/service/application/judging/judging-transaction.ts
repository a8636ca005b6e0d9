import { KnownMatches, MissingMatchesError, prepareMatches } from '../../domain/policy/judgement-budget.ts';
import type { WriteTransaction } from '../../storage/storage.ts';
import type { UseCaseDependencies } from '../use-case-dependencies.ts';
import type { PolicyCache } from './policy-cache.ts';

/** The dependencies of judging, besides the transaction. */
export interface JudgingContext {
  readonly matches: KnownMatches;
  readonly policies: PolicyCache;
  /** Call it if the transaction leaves pending snapshots. */
  readonly leavePending: () => void;
}

/**
 * Runs a transaction that may judge environments. A transaction cannot pause. If it needs much pattern matching, it is
 * rolled back, the matching is done in portions between other work, and the transaction is run again with the results.
 */
export async function runJudgingTransaction<Result>(
  { storage, judging }: Pick<UseCaseDependencies, 'storage' | 'judging'>,
  work: (transaction: WriteTransaction, context: JudgingContext) => Promise<Result>,
): Promise<Result> {
  const matches = new KnownMatches();
  for (;;) {
    const left = { pending: false };
    const leavePending = (): void => {
      left.pending = true;
    };
    const context = { matches, policies: judging.policies, leavePending };
    try {
      const result = await storage.transaction((transaction) => work(transaction, context));
      if (left.pending) judging.announcePending();
      return result;
    } catch (error) {
      if (!(error instanceof MissingMatchesError)) throw error;
      await prepareMatches(matches, error.needed, () => judging.turns.next());
    }
  }
}
