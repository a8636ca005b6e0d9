import { describe, expect, it } from '@jest/globals';
import { VersionedCache } from '../../../src/service/storage/versioned-cache.ts';

describe('a versioned cache', () => {
  const cacheOf = (...keys: readonly string[]): VersionedCache<string> => {
    const cache = new VersionedCache<string>({ maximumWeight: 10 });
    for (const key of keys) cache.set(key, 1, key, 3);
    return cache;
  };
  const kept = (cache: VersionedCache<string>, ...keys: readonly string[]): readonly string[] =>
    keys.filter((key) => cache.get(key, 1) !== undefined);

  it('returns the latest value, for the same version only', () => {
    const cache = cacheOf('a');
    cache.set('a', 2, 'later');
    expect([cache.get('a', 1), cache.get('a', 2), cache.get('b', 2)]).toEqual([undefined, 'later', undefined]);
  });

  it('never returns a value without a version', () => {
    const cache = cacheOf();
    cache.set('a', Number.NaN, 'a');
    expect(cache.get('a', Number.NaN)).toBeUndefined();
    expect(cache.latest('a')).toBeUndefined();
  });

  it('returns the latest value with its version, and marks it as used', () => {
    const cache = cacheOf('a', 'b', 'c');
    expect(cache.latest('a')).toMatchObject({ value: 'a', version: 1 });
    cache.set('d', 1, 'd', 3);
    expect(cache.latest('b')).toBeUndefined();
    expect(kept(cache, 'a', 'c', 'd')).toEqual(['a', 'c', 'd']);
  });

  it('evicts the least recently used value', () => {
    const cache = cacheOf('a', 'b', 'c');
    cache.get('a', 1);
    cache.set('d', 1, 'd', 3);
    expect(kept(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
    cache.set('e', 1, 'e', 10);
    expect(kept(cache, 'a', 'c', 'd', 'e')).toEqual(['e']);
  });

  it('keeps neither a value that is too heavy nor the value that it replaces', () => {
    const cache = cacheOf('a', 'b');
    cache.set('a', 1, 'large', 11);
    expect(kept(cache, 'a', 'b')).toEqual(['b']);
  });
});
