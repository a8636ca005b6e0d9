import { expect, it } from '@jest/globals';
import { findDifferences } from './differences.ts';

it.each([
  ['equal documents', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ['another value', { a: { b: 1 } }, { a: { b: 2 } }, [{ path: 'a.b', left: 1, right: 2 }]],
  ['a missing field', { a: 1 }, {}, [{ path: 'a', left: 1, right: undefined }]],
  ['a longer list', [1], [1, 2], [{ path: '1', left: undefined, right: 2 }]],
  ['another type', { a: [] }, { a: 'none' }, [{ path: 'a', left: [], right: 'none' }]],
  ['an object instead of a list', { a: { 0: 1 } }, { a: [1] }, [{ path: 'a', left: { 0: 1 }, right: [1] }]],
])('findDifferences finds %s', (_, left, right, expected) => {
  expect(findDifferences(left, right)).toEqual(expected);
});
