import { describe, expect, it } from '@jest/globals';
import { KnownReads, toKey } from '../../../../src/service/storage/postgres/known-reads.ts';

describe('what a transaction has read', () => {
  const known = (): { readonly reads: KnownReads<number>; readonly read: () => Promise<number> } => {
    let count = 0;
    return { reads: new KnownReads(), read: () => Promise.resolve((count += 1)) };
  };

  it('is read once, until its record is written', async () => {
    const { reads, read } = known();
    expect(await reads.read('a', read)).toBe(1);
    expect(await reads.read('a', read)).toBe(1);
    expect(await reads.read('b', read)).toBe(2);
    reads.noteWrite('b');
    expect(await reads.read('a', read)).toBe(1);
    expect(await reads.read('b', read)).toBe(3);
    expect([reads.isWritten('a'), reads.isWritten('b')]).toEqual([false, true]);
  });

  it('can depend on several records', async () => {
    const { reads, read } = known();
    expect(await reads.read('all', read, ['a', 'b'])).toBe(1);
    reads.noteWrite('all', 'c');
    expect(await reads.read('all', read, ['a', 'b'])).toBe(1);
    reads.noteWrite('b');
    expect(await reads.read('all', read, ['a', 'b'])).toBe(2);
  });

  it('is not known if it was written while it was read', async () => {
    const { reads, read } = known();
    const first = reads.read('a', read);
    reads.noteWrite('a');
    expect(await first).toBe(1);
    expect(await reads.read('a', read)).toBe(2);
  });

  it('can be nothing', async () => {
    const reads = new KnownReads<undefined>();
    let count = 0;
    for (let time = 0; time < 2; time += 1) await reads.read('a', () => Promise.resolve(void (count += 1)));
    expect(count).toBe(1);
  });

  it('has distinct keys', () => {
    expect(toKey('a', 'b,c')).not.toBe(toKey('a,b', 'c'));
    expect(toKey('a', ['b', 'c'])).not.toBe(toKey('a', 'b', 'c'));
  });
});
