import { describe, expect, it } from '@jest/globals';
import { SlotVersions, toSlot, toSlots, toSource } from '../../../src/service/storage/sources.ts';

describe('the slots of sources', () => {
  it('are the same in every version, because they are stored', () => {
    const [flow, key] = [toSource('flows', 'acme', 'web'), toSource('api_keys', 'key1')];
    expect(toSlots([flow, key])).toEqual([toSlot(flow), toSlot(key)]);
    expect([toSlot(flow), toSlot(key)]).toEqual([29_467, 40_784]);
  });
});

describe('the versions of slots', () => {
  it('are the numbers of the latest commits that wrote them', () => {
    const versions = new SlotVersions();
    expect(versions.findLastWrite([1, 2])).toBe(0);
    versions.record([1]);
    versions.record([2, 3]);
    versions.record([]);
    expect([[1], [2], [1, 3], [4]].map((slots) => versions.findLastWrite(slots))).toEqual([1, 2, 2, 0]);
    expect(versions.latest).toBe(3);
  });

  it('change for all slots if any may have been written', () => {
    const versions = new SlotVersions();
    versions.record([1]);
    versions.recordAll();
    expect([versions.findLastWrite([1]), versions.findLastWrite([65_535])]).toEqual([2, 2]);
  });
});
