import type { After, Now } from '../../../runtime/clock.ts';
import type { ServiceLog } from '../../../runtime/log.ts';

export interface ClockWatchDependencies {
  readonly now: Now;
  /** Milliseconds of a monotonic clock, which is never set forward or back. */
  readonly monotonic: Now;
  readonly after: After;
  readonly log: ServiceLog;
  /** Called after each step of the clock. */
  readonly onChange: () => void;
}

/** How often the clocks are compared, in milliseconds. */
const interval = 5_000;
/** Smaller differences are normal adjustments. In milliseconds. */
const tolerance = 1_000;

/**
 * Compares the machine's clock with a monotonic one, and logs each step forward or back.
 *
 * @returns a function that stops the watch
 */
export function watchClock({ now, monotonic, after, log, onChange }: ClockWatchDependencies): () => void {
  let [time, steady] = [now(), monotonic()];
  const look = (): void => {
    const [newTime, newSteady] = [now(), monotonic()];
    const step = newTime - time - (newSteady - steady);
    [time, steady] = [newTime, newSteady];
    if (Math.abs(step) >= tolerance) {
      log.info(describeStep(step, newTime));
      onChange();
    }
    cancel = after(interval, look);
  };
  let cancel = after(interval, look);
  return () => {
    cancel();
  };
}

function describeStep(step: number, time: number): string {
  const direction = step > 0 ? 'forward' : 'back';
  const seconds = Math.round(Math.abs(step) / 1000);
  const shown = new Date(time).toISOString();
  const cause = step > 0 ? 'it was set, or the machine slept' : 'it was set';
  return `the machine's clock went ${direction} by ${seconds} s and now shows ${shown}; ${cause}`;
}
