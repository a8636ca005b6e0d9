import { describe, expect, it } from '@jest/globals';
import { watchClock } from '../../../../src/service/platform/background/watch-clock.ts';
import { manualClock } from '../../../support/clock.ts';

describe('watching the clock', () => {
  const watched = (): {
    steady: ReturnType<typeof manualClock>;
    lines: string[];
    changes: () => number;
    step: (seconds: number) => void;
    end: () => void;
  } => {
    const steady = manualClock();
    const lines: string[] = [];
    let [changes, ahead] = [0, 0];
    const end = watchClock({
      now: () => steady.now() + ahead,
      monotonic: () => steady.now(),
      after: (wait, fire) => steady.after(wait, fire),
      log: { info: (line) => lines.push(line), error: (line) => lines.push(line) },
      onChange: () => {
        changes += 1;
      },
    });
    const step = (seconds: number): void => {
      ahead += seconds * 1000;
    };
    return { steady, lines, changes: () => changes, step, end };
  };

  it('logs nothing while the clock is correct, or is adjusted a little', async () => {
    const { steady, lines, step, changes } = watched();
    for (let round = 0; round < 100; round += 1) {
      step(0.01);
      await steady.advance(5000);
    }
    expect([lines, changes()]).toEqual([[], 0]);
  });

  it('logs each step once, forward and back', async () => {
    const { steady, lines, step, changes } = watched();
    step(3600);
    await steady.advance(60_000);
    expect(lines).toEqual([
      "the machine's clock went forward by 3600 s and now shows 2026-01-02T04:04:10.000Z; it was set, or the machine slept",
    ]);
    step(-3600);
    await steady.advance(60_000);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe("the machine's clock went back by 3600 s and now shows 2026-01-02T03:05:10.000Z; it was set");
    expect(changes()).toBe(2);
  });

  it('ends', () => {
    const { steady, end } = watched();
    expect(steady.pending()).toBe(1);
    end();
    expect(steady.pending()).toBe(0);
  });
});
