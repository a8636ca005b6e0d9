import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Verdict } from '../../../src/contract/compliance.ts';
import {
  compareEvidence,
  type Evidence,
  judge as judgeStatuses,
  type Judgement,
  withoutMismatched,
} from '../../../src/service/artifact/artifact-state.ts';
import { currentEvidence } from '../../../src/service/attestation/evidence-scope.ts';
import { artifactRequirements, trailRequirements } from '../../../src/service/template/template.ts';

const piece = (name: string, verdict: Verdict): Evidence => ({
  ...{ name, verdict, type: 'sonar', level: 'artifact' },
  reason: `it is ${verdict}`,
  faults: [],
});

/** Judges by a list template. */
const judge = (required: readonly string[], evidence: readonly Evidence[]): Judgement =>
  judgeStatuses(compareEvidence(artifactRequirements(required, undefined), evidence), 'flow');

describe('the state of an artifact', () => {
  it.each<[string, readonly string[], readonly Evidence[], string, string]>([
    [
      'all required evidence is compliant',
      ['sonar', 'unit'],
      [piece('unit', 'compliant'), piece('sonar', 'compliant')],
      'COMPLIANT',
      'All evidence is compliant: sonar, unit.',
    ],
    [
      'required evidence is non-compliant and other evidence is missing',
      ['sonar', 'unit'],
      [piece('sonar', 'non-compliant')],
      'NON-COMPLIANT',
      'sonar: it is non-compliant. unit: not recorded (template of the flow).',
    ],
    [
      'evidence that is not required is non-compliant',
      [],
      [piece('extra', 'non-compliant')],
      'NON-COMPLIANT',
      'extra: it is non-compliant.',
    ],
    [
      'nothing is required and what was reported is compliant',
      [],
      [piece('sonar', 'compliant')],
      'COMPLIANT',
      'All evidence is compliant: sonar. The template of the flow requires none.',
    ],
    [
      'nothing is required and nothing was reported',
      [],
      [],
      'COMPLIANT',
      'The template of the flow requires no evidence, and none was reported.',
    ],
  ])('when %s', (_situation, required, evidence, state, info) => {
    expect(judge(required, evidence)).toMatchObject({ state, info });
  });
});

describe('the reasons for a state', () => {
  const failed: Evidence = {
    ...piece('sonar', 'non-compliant'),
    ...{ flow: 'web', trail: 'main', id: 'a1' },
    faults: [
      { rule: 'quality gate', value: 'new_coverage is 61.2', limit: 'at least 80 is required' },
      { rule: 'quality gate', value: 'new_violations is 3', limit: 'at most 0 is allowed' },
    ],
  };

  it('are one for each fault, with the attestation, and failed evidence before missing evidence', () => {
    const source = { evidence: { flow: 'web', trail: 'main', attestation: 'a1' } };
    expect(judge(['build', 'sonar'], [failed]).reasons).toEqual([
      { state: 'failed', about: 'sonar', ...failed.faults[0], source },
      { state: 'failed', about: 'sonar', ...failed.faults[1], source },
      { state: 'missing', about: 'build', value: 'not recorded', rule: 'template of the flow' },
    ]);
  });

  it('name the type that was recorded, and that which is required', () => {
    const file = { text: '', attestations: [{ name: 'unit', type: 'junit' }], artifacts: [] };
    const statuses = compareEvidence(trailRequirements(file), [{ ...piece('unit', 'compliant'), level: 'trail' }]);
    expect(judgeStatuses(statuses, 'flow')).toMatchObject({
      state: 'INCOMPLETE',
      info: 'unit: recorded as sonar; junit is required (template of the flow).',
    });
    expect(withoutMismatched(statuses)).toEqual([statuses[0]]);
  });
});

const name = fc.constantFrom('sonar', 'unit', 'lint', '__proto__', 'constructor');
const names = fc.uniqueArray(name);
const verdict = fc.constantFrom<Verdict>('compliant', 'non-compliant', 'incomplete');
const evidence = fc
  .uniqueArray(fc.tuple(name, verdict), { selector: ([unique]) => unique })
  .map((pieces) => pieces.map(([of, is]) => piece(of, is)));

