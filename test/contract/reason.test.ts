import { describe, expect, it } from '@jest/globals';
import { describeReason, sortReasons } from '../../src/contract/reason.ts';

describe('a reason in words', () => {
  it.each([
    [{ about: 'unit', value: 'not recorded' }, 'unit: not recorded'],
    [
      { about: 'sonar', value: 'new_coverage is 61.2', limit: 'at least 80 is required', rule: 'quality gate' },
      'sonar: new_coverage is 61.2; at least 80 is required (quality gate)',
    ],
    [
      { about: 'scan', value: 'reported as not compliant', description: '2 high vulnerabilities' },
      'scan: reported as not compliant: 2 high vulnerabilities',
    ],
    [{ about: 'scan', value: 'reported as not compliant', description: '' }, 'scan: reported as not compliant'],
  ])('%j', (reason, words) => {
    expect(describeReason(reason)).toBe(words);
  });
});

describe('the order of reasons', () => {
  it('is failed, incomplete, missing; otherwise as given', () => {
    const reasons = [
      { state: 'missing', about: 'a' },
      { state: 'failed', about: 'c' },
      { state: 'incomplete', about: 'd' },
      { state: 'failed', about: 'b' },
    ] as const;
    expect(sortReasons(reasons).map(({ about }) => about)).toEqual(['c', 'b', 'd', 'a']);
  });
});
