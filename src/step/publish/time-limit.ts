import type { Clock } from '../../runtime/clock.ts';
import { ExternalError } from '../../runtime/failure.ts';

/** The most that showing an ending may take, in milliseconds. */
const longest = 30_000;

/** … from when the job is cancelled: GitHub ends its processes 7.5 seconds after it asked them to end. */
const longestWhenCancelled = 5_000;

/**
 * The time that there is for showing an ending. A job that is cancelled meanwhile has a verdict to show all the same, and
 * less time for it.
 */
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
    endAfter(longestWhenCancelled, 'A job that is cancelled has no more time than that. Run it again.');
  };
  if (cancelled.aborted) shorten();
  else {
    endAfter(longest, 'Run the job again, and see https://www.githubstatus.com if it keeps failing.');
    cancelled.addEventListener('abort', shorten, { once: true });
  }
  return {
    signal: limit.signal,
    stop() {
      cancelled.removeEventListener('abort', shorten);
      for (const stop of timers) stop();
    },
  };
}
