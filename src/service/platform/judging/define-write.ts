import { type Now, unixSeconds } from '../../../runtime/clock.ts';
import type { TransactionOptions, WriteTransaction } from '../database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../idempotency/carry-out-once.ts';
import { type JudgingContext, type JudgingDependencies, runJudgingTransaction } from './judging.ts';

/** What the work of a use case gets besides its transaction. */
export interface WriteContext extends JudgingContext {
  /** When the use case began, in Unix seconds. */
  readonly at: number;
}

/**
 * Defines a use case that is one transaction of the organization of its command, and is carried out once for all requests
 * with the same idempotency key. `Needed` are the dependencies that its work gets in the context, besides the common ones.
 * Use cases that also work before or after their transaction call `carryOutOnce` themselves.
 */
export function defineWrite<Command extends { readonly org: string }, Result, Needed extends object = object>(
  work: (transaction: WriteTransaction, command: Command, context: WriteContext & Needed) => Promise<Result>,
  options?: TransactionOptions,
) {
  return (
    dependencies: JudgingDependencies & { readonly now: Now } & Needed,
    command: Command,
    request?: KeyedRequest<Result>,
  ): Promise<OnceResult<Result>> => {
    const at = unixSeconds(dependencies.now());
    const run = (transaction: WriteTransaction, context: JudgingContext): Promise<Result> =>
      work(transaction, command, { ...dependencies, ...context, at });
    return runJudgingTransaction(dependencies, command.org, carryOutOnce(dependencies, request, run), options);
  };
}
