import { beforeEach, describe, expect, it } from '@jest/globals';
import { runInTurn, type PreparedWork } from '../../../../src/service/storage/postgres/run-in-turn.ts';
import type { WriteTransaction } from '../../../../src/service/storage/storage.ts';

describe('works that share a transaction', () => {
  const transaction = {} as WriteTransaction;
  let now: number;
  let steps: string[];

  beforeEach(() => {
    now = 0;
    steps = [];
  });

  /** Works whose preparations take this long altogether, because they wait at the same time. */
  const createWorks = (count: number, { preparing = 0, running = 0 } = {}): readonly PreparedWork[] =>
    Array.from({ length: count }, (_, number) => ({
      prepare: () => {
        steps.push(`prepare ${number}`);
        if (number % 32 === 0) now += preparing;
        return Promise.resolve();
      },
      run: () => {
        steps.push(`run ${number}`);
        now += running;
        return Promise.resolve();
      },
    }));
  const runAll = (works: readonly PreparedWork[]): Promise<number> => runInTurn(works, transaction, () => now);

  it('are prepared together, and run one after the other', async () => {
    expect(await runAll(createWorks(3))).toBe(3);
    expect(steps).toEqual(['prepare 0', 'prepare 1', 'prepare 2', 'run 0', 'run 1', 'run 2']);
  });

  it('are prepared in portions, each after the works before it', async () => {
    expect(await runAll(createWorks(40))).toBe(40);
    expect(steps.indexOf('prepare 32')).toBeGreaterThan(steps.indexOf('run 31'));
  });

  it('leave the others to another transaction if they run long', async () => {
    expect(await runAll(createWorks(20, { running: 5 }))).toBe(3);
    steps = [];
    expect(await runAll(createWorks(20, { running: 100 }))).toBe(1);
  });

  it('are all run that are prepared, however long that took', async () => {
    expect(await runAll(createWorks(40, { preparing: 50 }))).toBe(32);
  });

  it('fail if a preparation does, which leaves no other one behind', async () => {
    const failing: PreparedWork = {
      prepare: () => {
        throw new RangeError('on purpose');
      },
      run: () => Promise.reject(new Error('it is not prepared')),
    };
    await expect(runAll([failing, ...createWorks(2)])).rejects.toThrow(RangeError);
    expect(steps).toEqual(['prepare 0', 'prepare 1']);
  });
});
