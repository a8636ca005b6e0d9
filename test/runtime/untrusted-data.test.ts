import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isMapping, listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';

const event = { pull_request: { head: { sha: 'abc', ref: '' }, labels: ['one', 'two'], draft: false } };

describe('untrusted data', () => {
  it('is read along a path of keys', () => {
    expect(valueAt(event, 'pull_request', 'draft')).toBe(false);
    expect(textAt(event, 'pull_request', 'head', 'sha')).toBe('abc');
    expect(listAt(event, 'pull_request', 'labels')).toEqual(['one', 'two']);
  });

  it('is the value itself for an empty path', () => {
    expect(valueAt(event)).toBe(event);
    expect(textAt('text')).toBe('text');
  });

  it('is undefined after a missing key or a value that is not an object', () => {
    expect(valueAt(event, 'issue', 'number')).toBeUndefined();
    expect(valueAt(event, 'pull_request', 'labels', '0')).toBeUndefined();
    expect(valueAt(event, 'pull_request', 'head', 'sha', 'length')).toBeUndefined();
    expect(valueAt(null, 'anything')).toBeUndefined();
  });

  it('has no text if it is empty or not a string', () => {
    expect(textAt(event, 'pull_request', 'head', 'ref')).toBeUndefined();
    expect(textAt(event, 'pull_request', 'draft')).toBeUndefined();
  });

  it('has an empty list if the value is not a list', () => {
    expect(listAt(event, 'pull_request', 'head')).toEqual([]);
    expect(listAt(event, 'pull_request', 'reviewers')).toEqual([]);
  });

  it('ignores inherited properties', () => {
    for (const key of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(valueAt({}, key)).toBeUndefined();
    }
    expect(valueAt(JSON.parse('{"__proto__":{"sha":"abc"}}'), '__proto__', 'sha')).toBe('abc');
  });

  it('is a mapping only if it is an object', () => {
    expect([{}, Object.create(null), event].map(isMapping)).toEqual([true, true, true]);
    expect([null, undefined, [], 'text', 1, true].map(isMapping)).toEqual([false, false, false, false, false, false]);
  });

  it('never causes an exception', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.string()), (value, keys) => {
        const text = textAt(value, ...keys);
        expect(text === undefined || (typeof text === 'string' && text !== '')).toBe(true);
        expect(Array.isArray(listAt(value, ...keys))).toBe(true);
      }),
    );
  });
});
