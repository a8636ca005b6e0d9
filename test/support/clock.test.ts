import { describe, expect, it } from '@jest/globals';
import { sleep } from '../../src/runtime/clock.ts';
import { instantClock, manualClock, startOfTime } from './clock.ts';

describe('a clock on which waiting takes no time', () => {
  it('advances by each wait, in order', async () => {
    const clock = instantClock();
    const order: string[] = [];
    await Promise.all([
      sleep(clock, 2000).then(() => order.push('late')),
      sleep(clock, 1000).then(() => order.push('early')),
    ]);
    expect(order).toEqual(['early', 'late']);
    expect(clock.now()).toBe(startOfTime + 2000);
  });

  it('fires a deadline only when the time is past it, and not if it was cancelled', async () => {
    const clock = instantClock();
    const fired: string[] = [];
    clock.after(40_000, () => fired.push('deadline'));
    const callOff = clock.after(1000, () => fired.push('called off'));
    callOff();
    await sleep(clock, 30_000);
    expect(fired).toEqual([]);
    await sleep(clock, 30_000);
    expect(fired).toEqual(['deadline']);
    expect(clock.waits).toEqual([30_000, 30_000]);
  });
});

describe('a clock that the test advances', () => {
  it('fires the timers that are due, including those set meanwhile', async () => {
    const clock = manualClock();
    const times: number[] = [];
    const work = (async () => {
      for (let count = 0; count < 3; count += 1) {
        await sleep(clock, 1000);
        times.push(clock.now() - startOfTime);
      }
    })();
    await clock.advance(2500);
    expect(times).toEqual([1000, 2000]);
    expect(clock.pending()).toBe(1);
    await clock.advance(500);
    await work;
    expect(times).toEqual([1000, 2000, 3000]);
  });
});
