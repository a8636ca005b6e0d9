import { toAbortError } from './failure.ts';

/** The current time and timers; passed in, so that tests never wait. */
export interface Clock {
  /** The current time, in milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Calls `fire` once after the given number of milliseconds, or after 24.8 days if that is sooner. Returns a function
   * that cancels the timer.
   */
  after(milliseconds: number, fire: () => void): () => void;
}

/** Returns the current time, in milliseconds since the Unix epoch. */
export type Now = Clock['now'];

/** See `Clock.after`. */
export type After = Clock['after'];

/** Converts milliseconds to Unix seconds with a fraction, the unit of every time in the interface. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** The day of a time in Unix seconds, in UTC: `2027-01-01`. Days sort as texts. */
export function toDay(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/**
 * Whether a time is less than a duration ago; all in the same unit. A time in the future is not: the clock was set back
 * since then.
 */
export function isRecent(time: number, duration: number, now: number): boolean {
  return time <= now && now - time < duration;
}

/** The longest timeout that Node.js supports, in milliseconds: 24.8 days. It fires longer timers at once. */
const maximumTimeout = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, fire) {
    const timer = setTimeout(fire, Math.min(milliseconds, maximumTimeout));
    return () => {
      clearTimeout(timer);
    };
  },
};

/** For a process that soon ends: deadlines hold even if the clock of the machine is set meanwhile. */
export const steadyClock: Clock = {
  ...systemClock,
  now: () => Math.round(performance.timeOrigin + performance.now()),
};

/**
 * Waits for the given number of milliseconds.
 *
 * @throws the signal's reason as soon as it is aborted; the timer is cancelled then
 */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(toAbortError(signal.reason));
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(toAbortError(signal?.reason));
    };
    const cancel = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
