/** Time, passed in so that tests never wait. */
export interface Clock {
  /** The time of day in milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `fire` once after so many milliseconds; the returned function calls it off. */
  after(milliseconds: number, fire: () => void): () => void;
}

/** The time of day in milliseconds since the Unix epoch, for those who need no timer. */
export type Now = Clock['now'];

/** Calls `fire` once after so many milliseconds; the function that it returns calls it off. */
export type After = Clock['after'];

/** Unix seconds with their fraction, the unit of every time in the interface, of a time in milliseconds. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** The longest wait of a timer, in milliseconds: 24.8 days. Node.js fires longer ones at once. */
const longestTimer = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, fire) {
    let remaining = milliseconds;
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const next = Math.min(remaining, longestTimer);
      remaining -= next;
      timer = setTimeout(remaining > 0 ? wait : fire, next);
    };
    wait();
    return () => {
      clearTimeout(timer);
    };
  },
};

/**
 * Waits so many milliseconds.
 *
 * @throws the signal's reason, as soon as it is aborted; the timer is then gone.
 */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(asError(signal.reason));
      return;
    }
    const onAbort = (): void => {
      callOff();
      reject(asError(signal?.reason));
    };
    const callOff = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
