import type { After } from '../../../runtime/clock.ts';
import { toAbortError } from '../../../runtime/failure.ts';

/** Work did not end within its deadline. The message has no full stop. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`);
  }
}

/**
 * Runs work for a limited time. All requests that the service itself sends run in it, so that nothing that the other
 * side does, or does not do, keeps the service waiting.
 *
 * @param signal ends the work earlier
 * @param work should end when its signal is aborted. It is not waited for then, because not everything can be aborted:
 *   a DNS lookup, for example.
 * @throws DeadlineError; the reason of `signal`; the error of `work`
 */
export async function withDeadline<Result>(
  { after, signal: outer }: { readonly after: After; readonly signal?: AbortSignal },
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const signal = AbortSignal.any(outer === undefined ? [limit.signal] : [limit.signal, outer]);
  const cancel = after(milliseconds, () => {
    limit.abort(new DeadlineError(milliseconds));
  });
  try {
    return await Promise.race([work(signal), rejectOnAbort(signal)]);
  } catch (error) {
    throw signal.aborted ? toAbortError(signal.reason) : error;
  } finally {
    cancel();
  }
}

/** Returns a promise that rejects with the signal's reason when it is aborted, and never resolves. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => {
      reject(toAbortError(signal.reason));
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
