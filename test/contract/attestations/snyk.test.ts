import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ScanResult, snykKind } from '../../../src/contract/attestations/snyk.ts';
import { severities } from '../../../src/contract/names.ts';
import { describeFault } from '../../../src/contract/reason.ts';

describe('the verdict on a scan', () => {
  const run = (high: number, medium: number, low: number): ScanResult => ({
    ...{ high_count: high, medium_count: medium, low_count: low },
  });
  const judge = (
    results: readonly ScanResult[],
    user_data: Record<string, unknown> = {},
  ): ReturnType<typeof snykKind.judge> =>
    snykKind.judge({
      attestation_name: 'scan',
      snyk_results: { schema_version: 1, tool: { name: 'snyk', version: '1' }, results: [...results] },
      user_data,
    });

  it.each([
    [[], 'compliant', '0 high, 0 medium and 0 low findings', []],
    [[run(0, 0, 0)], 'compliant', '0 high, 0 medium and 0 low findings', []],
    [
      [run(0, 0, 1)],
      'non-compliant',
      '0 high, 0 medium and 1 low findings',
      ['1 low finding; none of severity low or worse is allowed'],
    ],
    [
      [run(1, 0, 0), run(1, 1, 0)],
      'non-compliant',
      '2 high, 1 medium and 0 low findings',
      [
        '2 high findings; none of severity low or worse is allowed',
        '1 medium finding; none of severity low or worse is allowed',
      ],
    ],
  ])('without a rule, of %j, is %s: any finding fails', (results, verdict, reason, faults) => {
    const judged = judge(results);
    expect(judged).toMatchObject({ verdict, reason });
    expect(judged.faults.map(describeFault)).toEqual(faults);
  });

  const counts = { critical: 1, high: 2, medium: 3, low: 4, suppressed: 5 };
  const results = [run(3, 3, 4)];

  it.each([
    ['none', []],
    ['critical', ['1 critical finding; none of severity critical or worse is allowed']],
    [
      'high',
      [
        '1 critical finding; none of severity high or worse is allowed',
        '2 high findings; none of severity high or worse is allowed',
      ],
    ],
  ])('fails on %s and worse', (fail_on, faults) => {
    const judged = judge(results, { rule: { fail_on }, severities: counts });
    expect(judged.faults.map(describeFault)).toEqual(faults);
    expect(judged.verdict).toBe(faults.length === 0 ? 'compliant' : 'non-compliant');
    expect(judged.reason).toBe('1 critical, 2 high, 3 medium and 4 low findings; 5 suppressed');
  });

  it('does not believe counts that contradict the findings: what is high may be critical', () => {
    const judged = judge(results, { rule: { fail_on: 'critical' }, severities: { ...counts, critical: 0 } });
    expect(judged.faults.map(describeFault)).toEqual([
      '3 high or critical findings; none of severity critical or worse is allowed',
    ]);
  });

  it.each([{ fail_on: 'some' }, {}, 'high', null])('is incomplete by the rule %j', (rule) => {
    expect(judge([], { rule })).toMatchObject({
      verdict: 'incomplete',
      reason: '`user_data.rule` is not a rule about the severities of findings',
    });
  });

  it('fails exactly if there is a finding of the severity or a worse one', () => {
    const numbers = fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2));
    fc.assert(
      fc.property(numbers, fc.constantFrom(...severities), ([critical, high, medium, low], failOn) => {
        const data = { rule: { fail_on: failOn }, severities: { critical, high, medium, low, suppressed: 0 } };
        const { verdict, faults } = judge([run(critical + high, medium, low)], data);
        const worse = [critical, high, medium, low].slice(0, severities.indexOf(failOn) + 1);
        expect(verdict).toBe(worse.some((number) => number > 0) ? 'non-compliant' : 'compliant');
        expect(faults).toHaveLength(worse.filter((number) => number > 0).length);
      }),
    );
  });
});
