import type { Clock } from '../../src/runtime/clock.ts';

interface Timer {
  readonly due: number;
  readonly wait: number;
  readonly fire: () => void;
}

/** 2026-01-02T03:04:05Z in milliseconds, the start time of the clocks of tests. */
export const startOfTime = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A clock on which waiting takes no time. */
export interface InstantClock extends Clock {
  /** All waits that took no time, in milliseconds, in order. */
  readonly waits: readonly number[];
}

/**
 * A clock on which waiting takes no time: a wait ends in the next turn of the event loop, with `now` advanced.
 *
 * A wait longer than `maximumWait` (30 s) is treated as a deadline: it does not advance the time, and ends only when
 * other waits have advanced `now` past it. So the deadline of a request holds while a real server responds. While
 * `isPaused` returns true, no time passes at all, so that shorter deadlines hold, too.
 */
export function instantClock(options: { maximumWait?: number; isPaused?: () => boolean } = {}): InstantClock {
  const { maximumWait = 30_000, isPaused = () => false } = options;
  const timers = new Set<Timer>();
  const waits: number[] = [];
  let now = startOfTime;

  const turn = (isCalledOff: () => boolean): void => {
    if (isCalledOff()) return;
    if (isPaused()) {
      setImmediate(turn, isCalledOff);
      return;
    }
    const next = earliest([...timers].filter((timer) => timer.wait <= maximumWait));
    if (next === undefined) return;
    now = Math.max(now, next.due);
    waits.push(next.wait);
    for (const timer of inOrder(timers).filter(({ due }) => due <= now)) {
      if (timers.delete(timer)) timer.fire();
    }
  };

  return {
    waits,
    now: () => now,
    after(wait, fire) {
      const timer: Timer = { due: now + wait, wait, fire };
      timers.add(timer);
      let calledOff = false;
      if (wait <= maximumWait) setImmediate(turn, () => calledOff);
      return () => {
        calledOff = true;
        timers.delete(timer);
      };
    },
  };
}

/** A clock that only the test advances. */
export interface ManualClock extends Clock {
  /**
   * Advances the time and fires the timers that are due, in order. Code that waited can set its next timer before the
   * time advances further.
   */
  advance(milliseconds: number): Promise<void>;
  /** How many timers are set. */
  pending(): number;
}

/** A clock that only the test advances. */
export function manualClock(): ManualClock {
  const timers = new Set<Timer>();
  let now = startOfTime;
  return {
    now: () => now,
    after(wait, fire) {
      const timer: Timer = { due: now + wait, wait, fire };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    async advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const next = earliest([...timers].filter(({ due }) => due <= end));
        if (next === undefined) break;
        now = Math.max(now, next.due);
        timers.delete(next);
        next.fire();
        await settled();
      }
      now = end;
    },
    pending: () => timers.size,
  };
}

/** Advances the time, second by second, until the promise is settled; returns its value. */
export async function advanceUntil<Value>(clock: ManualClock, promise: Promise<Value>): Promise<Value> {
  const state = { isSettled: false };
  const end = (): void => {
    state.isSettled = true;
  };
  promise.then(end, end);
  while (!state.isSettled) {
    await clock.advance(1000);
    // Real servers answer meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return promise;
}

/** Resolves when all promises that are ready have run, and what they started in this turn of the event loop. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function earliest(timers: readonly Timer[]): Timer | undefined {
  return inOrder(timers)[0];
}

function inOrder(timers: Iterable<Timer>): readonly Timer[] {
  return [...timers].sort((one, other) => one.due - other.due);
}
