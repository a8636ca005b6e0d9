import { describe, expect, it } from '@jest/globals';
import { sleep } from '../../src/runtime/clock.ts';
import { instantClock, manualClock, startOfTime } from './clock.ts';

describe('a clock that waits for nothing', () => {
  it('moves on by what is waited for, in order', async () => {
    const clock = instantClock();
    const order: string[] = [];
    await Promise.all([
      sleep(clock, 2000).then(() => order.push('late')),
      sleep(clock, 1000).then(() => order.push('early')),
    ]);
    expect(order).toEqual(['early', 'late']);
    expect(clock.now()).toBe(startOfTime + 2000);
  });

  it('fires a deadline only when the time has passed it, and none that was called off', async () => {
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

describe('a clock that the test moves', () => {
  it('fires what is due on the way, also what is only set on the way', async () => {
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
