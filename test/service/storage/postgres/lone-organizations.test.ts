import { describe, expect, it } from '@jest/globals';
import { LoneOrganizations } from '../../../../src/service/storage/postgres/lone-organizations.ts';

describe('organizations with transactions of their own', () => {
  it('stay that for ten seconds after the last reason', () => {
    let now = 0;
    const lone = new LoneOrganizations(() => now);
    expect(lone.has('acme')).toBe(false);
    lone.add('acme');
    now = 5000;
    lone.add('acme');
    now = 14_999;
    expect([lone.has('acme'), lone.has('other')]).toEqual([true, false]);
    now = 15_000;
    expect(lone.has('acme')).toBe(false);
  });
});
