/** Time, passed in so that tests never wait. */
export interface Clock {
  /** The time of day in milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `fire` once after so many milliseconds; the returned function calls it off. */
  after(milliseconds: number, fire: () => void): () => void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, fire) {
    const timer = setTimeout(fire, milliseconds);
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
