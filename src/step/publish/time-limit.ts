import type { Clock } from '../../runtime/clock.ts';
import { ExternalError } from '../../runtime/failure.ts';

const defaultLimit = 30_000;

/** The time limit after a cancellation, in milliseconds: GitHub kills the process 7.5 s after the first signal. */
const limitWhenCancelled = 5_000;

/** Starts the time limit for publishing. A cancelled job still publishes its result, but in less time. */
export function startTimeLimit(
  cancelled: AbortSignal,
  clock: Clock,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const limit = new AbortController();
  const timers: (() => void)[] = [];
  const endAfter = (milliseconds: number, remedy: string): void => {
    const what = `GitHub did not answer within ${milliseconds / 1000} seconds`;
    timers.push(
      clock.after(milliseconds, () => {
        limit.abort(new ExternalError({ what, remedy }));
      }),
    );
  };
  const shorten = (): void => {
    endAfter(limitWhenCancelled, 'A cancelled job has no time left; run it again.');
  };
  if (cancelled.aborted) shorten();
  else {
    endAfter(defaultLimit, 'Run the job again. If it keeps failing, see https://www.githubstatus.com.');
    cancelled.addEventListener('abort', shorten, { once: true });
  }
  return {
    signal: limit.signal,
    stop() {
      cancelled.removeEventListener('abort', shorten);
      for (const clear of timers) clear();
    },
  };
}