describe('the state of any artifact', () => {
  it('does not depend on the order of requirements and evidence, and neither does its reason', () => {
    fc.assert(
      fc.property(names, evidence, (required, pieces) => {
        expect(judge(required.toReversed(), pieces.toReversed())).toEqual(judge(required, pieces));
      }),
    );
  });

  it('has reasons exactly if it is not COMPLIANT, and failed ones exactly if it is NON-COMPLIANT', () => {
    fc.assert(
      fc.property(names, evidence, (required, pieces) => {
        const { state, reasons } = judge(required, pieces);
        expect(reasons.length === 0).toBe(state === 'COMPLIANT');
        expect(reasons.some((reason) => reason.state === 'failed')).toBe(state === 'NON-COMPLIANT');
      }),
    );
  });

  it('is the worst that the evidence and the requirements allow', () => {
    fc.assert(
      fc.property(names, evidence, (required, pieces) => {
        const isAny = (wanted: Verdict): boolean => pieces.some((each) => each.verdict === wanted);
        const isWhole = required.every((each) => pieces.some((reported) => reported.name === each));
        const allowed = isWhole && !isAny('incomplete') ? 'COMPLIANT' : 'INCOMPLETE';
        expect(judge(required, pieces).state).toBe(isAny('non-compliant') ? 'NON-COMPLIANT' : allowed);
      }),
    );
  });
});

describe('evidence of those whom a requirement does not name', () => {
  interface Entry {
    readonly name: string;
    readonly type: string;
    readonly verdict: Verdict;
    /** Whether a recorder that the requirement names recorded it. */
    readonly isTrusted: boolean;
  }
  const names = fc.constantFrom('scan', 'unit', 'lint');
  const types = fc.constantFrom('generic', 'junit');
  const entries: fc.Arbitrary<readonly Entry[]> = fc.array(
    fc.record({
      ...{ name: names, type: types, isTrusted: fc.boolean() },
      verdict: fc.constantFrom<Verdict>('compliant', 'non-compliant', 'incomplete'),
    }),
    { maxLength: 12 },
  );
  const requirements = fc.uniqueArray(
    fc.record({ name: names, type: fc.constantFrom('generic', 'junit', '*'), isFrom: fc.boolean() }),
    { selector: ({ name }) => name, maxLength: 3 },
  );
  type Required = readonly { readonly name: string; readonly type: string; readonly isFrom: boolean }[];

  /** What storages return of evidence: the latest of each name, and the latest of each recorder. */
  const loadFrom = (recorded: readonly Entry[]) => {
    const all = recorded.map((entry, index) => ({
      ...{ ...piece(entry.name, entry.verdict), type: entry.type, level: 'trail' as const, sequence: index },
      ...(entry.isTrusted ? { countsFrom: ['rule:trusted'] } : {}),
    }));
    const latest = new Map(all.map((one) => [one.name, one]));
    const trusted = new Map(all.filter(({ countsFrom }) => countsFrom !== undefined).map((one) => [one.name, one]));
    return new Map([['trail/main', [...new Set([...latest.values(), ...trusted.values()])]]]);
  };
  const stateOf = (recorded: readonly Entry[], required: Required): string => {
    const template = {
      ...{ text: '', artifacts: [] },
      attestations: required.map(({ name, type, isFrom }) => ({
        ...{ name, type },
        ...(isFrom ? { from: ['rule:trusted'] } : {}),
      })),
    };
    const evidence = currentEvidence(template, ['trail/main'], loadFrom(recorded));
    return judgeStatuses(compareEvidence(trailRequirements(template), evidence), 'flow').state;
  };

  it('makes nothing compliant that a requirement names', () => {
    fc.assert(
      fc.property(entries, requirements, (recorded, required) => {
        const strict = required.map((one) => ({ ...one, isFrom: true }));
        // Beyond the template, evidence of a name replaces that of others.
        const named = recorded.filter(({ name }) => required.some((one) => one.name === name));
        const trusted = named.filter(({ isTrusted }) => isTrusted);
        if (stateOf(named, strict) === 'COMPLIANT') expect(stateOf(trusted, strict)).toBe('COMPLIANT');
      }),
    );
  });

  it('counts in no case because a requirement is added or made stricter', () => {
    fc.assert(
      fc.property(entries, requirements, fc.nat(), (recorded, required, place) => {
        if (stateOf(recorded, required) !== 'COMPLIANT') return;
        const fewer = required.filter((_, index) => index !== place % Math.max(1, required.length));
        expect(stateOf(recorded, fewer)).toBe('COMPLIANT');
        const looser = required.map((one) => ({ ...one, isFrom: false }));
        expect(stateOf(recorded, looser)).not.toBe('NON-COMPLIANT');
      }),
    );
  });
});
