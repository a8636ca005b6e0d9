import { keyRetentionDays } from '../../../contract/idempotency.ts';
import { type Now, unixSeconds } from '../../../runtime/clock.ts';
import type { ReadTransaction, WriteTransaction } from '../database/storage.ts';
import type { Answer, RecordKey, RequestKey } from './remembered-answer-records.ts';

/** A request with an idempotency key, which is carried out once. `Result` is the result of the use case. */
export interface KeyedRequest<Result> extends RequestKey, RecordKey {
  /** The answer to a result; undefined if nothing was changed, so that the request may be corrected and sent again. */
  toAnswer(result: Result): Answer | undefined;
}

/**
 * A request was carried out earlier, or its key was used for another one. Nothing was changed. A use case returns it
 * only for keyed requests.
 */
export class RepeatedRequest<Result> {
  /** The outcome of the first request; undefined if that request had other content. */
  readonly first: FirstOutcome<Result> | undefined;
  /** Whether the first request appended a record that no longer counts. */
  readonly isSuperseded: boolean;

  constructor(first: FirstOutcome<Result> | undefined, isSuperseded = false) {
    this.first = first;
    this.isSuperseded = isSuperseded;
  }
}

/** The result of a use case for a request that may be keyed. */
export type OnceResult<Result> = Result | RepeatedRequest<Result>;

/** The result of the use case when the request was carried out, or the answer to it. */
export type FirstOutcome<Result> = { readonly result: Result } | { readonly answer: Answer };

/**
 * Finds the record that a keyed request appended earlier; undefined if there is none.
 *
 * @param result the result of that request
 * @param isCurrent finds out whether the record still counts
 */
export async function findRepeatedRequest<Result>(
  request: KeyedRequest<Result> | undefined,
  records: Pick<ReadTransaction['artifacts' | 'attestations'], 'findRequestDigest'>,
  result: Result,
  isCurrent: (key: string) => Promise<boolean>,
): Promise<RepeatedRequest<Result> | undefined> {
  if (request === undefined) return undefined;
  const digest = await records.findRequestDigest(request.org, request.key);
  if (digest === undefined) return undefined;
  if (digest !== request.digest) return new RepeatedRequest<Result>(undefined);
  return new RepeatedRequest({ result }, !(await isCurrent(request.key)));
}

const secondsPerDay = 24 * 60 * 60;

/** How many expired answers are deleted when one is added: enough for the table to shrink. */
const deletedPerAnswer = 2;

/**
 * Wraps the work of a transaction, so that it carries out a keyed request once and stores the answer in the same
 * transaction. Not for requests that append a record: the record itself has the key (`findRepeatedRequest`).
 */
export function carryOutOnce<Result, Rest extends readonly unknown[]>(
  { now }: { readonly now: Now },
  request: KeyedRequest<Result> | undefined,
  work: (transaction: WriteTransaction, ...rest: Rest) => Promise<Result>,
): (transaction: WriteTransaction, ...rest: Rest) => Promise<OnceResult<Result>> {
  if (request === undefined) return work;
  const answeredAt = unixSeconds(now());
  const expired = answeredAt - keyRetentionDays * secondsPerDay;
  const { digest } = request;
  return async (transaction, ...rest) => {
    const { rememberedAnswers } = transaction;
    const known = await rememberedAnswers.find(request, expired);
    if (known !== undefined)
      return new RepeatedRequest<Result>(known.digest === digest ? { answer: known } : undefined);
    const result = await work(transaction, ...rest);
    const answer = request.toAnswer(result);
    if (answer === undefined) return result;
    await rememberedAnswers.save(request, { ...answer, digest, answeredAt });
    await rememberedAnswers.deleteOldest(expired, deletedPerAnswer);
    return result;
  };
}
