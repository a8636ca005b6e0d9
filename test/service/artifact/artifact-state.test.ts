import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Verdict } from '../../../src/contract/compliance.ts';
import { artifactRequirements, trailRequirements } from '../../../src/service/template/template.ts';
import {
  compareEvidence,
  judge as judgeStatuses,
  withoutMistyped,
  type Evidence,
  type Judgement,
} from '../../../src/service/artifact/artifact-state.ts';

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
      'required evidence is missing',
      ['sonar', 'unit'],
      [piece('unit', 'compliant')],
      'INCOMPLETE',
      'sonar: not recorded (template of the flow).',
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
    ['evidence proves neither', ['sonar'], [piece('sonar', 'incomplete')], 'INCOMPLETE', 'sonar: it is incomplete.'],
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

  it("are told in the info, and the sender's description with them", () => {
    const described = {
      ...piece('scan', 'non-compliant'),
      faults: [{ value: 'reported as not compliant', description: '2 high' }],
    };
    expect(judge([], [described]).info).toBe('scan: reported as not compliant: 2 high.');
  });

  it('name the type that was recorded, and that which is required', () => {
    const file = { text: '', attestations: [{ name: 'unit', type: 'junit' }], artifacts: [] };
    const statuses = compareEvidence(trailRequirements(file), [{ ...piece('unit', 'compliant'), level: 'trail' }]);
    expect(judgeStatuses(statuses, 'flow')).toMatchObject({
      state: 'INCOMPLETE',
      info: 'unit: recorded as sonar; junit is required (template of the flow).',
    });
    expect(withoutMistyped(statuses)).toEqual([statuses[0]]);
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
