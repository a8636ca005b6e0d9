import { beforeEach, describe, expect, it } from '@jest/globals';
import { SoftLimit } from '../../../../src/service/storage/postgres/soft-limit.ts';
import { manualClock } from '../../../support/clock.ts';

describe('a soft limit', () => {
  let clock: ReturnType<typeof manualClock>;
  let limit: SoftLimit;
  let entered: string[];
  const enter = async (name: string): Promise<void> => {
    await limit.enter();
    entered.push(name);
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(async () => {
    clock = manualClock();
    limit = new SoftLimit({ usual: 2, maximumWait: 5 }, (wait, fire) => clock.after(wait, fire));
    entered = [];
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    await settle();
  });

  it('lets the others in when one leaves, in order', async () => {
    expect(entered).toEqual(['a', 'b']);
    limit.leave();
    await settle();
    expect(entered).toEqual(['a', 'b', 'c']);
    limit.leave();
    limit.leave();
    await settle();
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
    await enter('e');
    expect(entered).toHaveLength(5);
  });

  it('lets them in after the maximum wait, even if none leaves', async () => {
    await clock.advance(4);
    await settle();
    expect(entered).toEqual(['a', 'b']);
    await clock.advance(1);
    await settle();
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('makes new ones wait until there are fewer than usual', async () => {
    await clock.advance(5);
    await settle();
    void enter('e');
    limit.leave();
    limit.leave();
    await settle();
    expect(entered).not.toContain('e');
    limit.leave();
    await settle();
    expect(entered).toContain('e');
  });
});
