import { describe, expect, it } from '@jest/globals';
import { describeReason, sortReasons, toReasons } from '../../src/contract/reason.ts';

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

const faults = [
  { rule: 'quality gate', value: 'new_coverage is 61.2', limit: 'at least 80 is required' },
  { value: 'the revision is unknown' },
];

describe('toReasons', () => {
  it('makes a reason of each fault, with what is known besides', () => {
    const more = { description: 'Nightly', html_url: 'https://compliance.example.com/a' };
    const reasons = toReasons('web.sonar', { verdict: 'non-compliant', faults }, more);
    expect(reasons).toEqual(faults.map((fault) => ({ state: 'failed', about: 'web.sonar', ...fault, ...more })));
    expect(reasons.map(describeReason)).toEqual([
      'web.sonar: new_coverage is 61.2; at least 80 is required: Nightly (quality gate)',
      'web.sonar: the revision is unknown: Nightly',
    ]);
  });

  it('says that evidence which proves nothing is incomplete', () => {
    expect(toReasons('unit', { verdict: 'incomplete', faults: [{ value: 'there are no tests' }] })).toEqual([
      { state: 'incomplete', about: 'unit', value: 'there are no tests' },
    ]);
  });

  it('gives no reason for what is compliant', () => {
    expect(toReasons('unit', { verdict: 'compliant', faults: [] })).toEqual([]);
  });
});
