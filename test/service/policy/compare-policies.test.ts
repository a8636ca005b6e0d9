import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { comparePolicies, type PolicyComparison } from '../../../src/service/policy/compare-policies.ts';
import { compilePolicy } from '../../../src/service/policy/compile-policy.ts';
import { type AttachedPolicy, evaluatePolicies } from '../../../src/service/policy/judge-environment.ts';
import type { JudgedArtifact } from '../../../src/service/policy/judged-artifact.ts';
import type { PolicyRules } from '../../../src/service/policy/policy-rules.ts';
import { KnownMatches } from '../../../src/service/requirement/judgement-budget.ts';

/** 2026-11-26T00:00:00Z. */
const at = 1_795_651_200;

const rules = fc.record({
  _schema: fc.constant('https://example.com/v1'),
  enforce_from: fc.constantFrom('2026-01-01', '2027-01-01', '2027-02-01'),
  artifacts: fc.record({
    provenance: fc.record({ required: fc.boolean() }),
    'trail-compliance': fc.record({ required: fc.boolean() }),
    attestations: fc.subarray([{ type: 'sonar', name: 'sonar' }, { type: '*' }]),
  }),
});

const flow = fc.record({
  ...{ flow: fc.constantFrom('web', 'api'), tags: fc.constant({}), info: fc.constant('') },
  reasons: fc.constant([{ state: 'missing', about: 'unit', value: 'not recorded' } as const]),
  state: fc.constantFrom('COMPLIANT', 'NON-COMPLIANT'),
  evidence: fc.subarray([
    { name: 'sonar', type: 'sonar', verdict: 'compliant', level: 'artifact', reason: '', faults: [] },
    {
      name: 'unit',
      type: 'junit',
      verdict: 'non-compliant',
      level: 'artifact',
      reason: '',
      faults: [{ value: 'red' }],
    },
  ] as const),
});
const artifacts: fc.Arbitrary<JudgedArtifact[]> = fc.array(
  fc.record({
    ...{ name: fc.constant('web'), fingerprint: fc.constant('f'), isAllowed: fc.boolean() },
    flows: fc.array(flow, { maxLength: 2 }),
  }),
);

const attach = (own: PolicyRules, name = 'strict'): AttachedPolicy => ({
  ...{ name, version: 1 },
  compiled: compilePolicy(own),
});

function compare(
  present: readonly AttachedPolicy[],
  proposed: readonly AttachedPolicy[],
  running: JudgedArtifact[],
): PolicyComparison {
  const readArtifacts = (): JudgedArtifact[] => running;
  return comparePolicies({
    ...{ policy: 'strict', present, proposed, readArtifacts, at },
    ...{ matches: new KnownMatches(), maximumChanges: 1000 },
  });
}

describe('comparing two versions of a policy', () => {
  it('finds exactly the artifacts for which the policies give different verdicts, each with a reason', () => {
    fc.assert(
      fc.property(rules, rules, rules, artifacts, (other, own, next, running) => {
        const [present, proposed] = [own, next].map((each) => [attach(other, 'other'), attach(each)]);
        if (present === undefined || proposed === undefined) return;
        const complies = (policies: readonly AttachedPolicy[], artifact: JudgedArtifact): boolean =>
          evaluatePolicies(policies, artifact, at).every(({ compliant }) => compliant);
        const found = compare(present, proposed, running);
        const expected = running.filter((one) => complies(present, one) !== complies(proposed, one));
        const changed = found.changes.filter((one) => one.compliantBefore !== one.compliantAfter);
        expect(new Set(changed.map(({ artifact }) => artifact))).toEqual(new Set(expected));
        expect(found).toMatchObject({ changed: expected.length, changesLeftOut: 0, artifactCount: running.length });
        expect(found.before.compliant).toBe(running.every((one) => complies(present, one)));
        expect(found.after.compliant).toBe(running.every((one) => complies(proposed, one)));
        for (const { artifact, compliantAfter, failsFrom, reasons } of found.changes) {
          expect(compliantAfter).toBe(complies(proposed, artifact));
          if (failsFrom !== undefined) expect([compliantAfter, failsFrom]).toEqual([true, next.enforce_from]);
          expect(reasons).not.toEqual([]);
        }
      }),
    );
  });

  it('names what fails now before what fails later, with its first day, and both before what complies again', () => {
    const rule = (image: string, enforce_from = '2026-01-01') => ({
      ...{ type: 'junit', if: `\${{ artifact.name == "${image}" }}`, enforce_from },
    });
    const attachRules = (name: string, ...attestations: ReturnType<typeof rule>[]): AttachedPolicy =>
      attach({ _schema: 'https://example.com/v1', artifacts: { attestations } }, name);
    const other = attachRules('other', rule('later', '2027-01-01'));
    const next = [rule('later', '2027-03-01'), rule('later', '2027-02-01'), rule('red')];
    const running = ['fixed', 'later', 'red'].map((name) => ({ name, fingerprint: name, flows: [] }));
    const { changes } = compare(
      [other, attachRules('strict', rule('fixed'))],
      [other, attachRules('strict', ...next)],
      running,
    );
    expect(changes.map(({ artifact, failsFrom }) => [artifact.name, failsFrom])).toEqual([
      ['red', undefined],
      ['later', '2027-02-01'],
      ['fixed', undefined],
    ]);
    expect(new Set(changes[1]?.reasons.map((reason) => reason.rule))).toEqual(new Set(['policy strict']));
  });

  it('finds nothing if they are the same, and no new compliance if a rule is added', () => {
    fc.assert(
      fc.property(rules, artifacts, (own, running) => {
        expect(compare([attach(own)], [attach(own)], running)).toMatchObject({
          changed: 0,
          failingLater: 0,
          changes: [],
        });
        const stricter = { ...own, artifacts: { ...own.artifacts, provenance: { required: true } } };
        const { changes } = compare([attach(own)], [attach(stricter)], running);
        expect(changes.filter(({ compliantBefore }) => !compliantBefore)).toEqual([]);
      }),
    );
  });
});
