import { beforeEach, describe, expect, it } from '@jest/globals';
import { ReadCache } from '../../../../src/service/storage/sqlite/read-cache.ts';

describe('a cache of what was read', () => {
  let write: (source: string) => void;
  let cache: ReadCache<string>;
  beforeEach(() => {
    const listeners: ((source: string) => void)[] = [];
    write = (source) => {
      for (const listener of listeners) listener(source);
    };
    cache = new ReadCache({ onWrite: (listener) => listeners.push(listener) }, 10);
  });

  const kept = (...keys: readonly string[]): readonly string[] => keys.filter((key) => cache.get(key) !== undefined);

  it('answers what it was given', () => {
    cache.set('a', 'first', ['x'], 1);
    cache.set('a', 'second', ['x'], 1);
    expect(cache.get('a')).toBe('second');
    expect(cache.get('b')).toBeUndefined();
  });

  it('forgets what was read from a source that is written, and nothing else', () => {
    cache.set('a', 'of x', ['x'], 1);
    cache.set('b', 'of both', ['x', 'y'], 1);
    cache.set('c', 'of y', ['y'], 1);
    write('z');
    expect(kept('a', 'b', 'c')).toEqual(['a', 'b', 'c']);
    write('x');
    expect(kept('a', 'b', 'c')).toEqual(['c']);
    write('y');
    expect(kept('a', 'b', 'c')).toEqual([]);
  });

  it('goes by the sources of the last time that something was read', () => {
    cache.set('a', 'of x', ['x'], 1);
    cache.set('a', 'of y', ['y'], 1);
    write('x');
    expect(cache.get('a')).toBe('of y');
    write('y');
    expect(cache.get('a')).toBeUndefined();
  });

  it('lets go first of what was asked for longest ago', () => {
    for (const key of ['a', 'b', 'c']) cache.set(key, key, [], 3);
    cache.get('a');
    cache.set('d', 'd', [], 3);
    expect(kept('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
    cache.set('e', 'e', [], 10);
    expect(kept('a', 'c', 'd', 'e')).toEqual(['e']);
  });

  it('does not keep what is heavier than it may be, nor what that replaces', () => {
    cache.set('a', 'small', [], 1);
    cache.set('b', 'small', [], 1);
    cache.set('a', 'large', [], 11);
    expect(kept('a', 'b')).toEqual(['b']);
  });

  it('counts what it forgot as free', () => {
    for (let round = 0; round < 5; round += 1) {
      cache.set('a', 'a', ['x'], 9);
      write('x');
    }
    cache.set('b', 'b', ['x'], 5);
    cache.set('c', 'c', ['x'], 5);
    expect(kept('b', 'c')).toEqual(['b', 'c']);
  });
});
