import { describe, expect, it, jest } from '@jest/globals';
import { sleep, steadyClock, systemClock } from '../../src/runtime/clock.ts';
import { manualClock, startOfTime } from '../support/clock.ts';

describe('the clock of the machine', () => {
  it('waits as long as Node.js timers can at most, and can be cancelled', () => {
    jest.useFakeTimers();
    try {
      const year = 365 * 86_400_000;
      const longest = 2 ** 31 - 1;
      let fired = 0;
      systemClock.after(year, () => {
        fired += 1;
      });
      const callOff = systemClock.after(year, () => {
        fired += 100;
      });
      jest.advanceTimersByTime(longest - 1);
      expect(fired).toBe(0);
      callOff();
      jest.advanceTimersByTime(1);
      expect(fired).toBe(1);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('sleep', () => {
  it('resolves when the time is over, and not before', async () => {
    const clock = manualClock();
    let awake = false;
    const slept = sleep(clock, 1000).then(() => {
      awake = true;
    });
    await clock.advance(999);
    expect(awake).toBe(false);
    await clock.advance(1);
    await slept;
    expect(awake).toBe(true);
  });

  it('rejects with the abort reason, and cancels its timer', async () => {
    const clock = manualClock();
    const cancelled = new AbortController();
    const slept = sleep(clock, 1000, cancelled.signal);
    const reason = new Error('the job was cancelled');
    cancelled.abort(reason);
    await expect(slept).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
  });

  it('does not start if the signal is already aborted', async () => {
    const clock = manualClock();
    const reason = new Error('the job was cancelled');
    await expect(sleep(clock, 1000, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
  });

  it('converts an abort reason that is not an error', async () => {
    await expect(sleep(manualClock(), 1, AbortSignal.abort('stop'))).rejects.toMatchObject({
      message: 'aborted',
      cause: 'stop',
    });
  });

  it('ignores an abort after its end', async () => {
    const clock = manualClock();
    const cancelled = new AbortController();
    const slept = sleep(clock, 10, cancelled.signal);
    await clock.advance(10);
    cancelled.abort(new Error('too late'));
    await expect(slept).resolves.toBeUndefined();
  });
});

describe('the clock of the machine', () => {
  it('returns the current time', () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('can be set without a jump of the steady clock', () => {
    const before = steadyClock.now();
    expect(before).toBeGreaterThan(startOfTime);
    const set = jest.spyOn(Date, 'now').mockReturnValue(0);
    expect(steadyClock.now()).toBeGreaterThanOrEqual(before);
    set.mockRestore();
  });

  it('fires when the time is over', async () => {
    await expect(sleep(systemClock, 0)).resolves.toBeUndefined();
  });

  it('does not fire a cancelled timer', async () => {
    let fired = false;
    const callOff = systemClock.after(0, () => {
      fired = true;
    });
    callOff();
    await sleep(systemClock, 2);
    expect(fired).toBe(false);
  });
});
