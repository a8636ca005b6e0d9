import { KnownMatches, MatchesMissing, prepareMatches } from '../domain/policy/work.ts';
import type { WriteTransaction } from '../storage/storage.ts';
import type { UseCaseDependencies } from './use-case-dependencies.ts';

/**
 * Runs a transaction that may judge environments. A transaction cannot pause, so one that needs much matching of patterns is
 * given up, the matching is done in portions between other work, and the transaction begins again with the matches.
 */
export async function runJudgingTransaction<Result>(
  { storage, turns }: Pick<UseCaseDependencies, 'storage' | 'turns'>,
  work: (transaction: WriteTransaction, matches: KnownMatches) => Promise<Result>,
): Promise<Result> {
  const matches = new KnownMatches();
  for (;;) {
    try {
      return await storage.transaction((transaction) => work(transaction, matches));
    } catch (error) {
      if (!(error instanceof MatchesMissing)) throw error;
      await prepareMatches(matches, error.needed, () => turns.next());
    }
  }
}
