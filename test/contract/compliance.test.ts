import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  artifactStates,
  gateStatuses,
  type Verdict,
  verdictFromArtifactState,
  verdictFromGateStatus,
  worstVerdict,
} from '../../src/contract/compliance.ts';

describe('the verdict', () => {
  it.each([
    ['COMPLIANT', 'compliant'],
    ['NON-COMPLIANT', 'non-compliant'],
    ['INCOMPLETE', 'incomplete'],
  ])('of the artifact state %s is %s', (state, verdict) => {
    expect(verdictFromArtifactState(state)).toBe(verdict);
  });

  it.each([
    ['OK', 'compliant'],
    ['ERROR', 'non-compliant'],
    ['WARN', 'incomplete'],
    ['NONE', 'incomplete'],
  ])('of the gate status %s is %s', (status, verdict) => {
    expect(verdictFromGateStatus(status)).toBe(verdict);
  });

  it('of an unknown state is undefined, and so never a pass', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('compliant', 'ok', ' OK', 'constructor', '__proto__', 'toString', '')),
        (word) => {
          if (!artifactStates.some((state) => state === word)) expect(verdictFromArtifactState(word)).toBeUndefined();
          if (!gateStatuses.some((status) => status === word)) expect(verdictFromGateStatus(word)).toBeUndefined();
        },
      ),
    );
  });
});

describe('the worst of several verdicts', () => {
  const verdict = fc.constantFrom<Verdict>('compliant', 'incomplete', 'non-compliant');

  it('is undefined for no verdicts', () => {
    expect(worstVerdict([])).toBeUndefined();
  });

  it('is non-compliant before incomplete before compliant, in any order', () => {
    fc.assert(
      fc.property(fc.array(verdict, { minLength: 1 }), (verdicts) => {
        const expected = (['non-compliant', 'incomplete', 'compliant'] as const).find((one) => verdicts.includes(one));
        expect(worstVerdict(verdicts)).toBe(expected);
        expect(worstVerdict(verdicts.toReversed())).toBe(expected);
      }),
    );
  });
});
