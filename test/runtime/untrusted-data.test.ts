import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isMapping, listAt, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';

const event = { pull_request: { head: { sha: 'abc', ref: '' }, labels: ['one', 'two'], draft: false } };

describe('foreign data', () => {
  it('is read along a chain of keys', () => {
    expect(valueAt(event, 'pull_request', 'draft')).toBe(false);
    expect(textAt(event, 'pull_request', 'head', 'sha')).toBe('abc');
    expect(listAt(event, 'pull_request', 'labels')).toEqual(['one', 'two']);
  });

  it('is itself at the end of no keys', () => {
    expect(valueAt(event)).toBe(event);
    expect(textAt('text')).toBe('text');
  });

  it('has nothing behind a missing key, or behind what is no object', () => {
    expect(valueAt(event, 'issue', 'number')).toBeUndefined();
    expect(valueAt(event, 'pull_request', 'labels', '0')).toBeUndefined();
    expect(valueAt(event, 'pull_request', 'head', 'sha', 'length')).toBeUndefined();
    expect(valueAt(null, 'anything')).toBeUndefined();
  });

  it('has no text where it is empty or something else', () => {
    expect(textAt(event, 'pull_request', 'head', 'ref')).toBeUndefined();
    expect(textAt(event, 'pull_request', 'draft')).toBeUndefined();
  });

  it('has an empty list where something else stands', () => {
    expect(listAt(event, 'pull_request', 'head')).toEqual([]);
    expect(listAt(event, 'pull_request', 'reviewers')).toEqual([]);
  });

  it('lends nothing from its prototypes', () => {
    for (const key of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(valueAt({}, key)).toBeUndefined();
    }
    expect(valueAt(JSON.parse('{"__proto__":{"sha":"abc"}}'), '__proto__', 'sha')).toBe('abc');
  });

  it('is a mapping only where it has keys', () => {
    expect([{}, Object.create(null), event].map(isMapping)).toEqual([true, true, true]);
    expect([null, undefined, [], 'text', 1, true].map(isMapping)).toEqual([false, false, false, false, false, false]);
  });

  it('is never a surprise, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.string()), (value, keys) => {
        const text = textAt(value, ...keys);
        expect(text === undefined || (typeof text === 'string' && text !== '')).toBe(true);
        expect(Array.isArray(listAt(value, ...keys))).toBe(true);
      }),
    );
  });
});
