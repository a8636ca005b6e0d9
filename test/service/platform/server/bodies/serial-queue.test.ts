import { describe, expect, it } from '@jest/globals';
import { SerialQueue } from '../../../../../src/service/platform/server/bodies/serial-queue.ts';

describe('the serial queue', () => {
  it('runs one task at a time, in the order of the calls, even if one fails', async () => {
    const turns = new SerialQueue();
    const happened: string[] = [];
    const work = (name: string, fails = false): Promise<string> =>
      turns.run(async () => {
        happened.push(`${name} begins`);
        await Promise.resolve();
        happened.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const results = await Promise.allSettled([work('a'), work('b', true), work('c')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(happened).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });
});
